// What real Claude Code files do that a simple reader gets wrong, each as a small session.
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openSession, resume } from "../../src/formats/index.ts";
import { searchSession } from "../../src/recall/index.ts";
import { bodyText, isShowable, type ResultFact, type Session, type UsageFact } from "../../src/session/index.ts";
import { itemText, pairFaults, view } from "../../src/view/index.ts";
import {
  assistant,
  boundary,
  call,
  type Line,
  outline,
  progress,
  result,
  SESSION,
  Sessions,
  said,
  summary,
  textOfLines,
  user,
} from "../build/claude-code-files.ts";

const sessions = new Sessions();
afterAll(() => sessions.remove());

function usages(session: Session): UsageFact[] {
  return [...session.entries()].flatMap(({ entry: { data } }) => (data.kind === "usage" ? [data] : []));
}

function shown(session: Session): string[] {
  return view(session).items.map((item) => `${item.kind} ${itemText(item)}`.trim());
}

/** A turn: question, call, result, answer. */
function turn(n: number, parent: string | null): Line[] {
  return [
    user(`u${n}`, parent, `question ${n}`),
    assistant(`a${n}`, `u${n}`, `msg_a${n}`, [call(`t${n}`)]),
    result(`r${n}`, `a${n}`, `t${n}`, `output ${n}`),
    assistant(`b${n}`, `r${n}`, `msg_b${n}`, [said(`answer ${n}`)]),
  ];
}

function turnOutline(n: number): string[] {
  return [`user question ${n}`, "assistant", `call t${n}`, `result t${n} output ${n}`, `assistant answer ${n}`];
}

describe("one response on several lines", () => {
  const split = [
    user("u1", null, "go"),
    assistant("a1", "u1", "msg_1", [{ type: "thinking", thinking: "hm", signature: "c2ln" }], 1),
    assistant("a2", "a1", "msg_1", [said("let me look")], 1),
    assistant("a3", "a2", "msg_1", [call("t1")], 77),
    result("r1", "a3", "t1", "found"),
    assistant("a4", "r1", "msg_2", [said("done")], 3),
  ];

  test("is one message, and its usage counts once: the last report", async () => {
    const { session } = await sessions.read(split);
    expect(outline(session.path())).toEqual(["user go", "assistant (hm) let me look", "call t1", "result t1 found", "assistant done"]);
    expect(usages(session).map(({ messageId, output }) => [messageId, output])).toEqual([
      ["msg_1", 77],
      ["msg_2", 3],
    ]);
  });

  test("though a gateway gives its id again in the next turn without naming the request", async () => {
    const bare = { requestId: undefined };
    const { session } = await sessions.read([
      user("u1", null, "one"),
      assistant("a1", "u1", "msg_1", [said("first")], 5, bare),
      assistant("a2", "a1", "msg_1", [said("half")], 6, bare),
      user("u2", "a2", "two"),
      assistant("a3", "u2", "msg_1", [said("second")], 7, bare),
    ]);
    expect(outline(session.path())).toEqual(["user one", "assistant first half", "user two", "assistant second"]);
    expect(usages(session).map(({ output }) => output)).toEqual([6, 7]);
  });

  test("while it is written: no entry loses its id as lines are added", async () => {
    const lines = [
      ...split,
      user("u2", "a4", "again"),
      assistant("c1", "u2", "msg_3", [call("p1")]),
      assistant("c2", "c1", "msg_3", [call("p2")]),
      result("q1", "c1", "p1", "one"),
      result("q2", "c2", "p2", "two"),
      progress("p", "q2"),
      assistant("c3", "p", "msg_4", [said("both")]),
      boundary("k1", "c3"),
      summary("s1", "k1", "Sum."),
      user("u3", "s1", "last"),
    ];
    const path = sessions.write(`growing/${SESSION}.jsonl`, textOfLines(lines.slice(0, 1)));
    let opened = await openSession(path);
    for (let count = 2; count <= lines.length; count++) {
      const before = [...opened.session.entries()].map(({ entry }) => entry.id);
      writeFileSync(path, textOfLines(lines.slice(0, count)));
      const grown = await resume(opened);
      expect(grown.how).toBe("append");
      expect(before.filter((id) => !grown.session.find(id))).toEqual([]);
      const fresh = await openSession(path);
      expect([...fresh.session.entries()].map(({ entry }) => entry.id)).toEqual([...grown.session.entries()].map(({ entry }) => entry.id));
      fresh.close();
      opened = grown;
    }
    expect(opened.session.size).toBeGreaterThan(lines.length);
    opened.close();
  });
});

describe("two values on one line", () => {
  const [question, asking, output, answer] = turn(1, null) as [Line, Line, Line, Line];
  const title = { type: "summary", summary: "A title", leafUuid: "b1" };
  const snapshot = { type: "file-history-snapshot", messageId: "m", snapshot: {}, isSnapshotUpdate: false };

  test.each([
    ["assistant and user", [[question], [asking, output], [answer]]],
    ["assistant and summary", [[question], [asking], [output], [answer, title]]],
    ["progress and snapshot", [[question], [asking], [output], [progress("p1", "r1"), snapshot], [{ ...answer, parentUuid: "p1" }]]],
    ["all of a session", [[question, asking, output, answer]]],
  ])("%s: both are read, each with its own bytes", async (_, lines) => {
    const text = lines.map((values) => `${values.map((value) => JSON.stringify(value)).join("")}\n`).join("");
    const { session, diagnostics } = await sessions.read(text);
    expect(diagnostics).toEqual([]);
    expect(outline(session.path())).toEqual(turnOutline(1));
    const ranges = new Map([...session.entries()].flatMap(({ entry }) => (entry.records ?? []).map((range) => [range.start, range])));
    const read = [...ranges.values()].map(({ source, start, end, line }) => [line, Buffer.from(source.read(start, end)).toString()]);
    expect(read).toEqual(lines.flatMap((values, at) => values.map((value) => [at + 1, JSON.stringify(value)])));
  });
});

describe("the tree", () => {
  test("a parent may stand after its child", async () => {
    const [question, asking, output, answer] = turn(1, null) as [Line, Line, Line, Line];
    for (const order of [
      [question, output, asking, answer],
      [answer, output, asking, question],
    ]) {
      const { session, diagnostics } = await sessions.read(order);
      expect(outline(session.path())).toEqual(turnOutline(1));
      expect(diagnostics).toEqual([]);
      expect(session.heads()).toHaveLength(1);
    }
  });

  test("times that run backwards change nothing", async () => {
    const lines = [...turn(1, null), ...turn(2, "b1")];
    const { session } = await sessions.read(lines);
    const [hash, ids] = [view(session).hash(), [...session.entries()].map(({ entry }) => entry.id)];
    const back = await sessions.read(lines.map((line, at) => ({ ...line, timestamp: new Date(Date.UTC(2026, 2, 2) - at * 60_000).toISOString() })));
    expect(view(back.session).hash()).toBe(hash);
    expect([...back.session.entries()].map(({ entry }) => entry.id)).toEqual(ids);
    expect(back.session.head?.entry.id).toBe(session.head?.entry.id);
    const [first, second] = back.session.path();
    expect(second?.entry.time).toBe((first?.entry.time as number) - 60_000);
  });

  test("parallel calls whose results fork are one batch, whichever of them the next response follows", async () => {
    for (const next of ["r1", "r2", "r3"]) {
      const { session } = await sessions.read([
        user("u1", null, "go"),
        assistant("a1", "u1", "msg_1", [call("t1")]),
        assistant("a2", "a1", "msg_1", [call("t2")]),
        assistant("a3", "a2", "msg_1", [call("t3")]),
        result("r1", "a1", "t1", "one"),
        result("r2", "a2", "t2", "two"),
        result("r3", "a3", "t3", "three"),
        assistant("b1", next, "msg_2", [said("done")]),
      ]);
      expect(session.heads()).toHaveLength(1);
      expect(outline(session.path()).sort()).toEqual(
        ["assistant", "assistant done", "call t1", "call t2", "call t3", "result t1 one", "result t2 two", "result t3 three", "user go"].sort(),
      );
      expect(view(session).items.some(({ kind }) => kind === "late" || kind === "placeholder")).toBe(false);
    }
  });

  test("nine records of one response below one parent are one message with nine calls", async () => {
    const nine = Array.from({ length: 9 }, (_, n) => n + 1);
    const { session } = await sessions.read([
      user("u1", null, "go"),
      ...nine.map((n) => assistant(`a${n}`, "u1", "msg_1", [call(`t${n}`)])),
      ...nine.map((n) => result(`r${n}`, `a${n}`, `t${n}`, `out ${n}`)),
      assistant("b1", "r9", "msg_2", [said("done")]),
    ]);
    expect(session.heads()).toHaveLength(1);
    expect(shown(session)).toEqual([
      "message go",
      "message",
      ...nine.map((n) => `call {"command":"t${n}"}`),
      ...nine.map((n) => `result out ${n}`),
      "message done",
    ]);
  });

  test("nine responses below one parent are nine branches, and none is lost", async () => {
    const nine = Array.from({ length: 9 }, (_, n) => n + 1);
    const { session } = await sessions.read([user("u1", null, "go"), ...nine.map((n) => assistant(`a${n}`, "u1", `msg_${n}`, [said(`try ${n}`)]))]);
    expect(session.heads().map((head) => outline(session.path(head)))).toEqual(nine.map((n) => ["user go", `assistant try ${n}`]));
    expect(outline(session.path())).toEqual(["user go", "assistant try 9"]);
  });

  test("a message that the user edited is a branch, and the newer one is gone on with", async () => {
    const { session } = await sessions.read([...turn(1, null), ...turn(2, "b1"), ...turn(3, "b1")]);
    expect(session.heads()).toHaveLength(2);
    expect(outline(session.path())).toEqual([...turnOutline(1), ...turnOutline(3)]);
    expect(outline(session.path(session.heads()[0]))).toEqual([...turnOutline(1), ...turnOutline(2)]);
  });

  test("of several ends below the last message, the one written last is gone on with", async () => {
    const { session } = await sessions.read([...turn(1, null), progress("p1", "b1"), progress("p2", "b1"), progress("p3", "p1")]);
    expect(session.head?.entry.id).toBe("p3");
    expect(session.heads()).toHaveLength(1);
  });

  test("records on the way are part of it: a chain through hooks and attachments does not break", async () => {
    const attachment = { ...progress("x1", "p1"), type: "attachment", attachment: { type: "hook_success" } };
    const { session } = await sessions.read([...turn(1, null), progress("p1", "b1"), attachment, ...turn(2, "x1")]);
    expect(outline(session.path())).toEqual([...turnOutline(1), ...turnOutline(2)]);
    expect([...session.entries()].filter(({ entry }) => entry.data.kind === "marker").map(({ entry }) => entry.id)).toEqual(["p1", "x1"]);
  });

  test("a parent that is not in the file: the record follows the one before it, and the line is named", async () => {
    const lines = [...turn(1, null), progress("p1", "gone"), ...turn(2, "p1"), user("u3", "gone too", "and then")];
    const { session, diagnostics } = await sessions.read(lines);
    expect(outline(session.path())).toEqual([...turnOutline(1), ...turnOutline(2), "user and then"]);
    expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["missing-parent 5", "missing-parent 10"]);
    expect(session.heads()).toHaveLength(1);
  });

  test("two session ids in one chain are one session; a second root is a conversation of its own", async () => {
    const other = (line: Line) => ({ ...line, sessionId: "22222222-2222-4222-8222-222222222222" });
    const [u2, a2, r2, b2] = turn(2, "b1") as [Line, Line, Line, Line];
    const { session } = await sessions.read([...turn(1, null).map(other), u2, other(a2), r2, other(b2), ...turn(3, null)]);
    expect(session.identity.id).toBe(SESSION);
    expect([...(session.identity.sessionIds ?? [])].sort()).toEqual([SESSION, "22222222-2222-4222-8222-222222222222"]);
    expect(session.heads().map((head) => outline(session.path(head)))).toEqual([[...turnOutline(1), ...turnOutline(2)], turnOutline(3)]);
  });

  test("a side chain is kept and is no head; what it repeats of the main chain adds nothing", async () => {
    const side = { isSidechain: true };
    const lines = [
      ...turn(1, null),
      user("s1", "b1", "by the way?", side),
      assistant("s2", "s1", "msg_b1", [said("answer 1")], 5, { ...side, requestId: "req_other" }),
      assistant("s3", "s2", "msg_s", [said("aside")], 9, side),
      ...turn(2, "b1"),
    ];
    const { session } = await sessions.read(lines);
    expect(outline(session.path())).toEqual([...turnOutline(1), ...turnOutline(2)]);
    expect(session.heads()).toHaveLength(1);
    expect(outline([...session.entries()].filter(({ entry }) => entry.side))).toEqual(["user by the way?", "assistant aside"]);
    expect(usages(session).filter(({ messageId }) => messageId === "msg_b1")).toHaveLength(1);
  });
});

describe("compactions", () => {
  test.each([
    [3, 1],
    [2, 1],
    [1, 0],
    [2, 2],
  ])("%i boundaries with %i summaries", async (boundaries, summaries) => {
    const lines = turn(0, null);
    for (let n = 1; n <= boundaries; n++) {
      lines.push(boundary(`k${n}`, `b${n - 1}`));
      const told = n > boundaries - summaries;
      if (told) lines.push(summary(`s${n}`, `k${n}`, `Sum ${n}.`));
      lines.push(...turn(n, told ? `s${n}` : `k${n}`));
    }
    const { session, diagnostics } = await sessions.read(lines);
    expect(diagnostics).toEqual([]);
    expect(session.illegal).toEqual([]);
    const compacts = outline(session.path()).filter((each) => each.startsWith("compact"));
    expect(compacts).toEqual(Array.from({ length: boundaries }, (_, n) => (n + 1 > boundaries - summaries ? `compact Sum ${n + 1}.` : "compact -")));
    expect(outline(session.path()).filter((each) => each.startsWith("result"))).toHaveLength(boundaries + 1);
    const [block, ...rest] = shown(session);
    expect(block).toContain(summaries > 0 ? `Sum ${boundaries}.` : "did not record a summary");
    expect(rest).toEqual([
      `message question ${boundaries}`,
      "message",
      `call {"command":"t${boundaries}"}`,
      `result output ${boundaries}`,
      `message answer ${boundaries}`,
    ]);
    expect(outline(session.path())).not.toContain(`user Sum ${boundaries}.`);
  });
});

describe("calls and results", () => {
  test("a result without a call is one line with its ref, a call without a result has a placeholder", async () => {
    const { session } = await sessions.read([
      user("u1", null, "go"),
      assistant("a1", "u1", "msg_1", [call("t1"), call("t2")]),
      result("r1", "a1", "t1", "here"),
      result("r2", "r1", "never-called", "stray text"),
      user("u2", "r2", "[Request interrupted by user]"),
      assistant("a2", "u2", "msg_2", [said("ok")]),
    ]);
    const kinds = view(session).items.map((item) => `${item.kind}${"ref" in item && item.ref ? ` ${item.ref}` : ""}`);
    expect(kinds).toEqual(["message", "message", "call", "call", "result t1", "placeholder", "late t2", "message", "message"]);
    expect(pairFaults(view(session))).toEqual([]);
    expect([...searchSession(session, "stray text")].map(({ ref }) => ref)).toEqual(["t2"]);
  });

  test("the host's second copy of an output is not read: the text is there once", async () => {
    const output = "needle in the output, ".repeat(40);
    const more = { toolUseResult: { stdout: output, stderr: "", structuredContent: { text: output } }, mcpMeta: { structuredContent: { text: output } } };
    const { session } = await sessions.read([
      user("u1", null, "go"),
      assistant("a1", "u1", "msg_1", [call("t1", "mcp__files__read")]),
      result("r1", "a1", "t1", output, more),
      assistant("b1", "r1", "msg_2", [said("done")]),
    ]);
    expect([...searchSession(session, output)]).toHaveLength(1);
    expect(shown(session).join("\n").split("needle in the output")).toHaveLength(41);
    const [fact] = session.withCallId("t1").slice(1);
    const range = fact?.entry.records?.[0];
    expect(range && Buffer.from(range.source.read(range.start, range.end)).toString()).toBe(JSON.stringify(result("r1", "a1", "t1", output, more)));
  });
});

describe("bytes that do not belong there", () => {
  const lines = [...turn(1, null), ...turn(2, "b1")].map((line) => JSON.stringify(line));
  const joined = (end: string) => lines.map((line) => `${line}${end}`).join("");
  const at = (index: number, what: string | Uint8Array) =>
    Buffer.concat(lines.flatMap((line, n) => [Buffer.from(n === index ? what : ""), Buffer.from(`${line}\n`)]));

  test.each<[string, string | Uint8Array, number]>([
    ["a byte order mark", `\uFEFF${joined("\n")}`, 0],
    ["carriage returns", joined("\r\n"), 0],
    ["no end of the last line", joined("\n").trimEnd(), 0],
    ["9 KB of NUL before a record", at(3, "\0".repeat(9216)), 1],
    ["143 KB of NUL on a line", at(5, `${"\0".repeat(143_000)}\n`), 1],
    ["a first line that is none", at(0, '{"parentUuid":null,"isSide\n'), 1],
    ["a line of invalid UTF-8", at(4, Buffer.from([0xff, 0xfe, 0x80, 0x0a])), 1],
    ["a line cut in the middle", at(4, `${lines[3]?.slice(0, 60)}\n`), 1],
  ])("%s", async (_, content, noticed) => {
    const { session, diagnostics, tail } = await sessions.read(content);
    expect(outline(session.path())).toEqual([...turnOutline(1), ...turnOutline(2)]);
    expect(diagnostics.length > 0 ? 1 : 0).toBe(noticed);
    expect(tail).toBeNull();
  });

  test("U+2028, U+2029, U+0085 and a lone surrogate are part of a text, and end no line", async () => {
    const odd = "one\u2028two\u2029three\u0085four \ud83d end";
    const text = textOfLines([user("u1", null, odd), assistant("a1", "u1", "msg_1", [said("yes")])]);
    expect(text).toContain("\u2028");
    const { session, diagnostics } = await sessions.read(text);
    expect(outline(session.path())).toEqual([`user ${odd}`, "assistant yes"]);
    expect(diagnostics).toEqual([]);
  });
});

describe("times", () => {
  test.each([
    ["2026-03-02T10:00:00.000+01:00", Date.UTC(2026, 2, 2, 9)],
    ["2026-03-02T09:00:00Z", Date.UTC(2026, 2, 2, 9)],
    ["yesterday", undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%j is %j: what is no time never becomes now", async (timestamp, time) => {
    const { session } = await sessions.read([user("u1", null, "go", { timestamp })]);
    expect(session.head?.entry.time).toBe(time);
    expect("time" in (session.head?.entry ?? {})).toBe(time !== undefined);
  });
});

describe("outputs that the host saved beside the session", () => {
  const preview = (path: string) =>
    `<persisted-output>\nOutput too large (98.1KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nline 1\n</persisted-output>`;

  async function fullOutput(path: string): Promise<string | undefined> {
    const { session } = await sessions.read([
      user("u1", null, "go"),
      assistant("a1", "u1", "msg_1", [call("t1")]),
      result("r1", "a1", "t1", preview(path)),
      assistant("b1", "r1", "msg_2", [said("done")]),
    ]);
    const fact = session.withCallId("t1")[1]?.entry.data as ResultFact;
    expect(fact.blocks.map((block) => block.type === "text" && bodyText(block.body))).toEqual([preview(path)]);
    return fact.full && bodyText(fact.full);
  }

  test.each([
    `/home/dev/.claude/projects/-srv-app/${SESSION}/tool-results/own.txt`,
    `C:\\Users\\dev\\.claude\\projects\\C--srv-app\\${SESSION}\\tool-results\\own.txt`,
  ])("are found by their name, wherever the session was moved: %s", async (path) => {
    sessions.write(`project/${SESSION}/tool-results/own.txt`, "the whole of it");
    expect(await fullOutput(path)).toBe("the whole of it");
  });

  test("are missed when they were cleaned up, and the preview stays", async () => {
    expect(await fullOutput(`/home/dev/.claude/projects/-srv-app/${SESSION}/tool-results/gone.txt`)).toBeUndefined();
  });

  test("are read from nowhere else, whatever path the session names", async () => {
    const outside = sessions.write("outside.txt", "not for the model");
    sessions.write("project/outside.txt", "not for the model");
    sessions.write(`project/${SESSION}/outside.txt`, "not for the model");
    const other = sessions.write("project/other-session/tool-results/other.txt", "another session's");
    for (const path of [
      outside,
      other,
      "/etc/passwd",
      "../../outside.txt",
      "../outside.txt",
      "..\\..\\outside.txt",
      `${SESSION}/tool-results/../../../outside.txt`,
      "..",
      ".",
      "../../../../../../../../etc/passwd",
      "file:///etc/passwd",
    ])
      expect(await fullOutput(path), path).toBeUndefined();
  });

  test("are not read through a link that leads out of the session's folder", async () => {
    const outside = sessions.write("outside.txt", "not for the model");
    const own = sessions.write(`project/${SESSION}/tool-results/own.txt`, "the whole of it");
    symlinkSync(outside, join(dirname(own), "link.txt"));
    expect(await fullOutput("link.txt")).toBeUndefined();
  });
});

test("paths of Windows stay as they were written", async () => {
  const path = "C:\\Users\\dev\\my app\\src\\x-1.ts";
  const { session } = await sessions.read([
    user("u1", null, `look at ${path}`, { cwd: "C:\\Users\\dev\\my app" }),
    assistant("a1", "u1", "msg_1", [call("t1", "Read", { file_path: path })]),
    result("r1", "a1", "t1", `${path}:12: const a = "C:\\\\";`),
    assistant("b1", "r1", "msg_2", [said("seen")]),
  ]);
  expect(session.identity.cwd).toBe("C:\\Users\\dev\\my app");
  expect(outline(session.path())).toEqual([`user look at ${path}`, "assistant", "call t1", `result t1 ${path}:12: const a = "C:\\\\";`, "assistant seen"]);
  const asked = session.path().find(({ entry }) => entry.data.kind === "call")?.entry.data;
  expect(asked?.kind === "call" && JSON.parse(bodyText(asked.input))).toEqual({ file_path: path });
  expect([...session.entries()].filter(({ entry }) => isShowable(entry.data))).toHaveLength(5);
});
