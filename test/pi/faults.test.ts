// What befalls a session from outside: two sessions on one file, reloads and branch switches in a flush, other extensions, Pi's own compaction, sheer length.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ExtensionFactory, SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { openSession } from "../../src/formats/index.ts";
import { recall } from "../../src/recall/index.ts";
import { pairFaults, view } from "../../src/view/index.ts";
import { call, DOT, output, type PiRun, pi, type Sent, SOON, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, expectRecalled, pathOf, recordsOf } from "./oracle.ts";

function resultsOf(messages: readonly Sent[] | undefined): string[] {
  return (messages ?? []).filter(({ role }) => role === "toolResult").map(textOf);
}

/** Checks that the first results are stubs, in order, and the others as they came. */
function expectStubs(messages: readonly Sent[] | undefined, stubs: number, outputs: readonly number[]): void {
  const texts = resultsOf(messages);
  expect(texts).toHaveLength(outputs.length);
  for (const [at, n] of outputs.entries()) {
    if (at < stubs) expect(texts[at]).toMatch(new RegExp(`^\\[t${at + 1} dump: [^\\]]*\\]\n(.|\n)*handler${n}_0`));
    else expect(texts[at]).toBe(output(n));
  }
}

const originals = (...outputs: readonly number[]) => Object.fromEntries(outputs.map((n, at) => [`t${at + 1}`, output(n)]));
/** A handler for both boundaries at which we propose. */
const atBoundaries =
  (handler: (event: string) => unknown): ExtensionFactory =>
  (api) => {
    api.on("turn_end", async () => void (await handler("turn_end")));
    api.on("agent_before_settle", async () => void (await handler("agent_before_settle")));
  };

// As two processes: two-processes.test.ts.
describe("two session managers of one process on one file", () => {
  test("append in turn: all that both wrote is there, on branches of its own, and both are condensed", async () => {
    const one = await pi({ answers: [call(0), call(1), say("one"), call(2), call(3), say("one again"), say("one last")], policy: SOON });
    await one.session.prompt("first");
    const two = await pi({ answers: [call(10), call(11), say("two"), say("two again")], folder: one.folder, manager: () => SessionManager.open(one.file) });
    await one.session.prompt("second of one");
    await two.session.prompt("second of two");
    await one.session.prompt("third of one");
    const ends = [one, two].map(({ session }) => session.sessionManager.getLeafId() as string);
    await two.session.prompt("third of two");
    expect([...one.errors, ...two.errors]).toEqual([]);
    expectStubs(one.requests.at(-1), 3, [0, 1, 2, 3]);
    expectStubs(two.requests.at(-1), 3, [0, 1, 10, 11]);
    await expectOracle(one);
    await expectOracle(two);
    await expectRecalled(one.file, originals(0, 1, 2, 3), ends[0]);
    await expectRecalled(one.file, originals(0, 1, 10, 11), ends[1]);
    expect(SessionManager.open(one.file).getEntries()).toHaveLength(recordsOf(one.file).length - 1);
    expectOnce(one.file);
    await two.close();
    await one.close();
  });
});

describe("while a flush runs", () => {
  const answers = [call(0), call(1), call(2), say("done"), call(3), call(4), say("done again"), say("the end")];

  async function through(handler: (run: PiRun, event: string) => unknown, place: "before" | "after"): Promise<PiRun> {
    let run: PiRun | undefined;
    const other = atBoundaries((event) => run && handler(run, event));
    run = await pi({ answers, [place]: [other], policy: SOON });
    for (const prompt of ["one", "two", "three"]) await run.session.prompt(prompt);
    return run;
  }

  test.each(["before", "after"] as const)("a reload asked for %s it is refused by Pi, and one behind it changes nothing", async (place) => {
    const refused: string[] = [];
    const run = await through(async ({ session }) => {
      await session.reload().catch((error: Error) => refused.push(error.message));
    }, place);
    expect(refused.length).toBeGreaterThan(3);
    await run.session.reload();
    expectStubs(run.requests.at(-1), 4, [0, 1, 2, 3, 4]);
    await expectOracle(run);
    await expectRecalled(run.file, originals(0, 1, 2, 3, 4));
    expectOnce(run.file);
    expect(run.errors).toEqual([]);
    await run.close();
  });

  test.each(["before", "after"] as const)("a branch switch asked for %s it is refused by Pi", async (place) => {
    const refused: string[] = [];
    const run = await through(async ({ session }) => {
      const [first] = session.sessionManager.getEntries();
      await session.navigateTree(first?.id as string).catch((error: Error) => refused.push(error.message));
    }, place);
    expect(refused.length).toBeGreaterThan(3);
    expectStubs(run.requests.at(-1), 4, [0, 1, 2, 3, 4]);
    await expectOracle(run);
    expectOnce(run.file);
    await run.close();
  });

  test.each(["before", "after"] as const)("a branch switch forced on Pi's session %s it loses nothing, and both branches open", async (place) => {
    let tip: string | undefined;
    const run = await through(({ session: { sessionManager } }, event) => {
      const user = pathOf(recordsOf(sessionManager.getSessionFile() ?? "")).find(({ message }) => message?.role === "user");
      if (tip !== undefined || event !== "agent_before_settle") return;
      tip = sessionManager.getLeafId() as string;
      sessionManager.branch(user?.id as string);
    }, place);
    await expectRecalled(run.file, originals(0, 1, 2), tip);
    await expectRecalled(run.file, originals(3, 4));
    await expectOracle(run);
    const again = await pi({ answers: [say("opened")], folder: run.folder, manager: () => SessionManager.open(run.file) });
    await again.session.prompt("again");
    expect(again.errors).toEqual([]);
    await expectOracle(again);
    await again.close();
    await run.close();
  });

  test("Pi is closed: what is written opens again and goes on", async () => {
    let first: PiRun | undefined;
    const closing = atBoundaries((event) => event === "agent_before_settle" && first?.session.dispose());
    first = await pi({ answers, before: [closing], policy: SOON });
    await first.session.prompt("one").catch(() => undefined);
    const { file, folder } = first;
    const next = await pi({ answers: answers.slice(4), folder, manager: () => SessionManager.open(file) });
    await next.session.prompt("two");
    await next.session.prompt("three");
    expectStubs(next.requests.at(-1), 4, [0, 1, 2, 3, 4]);
    await expectOracle(next);
    await expectRecalled(file, originals(0, 1, 2, 3, 4));
    expectOnce(file);
    await next.close();
    await first.close();
  });
});

describe("messages of other extensions between call and result", () => {
  const answers = [call(0), call(1), call(2), say("done"), say("the end")];

  test.each(["at once", "steer", "followUp", "nextTurn"] as const)("sent %s: the view is what the provider received", async (how) => {
    const other: ExtensionFactory = (api) => {
      api.on("tool_execution_start", () => {
        api.appendEntry("other", { seen: true });
        const options = how === "at once" ? { triggerTurn: false } : { deliverAs: how };
        api.sendMessage({ customType: "other", content: `a word (${how})`, display: false }, options);
      });
    };
    const more = Array.from({ length: 4 }, () => say("well"));
    const run = await pi({ answers: [...answers, ...more], after: [other], policy: SOON });
    await run.session.prompt("one");
    await run.session.prompt("two");
    expect(run.errors).toEqual([]);
    expect(JSON.stringify(run.requests.at(-1))).toContain(`a word (${how})`);
    expectStubs(run.requests.at(-1), 2, [0, 1, 2]);
    await expectOracle(run);
    await expectRecalled(run.file, originals(0, 1, 2));
    expectOnce(run.file);
    await run.close();
  });

  test("written into the session past Pi: calls keep their results in the view, and refs lead to the originals", async () => {
    const other: ExtensionFactory = (api) => {
      api.on("tool_execution_start", (_, { sessionManager }) => {
        (sessionManager as SessionManager).appendCustomMessageEntry("other", "a word between", false);
      });
    };
    const run = await pi({ answers, after: [other], policy: SOON });
    await run.session.prompt("one");
    await run.session.prompt("two");
    expectStubs(run.requests.at(-1), 2, [0, 1, 2]);
    const { session, close } = await openSession(run.file);
    expect(pairFaults(view(session))).toEqual([]);
    close();
    await expectRecalled(run.file, originals(0, 1, 2));
    expectOnce(run.file);
    await run.close();
  });
});

describe("Pi's own compaction", () => {
  const kept = { compaction: { enabled: false, keepRecentTokens: 500 } };

  /** Condensed, compacted by Pi, and gone on with. */
  async function compacted(): Promise<{ readonly run: PiRun; readonly cut: number }> {
    const answers = [
      call(0),
      call(1),
      call(2),
      call(3),
      say("one"),
      say("Pi's summary"),
      say("and what the turn began with"),
      call(4),
      call(5),
      call(6),
      say("two"),
      say("three"),
    ];
    const run = await pi({ answers, policy: SOON, settings: kept });
    await run.session.prompt("one");
    await run.session.compact();
    const cut = recordsOf(run.file).length;
    await run.session.prompt("two");
    await run.session.prompt("three");
    return { run, cut };
  }

  test("hides what it hides: none of it is condensed behind it, and nothing is condensed twice", async () => {
    const { run, cut } = await compacted();
    const records = recordsOf(run.file);
    const compaction = records.find(({ type }) => type === "compaction") as { readonly firstKeptEntryId?: string };
    const from = records.findIndex(({ id }) => id === compaction.firstKeptEntryId);
    expect(from).toBeGreaterThan(0);
    const hidden = new Set(records.slice(0, from).map(({ id }) => id));
    const after = records.slice(cut).flatMap(({ type, targetId }) => (type === "context_edit" ? [targetId] : []));
    expect(after.length).toBeGreaterThan(1);
    expect(after.filter((target) => hidden.has(target as string))).toEqual([]);
    expectOnce(run.file);
    expect(run.errors).toEqual([]);
    await run.close();
  });

  test("leaves refs as they were: those made before it resolve, and the view is what the provider received", async () => {
    const { run } = await compacted();
    expect(textOf((run.requests.at(-1) ?? [])[0] as Sent)).toContain("Pi's summary");
    await expectRecalled(run.file, originals(0, 1, 2, 3, 4, 5, 6));
    await expectOracle(run);
    await run.close();
  });

  test("at its threshold in the middle of a run: the run goes on, and nothing is condensed twice", async () => {
    const compacting: ExtensionFactory = (api) => {
      api.on("session_before_compact", ({ reason, preparation: { firstKeptEntryId, tokensBefore } }) => {
        reasons.push(reason);
        return { compaction: { summary: "Pi's summary", firstKeptEntryId, tokensBefore } };
      });
    };
    const reasons: string[] = [];
    const answers = [...Array.from({ length: 9 }, (_, n) => call(n)), say("one"), say("two")];
    const settings = { compaction: { enabled: true, keepRecentTokens: 3000, reserveTokens: 1000 } };
    const run = await pi({ answers, policy: SOON, after: [compacting], settings, contextWindow: 12_000 });
    await run.session.prompt("one");
    await run.session.prompt("two");
    expect(reasons).toContain("threshold");
    expect(run.requests).toHaveLength(answers.length);
    expect(recordsOf(run.file).filter(({ data }) => data?.kind === "epoch").length).toBeGreaterThan(1);
    expectOnce(run.file);
    await expectOracle(run);
    await expectRecalled(run.file, originals(0, 1, 2, 3, 4, 5, 6, 7, 8));
    await run.close();
  });

  test("between a batch that was begun and its end: what it hides is not edited, the rest is", async () => {
    const run = await pi({ answers: [call(0), call(1), call(2), call(3), say("one")], policy: SOON, settings: kept });
    await run.session.prompt("one");
    const file = begunOnly(run);
    const manager = SessionManager.open(file);
    const results = manager.getBranch().filter((entry) => entry.type === "message" && entry.message.role === "toolResult");
    manager.appendCompaction("Pi's summary", (results[1] as { readonly parentId: string }).parentId, 1000);
    const next = await pi({ answers: [call(4), say("two"), say("three")], folder: run.folder, manager: () => manager });
    await next.session.prompt("two");
    await next.session.prompt("three");
    const edited = recordsOf(file).flatMap(({ type, targetId }) => (type === "context_edit" ? [targetId] : []));
    expect(edited).not.toContain(results[0]?.id);
    expect(edited).toContain(results[1]?.id);
    await expectOracle(next);
    await expectRecalled(file, originals(0, 1, 2));
    expectOnce(file);
    await next.close();
    await run.close();
  });
});

describe("pictures", () => {
  test("go with their result into the stub's words, and come back with the ref", async () => {
    const run = await pi({ answers: [call(0, { picture: true }), call(1), call(2), say("done"), say("the end")], policy: SOON });
    await run.session.prompt("one");
    await run.session.prompt("two");
    const first = (run.requests.at(-1) ?? []).find(({ role }) => role === "toolResult") as Sent;
    expect(textOf(first)).toMatch(/^\[t1 dump: .*image/);
    expect(JSON.stringify(first)).not.toContain(DOT);
    await expectOracle(run);
    const { session, close } = await openSession(run.file);
    const found = recall(session, "t1");
    expect("kind" in found ? [] : found[0]?.blocks.map(({ type }) => type)).toEqual(["text", "image"]);
    close();
    await run.close();
  });
});

describe("messages of one millisecond with one call id", () => {
  test("are told apart, also where a batch is shown before it is written", async () => {
    vi.spyOn(Date, "now").mockReturnValue(Date.parse("2026-01-01T00:00:00Z"));
    const same = "call_1";
    const run = await pi({
      answers: [call(0, {}, same), call(1, {}, same), call(2, {}, same), say("one"), call(3, {}, same), say("two"), say("three")],
      policy: SOON,
    });
    await run.session.prompt("one");
    const file = begunOnly(run);
    const next = await pi({ answers: [call(3, {}, same), say("two"), say("three")], folder: run.folder, manager: () => SessionManager.open(file) });
    await next.session.prompt("two");
    await next.session.prompt("three");
    const begun = recordsOf(file).find(({ data }) => data?.kind === "batch")?.data?.targets.length as number;
    expectStubs(next.requests[0], begun, [0, 1, 2].slice(0, resultsOf(next.requests[0]).length));
    await expectOracle(next);
    await expectRecalled(file, originals(...[0, 1, 2].slice(0, resultsOf(next.requests[0]).length), 3));
    expectOnce(file);
    await next.close();
    await run.close();
  });
});

describe("a session of 5,000 entries", () => {
  test("opens, is condensed once, and every turn is what the file shows", async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-pi-"));
    const file = longFile(folder, 5000);
    const run = await pi({ answers: [call(0), say("one"), say("two")], folder, manager: () => SessionManager.open(file) });
    await run.session.prompt("one");
    await run.session.prompt("two");
    expect(run.errors).toEqual([]);
    const edits = recordsOf(file).filter(({ type }) => type === "context_edit");
    expect(edits.length).toBeGreaterThan(100);
    expectOnce(file);
    await expectOracle(run);
    await expectRecalled(file, { t1: longText(0), t1000: longText(999) });
    await run.close();
    rmSync(folder, { recursive: true });
  });
});

function longText(n: number): string {
  return n % 10 === 0 ? output(n, 20) : `nothing to report from ${n}`;
}

/** A session file of `count` records: calls and their results, every tenth of them long. */
function longFile(folder: string, count: number): string {
  const time = (n: number) => new Date(1_760_000_000_000 + n * 1000);
  const usage = { input: 9, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  const lines: object[] = [{ type: "session", version: 3, id: randomUUID(), timestamp: time(0).toISOString(), cwd: folder }];
  const add = (message: object) => {
    const n = lines.length;
    const id = n.toString(16).padStart(8, "0");
    const parentId = n === 1 ? null : (n - 1).toString(16).padStart(8, "0");
    lines.push({ type: "message", id, parentId, timestamp: time(n).toISOString(), message: { ...message, timestamp: time(n).getTime() } });
  };
  add({ role: "user", content: "go" });
  for (let n = 0; lines.length < count; n++) {
    const asked = { type: "toolCall", id: `long_${n}`, name: "dump", arguments: { n } };
    add({ role: "assistant", content: [asked], api: "faux", provider: "faux", model: "faux-1", usage, stopReason: "toolUse" });
    add({ role: "toolResult", toolCallId: `long_${n}`, toolName: "dump", content: [{ type: "text", text: longText(n) }], isError: false });
  }
  mkdirSync(join(folder, "sessions"), { recursive: true });
  const file = join(folder, "sessions", "long.jsonl");
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return file;
}

/** A file of its own that ends where a run's first batch was begun: with its recovery data. */
function begunOnly({ file, folder }: PiRun): string {
  const lines = recordsOf(file);
  const opens = lines.findIndex(({ data }) => data?.kind === "batch");
  const begun = join(folder, "begun.jsonl");
  writeFileSync(
    begun,
    lines
      .slice(0, opens + 1)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  return begun;
}
