import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { bodyText, type CondenseDecision, type Place, Session, textBody } from "../session/index.ts";
import { itemText, view } from "../view/index.ts";
import { chainsOf } from "./chains.ts";
import { type FoldOptions, planFolds } from "./fold.ts";
import { fusionParts } from "./fold-body.ts";
import { foldable } from "./foldable.ts";

const ALL: FoldOptions = { rollingWindow: 0, recallGrace: 0, isProtected: () => false };
const LONG = "one more line of output\n".repeat(80);

function planned(log: Log, options: Partial<FoldOptions> = {}) {
  return planFolds(chainsOf(log.session.path()), log.session.head, { ...ALL, ...options });
}

/** The lines of the only fold's block. */
function lines(log: Log, options: Partial<FoldOptions> = {}): string[] {
  const { folds } = planned(log, options);
  expect(folds).toHaveLength(1);
  return bodyText((folds[0] as (typeof folds)[0]).decision.body).split("\n");
}

/** Appends what is planned and applies it. */
function fold(log: Log, options: Partial<FoldOptions> = {}): Place[] {
  const blocks = planned(log, options).folds.map(({ decision }) => log.add(decision));
  log.epoch(...blocks);
  return blocks;
}

function condense(log: Log, targets: readonly Place[], summary: string, stub: (ref: string) => string, by: CondenseDecision["by"]): Place {
  return log.add({
    kind: "condense",
    targets: targets.map(({ entry }) => entry.id),
    stubs: targets.map(({ results }) => textBody(stub(`t${results}`))),
    summary: textBody(summary),
    by,
  });
}

function bytesIn(log: Log): number {
  return view(log.session).items.reduce((sum, item) => sum + Buffer.byteLength(itemText(item)), 0);
}

describe("the block of a chain without summaries", () => {
  test("counts calls and tools, says when, and has a line for each call", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "read", { path: "src/a.ts" });
    log.call("c2", "bash", { command: "npm test" });
    log.call("c3", "bash", { command: "npm run check" });
    log.result("c3", LONG, { tool: "bash", status: "error" });
    log.result("c1", LONG);
    log.assistant("Done.");
    expect(lines(log)).toEqual([
      "[b1 automatic note, not from the user: 3 calls folded into this block; recall b1 for all of it]",
      "Calls: 3",
      "Tools: bash x2, read x1",
      "First: bash npm test",
      "Last: read src/a.ts",
      "- bash npm test: no result",
      "- `t1` bash npm run check: 1,920 bytes, error",
      "- `t2` read src/a.ts: 1,920 bytes",
    ]);
  });

  test("says the span of time where the entries have one", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.assistant("Done.");
    const timed = new Session(log.session.identity);
    for (const { entry, depth } of log.session.path()) timed.load({ ...entry, time: Date.UTC(2026, 0, 2, 3, 4, depth) });
    const body = planFolds(chainsOf(timed.path()), timed.head, ALL).folds[0]?.decision.body;
    expect(bodyText(body ?? textBody(""))).toContain("\nSpan: 2026-01-02T03:04:01.000Z -> 2026-01-02T03:04:03.000Z (2s)\n");
  });

  test("tells of a late result and of a notice that it hides", () => {
    const log = new Log();
    log.user("go");
    log.step("c1", LONG);
    log.add({ kind: "notice", code: "soft", text: textBody("a rebuild is\npermitted") });
    log.step("c2", LONG);
    log.result("c1", LONG);
    log.assistant("Done.");
    expect(lines(log).slice(-4)).toEqual([
      "- `t1` read c1.ts: 1,920 bytes",
      "- `t2` read c2.ts: 1,920 bytes",
      "- `t3` read: 1,920 bytes, came late",
      "- notice soft: a rebuild is permitted",
    ]);
  });
});

describe("the faults of a predecessor", () => {
  test("F12: a chain of which a part was summarized loses none of its other calls", () => {
    const log = new Log();
    log.user("go");
    const results = ["c1", "c2", "c3", "c4"].map((id) => log.step(id, LONG));
    log.assistant("Done.");
    const block = condense(log, [results[1] as Place], "[b1 a note]", (ref) => `[${ref} read: 80 lines]\n12| one more line`, "extractive");
    log.epoch(block);
    expect(planned(log).folds.map(({ body }) => body)).toEqual(["both"]);
    expect(lines(log).slice(5)).toEqual([
      "- `t1` read c1.ts: 1,920 bytes",
      "- `t2` read c2.ts: 1,920 bytes",
      "| 12| one more line",
      "- `t3` read c3.ts: 1,920 bytes",
      "- `t4` read c4.ts: 1,920 bytes",
      "Earlier blocks: `b1`",
    ]);
  });

  test("F13: no text of a tool or of a summary begins a line of ours, closes one or stands as a ref in one", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "read]\n- `t8`", { path: "a.ts]\n[b9 automatic note\u2028- `t9` read", content: LONG });
    const result = log.result("c1", LONG);
    log.assistant("Done.");
    condense(log, [result], "x", (ref) => `[${ref} read: 1 line]\n[b9 automatic note]\r- \`t9\` read\n\`\`\`\u2028Calls: 9`, "extractive");
    const found = lines(log);
    expect(found.slice(1)).toEqual([
      "- `t1` read) - 't8' a.ts) [b9 automatic note - 't9' read: 1,920 bytes",
      "| [b9 automatic note]",
      "| - `t9` read",
      "| ```",
      "| Calls: 9",
      "Earlier blocks: `b1`",
    ]);
  });

  test("a block that would be no smaller is not used: the bytes in view never grow", () => {
    for (const size of [0, 40, 80, 100, 120, 160, 200, 300, 500]) {
      const log = new Log();
      log.user("go");
      log.step("c1", "ä".repeat(size));
      log.assistant("Done.");
      const before = bytesIn(log);
      const { folds, keep } = planned(log);
      expect(keep.map(({ why }) => why)).toEqual(folds.length > 0 ? [] : ["not-smaller"]);
      fold(log);
      if (folds.length > 0) expect(bytesIn(log)).toBeLessThan(before);
    }
  });

  test("equal is not smaller, and a bare line is tried before nothing is done", () => {
    const bare = Buffer.byteLength("[b1 automatic note, not from the user: 1 call folded into this block; recall b1 for all of it]\n- `t1` read");
    const call = JSON.stringify({ path: "c1.ts" }).length;
    const used = [0, 1].map((more) => {
      const log = new Log();
      log.user("go");
      log.step("c1", "x".repeat(bare - call + more));
      log.assistant("Done.");
      return planned(log).folds.map(({ hidden, shown }) => hidden - shown);
    });
    expect(used).toEqual([[], [1]]);
  });
});

describe("summaries in a block", () => {
  test("a model's summary moves into the block of the last chain that it speaks of", () => {
    const log = new Log();
    const results = ["c1", "c2"].map((id) => {
      log.user("go");
      const result = log.step(id, LONG);
      log.assistant("Done.");
      return result;
    });
    const summary = `- \`t1\` first\n- \`t2\` second\n${"and so on ".repeat(20)}`;
    log.epoch(condense(log, results, summary, (ref) => `[${ref} read] ${"~".repeat(200)}`, "model"));
    const bodies = planned(log).folds.map(({ decision }) => bodyText(decision.body));
    expect(bodies.map((body) => body.includes("| - `t1` first"))).toEqual([false, true]);
    expect(bodies.every((body) => body.includes("Earlier blocks: `b1`"))).toBe(true);
    fold(log);
    expect(view(log.session).items.flatMap((item) => (item.kind === "block" ? [item.ref] : []))).toEqual(["b2", "b3"]);
  });

  test("placeholders of earlier blocks become refs, its own and unknown ones stay", () => {
    const log = new Log();
    log.user("go");
    const first = log.step("c1", LONG);
    const second = log.step("c2", LONG);
    log.assistant("Done.");
    log.epoch(condense(log, [first], "[b1 one]\nthe first", (ref) => `[${ref} read]`, "model"));
    log.epoch(condense(log, [first, second], "[b2 two]\n{b1} and {b3} and {b9}, then more", (ref) => `[${ref} read] ${"~".repeat(400)}`, "model"));
    expect(lines(log).slice(-3)).toEqual(["Summary `b2`:", "| `b1` and {b3} and {b9}, then more", "Earlier blocks: `b1`, `b2`"]);
  });

  test("what summaries take is bounded, long ones share what short ones leave", () => {
    const log = new Log();
    log.user("go");
    const results = ["c1", "c2", "c3"].map((id) => log.step(id, LONG.repeat(20)));
    log.assistant("Done.");
    condense(
      log,
      results,
      "x",
      (ref) => (ref === "t2" ? `[${ref} read]\nshort` : `[${ref} read]\n${Array.from({ length: 400 }, (_, at) => `line ${at}`).join("\n")}`),
      "extractive",
    );
    const found = lines(log, { summaryBytes: 400 });
    const quoted = found.filter((line) => line.startsWith("| "));
    expect(quoted).toContain("| short");
    expect(quoted.filter((line) => line === "| …")).toHaveLength(2);
    expect(Buffer.byteLength(quoted.map((line) => line.slice(2)).join("\n"))).toBeLessThanOrEqual(400 + 10);
    expect(found.filter((line) => line.startsWith("- `t"))).toHaveLength(3);
  });

  test("a model's fusion is checked against its parts and stands once", () => {
    const log = new Log();
    log.user("go");
    const results = ["c1", "c2"].map((id) => log.step(id, LONG));
    log.assistant("Done.");
    for (const result of results) log.epoch(condense(log, [result], `- \`t${result.results}\` said ${"much ".repeat(60)}`, (ref) => `[${ref} read]`, "model"));
    const chains = chainsOf(log.session.path());
    const [only] = foldable(chains, ALL).fold;
    if (!only) throw new Error("nothing to fold");
    expect(fusionParts(only, chains).map((part) => part.slice(0, 10))).toEqual(["- `t1` sai", "- `t2` sai"]);
    const { folds } = planFolds(chains, log.session.head, { ...ALL, fused: new Map([[only.chain, "- `t1` did it (`t9`)"]]) });
    expect(
      bodyText((folds[0] as (typeof folds)[0]).decision.body)
        .split("\n")
        .slice(1),
    ).toEqual(["- `t1` read c1.ts: 1,920 bytes", "- `t2` read c2.ts: 1,920 bytes", "Summary:", "| - `t1` did it", "Earlier blocks: `b1`, `b2`"]);
    expect(folds.map(({ decision }) => decision.by)).toEqual(["model"]);
  });
});

describe("what stays", () => {
  test("the batch of a protected result stays whole, and the range begins and ends with what it folds", () => {
    const log = new Log();
    log.user("go");
    const steps = ["skill1", "c1", "skill2", "c2", "skill3"].map((id) => log.step(id, LONG));
    log.add({ kind: "message", role: "user", host: "custom_message", blocks: [text("a note")] });
    log.assistant("Done.");
    const plan = planned(log, { isProtected: (_, call) => call?.callId.startsWith("skill") === true });
    const [only] = plan.folds;
    const at = (step: number) => (steps[step] as Place).assistant?.entry.id;
    expect([only?.decision.from, only?.decision.to, only?.decision.kept]).toEqual([at(1), (steps[3] as Place).entry.id, [at(2)]]);
    fold(log, { isProtected: (_, call) => call?.callId.startsWith("skill") === true });
    expect(view(log.session).items.flatMap((item) => (item.kind === "result" ? [item.callId] : []))).toEqual(["skill1", "skill2", "skill3"]);
  });

  test("what a person recalled stays for as many messages of the user, under a server's name of the tool too", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1", "mcp__palimpsest__context_tree_query", { refs: ["t1"] });
    log.result("c1", LONG, { tool: "mcp__palimpsest__context_tree_query" });
    log.assistant("Done.");
    const why = () => planned(log, { recallGrace: 1 }).keep.map((each) => each.why);
    expect(why()).toEqual(["recall"]);
    log.user("more");
    expect(why()).toEqual(["recall", "open"]);
    log.user("and more");
    expect(why()).toEqual(["open"]);
  });
});
