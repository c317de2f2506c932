// Claude Code's files as they are found: split, forked, cut, copied and compacted in every way that a record can show.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { answers, assistant, calls, lines, progress, read, said, story, system, told, user } from "../../../test/build/claude-records.ts";
import { bodyText, type Session } from "../../session/index.ts";
import { openSession, resume } from "../index.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-claude-code-"));
  folders.push(folder);
  return folder;
}

function ids(session: Session): string[] {
  return [...session.entries()].map(({ entry }) => entry.id);
}
function usages(session: Session): number[] {
  return [...session.entries()].flatMap(({ entry }) => (entry.data.kind === "usage" ? [entry.data.output] : []));
}
const cost = (output: number) => ({ usage: { input_tokens: 1, output_tokens: output } });
function reported(record: ReturnType<typeof assistant>, output: number): unknown {
  return { ...record, message: { ...(record.message as object), ...cost(output) } };
}

describe("one response over several records", () => {
  test("is one message with all its words, its calls as facts of their own, and its usage once, as last reported", async () => {
    const { session } = await read(
      user("u", null, "go"),
      reported(assistant("a", "u", "m1/r1", [{ type: "thinking", thinking: "hm", signature: "s" }]), 1),
      reported(assistant("b", "a", "m1/r1", [said("on it")]), 1),
      reported(assistant("c", "b", "m1/r1", [calls("t1")]), 9),
      user("r", "c", [answers("t1")]),
    );
    expect(story(session)).toEqual(["user: go", "assistant: hm + on it", "call t1", "result t1: of t1"]);
    expect(usages(session)).toEqual([9]);
    expect(ids(session)).toEqual(["u", "a#0", "a#1", "c", "r"]);
    const [, message, usage] = [...session.entries()].map(({ entry }) => entry.records?.map(({ line }) => line));
    expect([message, usage]).toEqual([[2, 3], [4]]);
  });

  test("its parallel calls fork the tree and are no branches", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1/r1", [calls("t1")]),
      assistant("b", "a", "m1/r1", [calls("t2")]),
      progress("p", "a"),
      user("r1", "a", [answers("t1")]),
      user("r2", "b", [answers("t2")]),
      progress("q", "b"),
      assistant("c", "r2", "m2/r2", [said("done")]),
    );
    expect(story(session)).toEqual(["user: go", "assistant: ", "call t1", "call t2", "result t1: of t1", "result t2: of t2", "assistant: done"]);
    expect(session.heads().map(told)).toEqual(["assistant: done"]);
  });

  test("a result may come before the next call of its response", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1/r1", [calls("t1")]),
      user("r1", "a", [answers("t1")]),
      assistant("b", "r1", "m1/r1", [calls("t2")]),
      user("r2", "b", [answers("t2")]),
    );
    expect(story(session)).toEqual(["user: go", "assistant: ", "call t1", "call t2", "result t1: of t1", "result t2: of t2"]);
  });

  test("its records may all hang below one parent, through markers too", async () => {
    const records = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => assistant(`a${n}`, n === 5 ? "p" : "u", "m1/r1", [calls(`t${n}`)]));
    const { session } = await read(user("u", null, "go"), progress("p", "u"), ...records, user("r", "a9", [answers("t9")]));
    expect(story(session)).toEqual(["user: go", "assistant: ", ...records.map((_, index) => `call t${index + 1}`), "result t9: of t9"]);
    expect(session.heads()).toHaveLength(1);
  });

  test.each([
    ["two requests", "m1/r1", "m1/r2", 2],
    ["two messages", "m1/r1", "m2/r1", 2],
    ["one request", "m1/r1", "m1/r1", 1],
    ["no request's id, one turn", "m1", "m1", 1],
  ])("%s", async (_, first, second, messages) => {
    const { session } = await read(user("u", null, "go"), assistant("a", "u", first, [said("one")]), assistant("b", "a", second, [said("two")]));
    expect(story(session).length - 1).toBe(messages);
  });

  test("without a request's id the same id in another turn is another response", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1", [said("one")]),
      user("v", "a", "again"),
      assistant("b", "v", "m1", [said("two")]),
      user("w", "b", "meant by the host", { isMeta: true }),
    );
    expect(story(session)).toEqual(["user: go", "assistant: one", "user: again", "assistant: two", "user meta: meant by the host"]);
  });

  test("a response that grows gives new entries and renames none, whether or not its first record says what it cost", async () => {
    for (const cost of [{}, { usage: undefined }]) {
      const first = { ...assistant("a", "u", "m1/r1", [said("one")]), ...cost };
      const { session } = await read(user("u", null, "go"), first);
      const before = session.path().map(({ entry }) => entry.id);
      const grown = await read(user("u", null, "go"), first, assistant("b", "a", "m1/r1", [said("two")]));
      expect(grown.session.path().map(({ entry }) => entry.id)).toEqual(expect.arrayContaining(before));
    }
  });

  test("what the host puts between its records starts no turn, and follows it in order", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1", [said("one")]),
      progress("p", "a"),
      user("v", "p", "a reminder", { isMeta: true }),
      progress("q", "v"),
      assistant("b", "q", "m1", [said("two")]),
    );
    expect(session.path().map(told)).toEqual([
      "user: go",
      "assistant: one + two",
      "marker progress/hook_progress",
      "user meta: a reminder",
      "marker progress/hook_progress",
    ]);
    expect(session.path().map(({ entry }) => entry.id)).toEqual(["u", "a#0", "p", "v", "q"]);
  });

  test("the same response copied below another root stays apart", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1/r1", [said("one")]),
      user("u2", null, "go"),
      assistant("a2", "u2", "m1/r1", [said("one")]),
    );
    expect(session.heads()).toHaveLength(2);
    expect(story(session)).toEqual(["user: go", "assistant: one"]);
  });
});

describe("the tree", () => {
  test("a child may be written before its parent, in a response too", async () => {
    const { session, diagnostics } = await read(
      user("u", null, "go", { timestamp: "2026-03-02T09:00:09Z" }),
      assistant("b", "a", "m1/r1", [said("two")], { timestamp: "2026-03-02T09:00:01Z" }),
      assistant("a", "u", "m1/r1", [said("one")], { timestamp: "2026-03-02T09:00:05Z" }),
      assistant("d", "c", "m2/r2", [said("end")]),
      user("c", "b", "more"),
    );
    expect(story(session)).toEqual(["user: go", "assistant: one + two", "user: more", "assistant: end"]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ["two", [user("a", "b", "one"), assistant("b", "a", "m/r", [said("two")])], ["user: one", "assistant: two"], 1],
    ["one", [user("a", "a", "one"), assistant("b", "a", "m/r", [said("two")])], ["user: one", "assistant: two"], 1],
    [
      "three, entered from outside",
      [user("x", "b", "in"), user("a", "c", "one"), user("b", "a", "two"), user("c", "b", "three")],
      ["user: one", "user: two", "user: three"],
      2,
    ],
  ])("a circle of %s is cut at its first record in the file", async (_, records, path, line) => {
    const { session, diagnostics } = await read(...records);
    expect(story(session)).toEqual(path);
    expect(diagnostics).toMatchObject([{ code: "cycle", line }]);
  });

  test("two records with one uuid: the later holds it", async () => {
    const { session, diagnostics } = await read(user("u", null, "one"), user("u", null, "two"), assistant("a", "u", "m/r", [said("answer")]));
    expect(story(session)).toEqual(["user: two", "assistant: answer"]);
    expect(ids(session)).toEqual(["@0", "u", "a#0"]);
    expect(diagnostics).toMatchObject([{ code: "duplicate-id", line: 1 }]);
  });

  test("the same words at another place are said there too", async () => {
    const { session } = await read(user("u", null, "yes"), user("v", "u", "more"), user("u", "v", "yes"));
    expect([...session.entries()].map(told).sort()).toEqual(["user: more", "user: yes", "user: yes"]);
  });

  test("an identical copy adds nothing", async () => {
    const again = assistant("a", "u", "m/r", [said("answer")]);
    const { session, diagnostics } = await read(user("u", null, "one"), again, again, user("v", "a", "more"));
    expect(ids(session)).toEqual(["u", "a#0", "v"]);
    expect(diagnostics).toMatchObject([{ code: "duplicate-id", line: 3 }]);
  });

  test("a record that a resumed session wrote again, from another folder, says its words once", async () => {
    const last = [assistant("a", "u", "m/r", [said("an")]), assistant("b", "a", "m/r", [said("answer")])];
    const { session, diagnostics } = await read(user("u", null, "one"), ...last, { ...last[1], cwd: "/srv/moved" }, user("v", "b", "more"));
    expect(story(session)).toEqual(["user: one", "assistant: an + answer", "user: more"]);
    expect([...session.entries()].filter(({ entry }) => entry.data.kind === "marker").map(({ entry }) => [entry.id, entry.records?.[0]?.line])).toEqual([
      [`@${lines([user("u", null, "one"), last[0]]).length}`, 3],
    ]);
    expect(diagnostics).toMatchObject([{ code: "duplicate-id", line: 3 }]);
  });

  test("a uuid in the form of an id that we make is not taken for one", async () => {
    const { session, diagnostics } = await read(
      user("a#0", null, "one"),
      user("a", "a#0", [said("two"), answers("t")]),
      user("@0", "a", "three"),
      user("", "@0", "four"),
    );
    expect(story(session)).toEqual(["user: one", "result t: of t", "user: two", "user: three", "user: four"]);
    expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["reserved-id 1", "reserved-id 3", "reserved-id 4"]);
  });
});

describe("what a record holds", () => {
  test("results with their call's tool and status; the copy of the output beside them is not told again", async () => {
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m/r", [calls("t1", "Read", { path: "x" }), calls("t2", "Free", "as is")]),
      user("r", "a", [{ ...answers("t1", "failed"), is_error: true }, answers("t2"), answers("t9")], { toolUseResult: { stdout: "failed" } }),
    );
    const facts = [...session.entries()].map(({ entry }) => entry.data);
    expect(facts.flatMap((fact) => (fact.kind === "call" ? [[fact.tool, bodyText(fact.input)]] : []))).toEqual([
      ["Read", '{"path":"x"}'],
      ["Free", "as is"],
    ]);
    expect(facts.flatMap((fact) => (fact.kind === "result" ? [[fact.callId, fact.tool, fact.status]] : []))).toEqual([
      ["t1", "Read", "error"],
      ["t2", "Free", "ok"],
      ["t9", "", "ok"],
    ]);
    expect(ids(session)).toEqual(["u", "a#0", "a#1", "a#2", "r#0", "r#1", "r#2"]);
  });

  test.each<[string, unknown, string]>([
    ["a string", "plain", "plain"],
    ["a list of strings and texts", ["raw", said("text")], "raw + text"],
    ["an object", { type: "text", text: "alone" }, "alone"],
    ["an object of no known type", { rows: 3 }, "[object]"],
    ["a number", 7, "[number]"],
    ["null", null, ""],
    ["nothing", undefined, ""],
    ["blocks of unknown types, and a text that is none", [{ type: "hologram" }, { type: "text" }, 5], "[hologram] + [text] + [number]"],
    ["a call and a result in a place for neither", [calls("x"), answers("y")], "[tool_use] + [tool_result]"],
    ["an image", [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }], "[image]"],
  ])("a result's content: %s", async (_, content, shown) => {
    const { session } = await read(assistant("a", null, "m/r", [calls("t")]), user("r", "a", [{ type: "tool_result", tool_use_id: "t", content }]));
    expect(story(session).at(-1)).toBe(`result t: ${shown}`);
  });

  test("a result in a response, a call in a message of the user, content that is null", async () => {
    const { session } = await read(
      user("u", null, [calls("x"), said("odd")]),
      assistant("a", "u", "m1/r1", [answers("x"), { type: "server_tool_use", id: "s" }]),
      assistant("b", "a", "m2/r2", null),
      user("v", "b", null),
    );
    expect(story(session)).toEqual(["user: [tool_use] + odd", "assistant: [tool_result] + [server_tool_use]", "assistant: ", "user: "]);
  });

  test("unknown records, types and values are markers that hold them whole", async () => {
    const odd = [{ type: "summary", summary: "title", leafUuid: "u" }, { type: "novel", novel: { type: "kind" } }, { no: "type" }, { type: "user" }];
    const { session } = await read(user("u", null, "go", { isVisibleInTranscriptOnly: true }), ...odd);
    const markers = [...session.entries()].map(({ entry }) => entry.data);
    expect(markers.map((data) => (data.kind === "marker" ? [data.what, data.raw && JSON.parse(bodyText(data.raw))] : data))).toEqual([
      ["user", user("u", null, "go", { isVisibleInTranscriptOnly: true })],
      ["summary", odd[0]],
      ["novel/kind", odd[1]],
      ["record", odd[2]],
      ["user", odd[3]],
    ]);
  });

  test.each([
    ["Prompt is too long", "overflow"],
    ["input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000", "overflow"],
    ['API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', "transient"],
    ["API Error (Request timed out.)", "transient"],
    ["API Error (Connection error.)", "transient"],
    ["API Error: Request was aborted.", "aborted"],
    ["Invalid API key · Please run /login", "other"],
  ])("an error in the place of a response: %s", async (text, expected) => {
    const error = assistant("e", "u", "x", [said(text)], { isApiErrorMessage: true });
    const { session } = await read(user("u", null, "go"), reported(error, 0));
    expect(story(session)).toEqual(["user: go", `failure ${expected}`]);
    const [, failure] = [...session.entries()].map(({ entry }) => entry.data);
    expect(failure?.kind === "failure" && failure.text && bodyText(failure.text)).toBe(text);
    expect(usages(session)).toEqual([]);
  });

  test("words of the host's own in the place of a response report nothing; with calls they are a response", async () => {
    const synthetic = (uuid: string, parent: string, content: unknown) => {
      const record = assistant(uuid, parent, uuid, content);
      return reported({ ...record, message: { ...(record.message as object), model: "<synthetic>" } }, 0);
    };
    const { session } = await read(user("u", null, "go"), synthetic("e", "u", [said("No response requested.")]), synthetic("c", "e", [calls("t")]));
    expect(story(session)).toEqual(["user: go", "failure other", "assistant: ", "call t"]);
    expect(usages(session)).toEqual([0]);
  });
});

describe("side chains", () => {
  const aside = { isSidechain: true };
  const main = [user("u", null, "go"), assistant("a", "u", "m1/r1", [said("one"), calls("t")]), user("r", "a", [answers("t")])];

  test("are kept beside the conversation and are never its head", async () => {
    const { session } = await read(...main, user("s", "r", "by the way", aside), assistant("t", "s", "m2/r2", [said("aside")], aside));
    expect(session.heads().map(told)).toEqual(["result t: of t"]);
    expect(story(session)).toEqual(["user: go", "assistant: one", "call t", "result t: of t"]);
    expect([...session.entries()].filter(({ entry }) => entry.side).map(told)).toEqual(["user: by the way", "assistant: aside"]);
  });

  test("what they replay of the main chain is there once, under new request ids too", async () => {
    const { session, diagnostics } = await read(
      ...main,
      user("s", "r", "by the way", aside),
      reported(assistant("x", "s", "m1/r9", [said("one"), calls("t")], aside), 5),
      user("y", "x", [answers("t")], aside),
      assistant("z", "y", "m2/r2", [said("aside")], aside),
    );
    expect([...session.entries()].filter(({ entry }) => entry.side).map(told)).toEqual(["user: by the way", "assistant: aside"]);
    expect(usages(session)).toEqual([]);
    expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["replay 5", "replay 6"]);
  });

  test("a message id that is used again for other words replays nothing", async () => {
    const { session } = await read(...main, assistant("x", "r", "m1/r1", [said("another")], aside), user("y", "x", [answers("t", "another result")], aside), {
      ...assistant("z", "y", "", [said("one")], aside),
      message: { role: "assistant", content: [said("one")] },
    });
    expect([...session.entries()].filter(({ entry }) => entry.side).map(told)).toEqual(["assistant: another", "result t: another result", "assistant: one"]);
  });

  test("what has no id of its own repeats nothing, though the words are the same", async () => {
    const nameless = (uuid: string, parent: string, more = {}) => ({
      ...assistant(uuid, parent, "", [], more),
      message: { role: "assistant", content: [said("one")] },
    });
    const output = (uuid: string, parent: string, more = {}) => user(uuid, parent, [{ type: "tool_result", content: "same" }], more);
    const { session } = await read(user("u", null, "go"), nameless("a", "u"), output("r", "a"), nameless("b", "r", aside), output("s", "b", aside));
    expect([...session.entries()].filter(({ entry }) => entry.side).map(told)).toEqual(["assistant: one", "result : same"]);
  });

  test("alone in a file they are a subagent's own conversation", async () => {
    const agent = { ...aside, agentId: "a1b2" };
    const { session } = await read(user("u", null, "task", agent), assistant("a", "u", "m/r", [said("done")], agent));
    expect(session.identity).toMatchObject({ id: "s1", parentSession: "s1", agentId: "a1b2" });
    expect(session.heads().map(told)).toEqual(["assistant: done"]);
    expect((await read(...main, user("s", "r", "aside", agent))).session.identity.agentId).toBeUndefined();
  });
});

test("a file that grows record by record always gives the session of all it holds", async () => {
  const records = [
    user("u", null, "go"),
    reported(assistant("a", "u", "m1/r1", [said("one")]), 1),
    reported(assistant("b", "a", "m1/r1", [calls("t1")]), 2),
    reported(assistant("c", "b", "m1/r1", [calls("t2")]), 3),
    user("r1", "b", [answers("t1")]),
    user("s", "r1", "by the way", { isSidechain: true }),
    user("r2", "c", [answers("t2")]),
    system("x", null, "compact_boundary", { logicalParentUuid: "r2" }),
    user("y", "x", "so far", { isCompactSummary: true }),
    user("u", null, "went"),
    user("e", "y", "edited"),
  ];
  const path = join(temporary(), "s1.jsonl");
  const whole = (session: Session) => [...session.entries()].map((place) => [place.entry.id, place.entry.parent, told(place)]);
  writeFileSync(path, lines(records.slice(0, 1)));
  let opened = await openSession(path);
  for (let count = 2; count <= records.length; count++) {
    writeFileSync(path, lines(records.slice(0, count)));
    const grown = await resume(opened);
    const fresh = await openSession(path);
    expect(grown.how).toBe("append");
    expect(whole(grown.session)).toEqual(whole(fresh.session));
    expect(grown.session.head?.entry.id).toBe(fresh.session.head?.entry.id);
    expect(grown.diagnostics).toEqual(fresh.diagnostics);
    fresh.close();
    opened = grown;
  }
  opened.close();
});
