// What condensing without a model does by its policy, in whole sessions: what no test of a single part shows.
//
// | behaviour                        | where else it is tested                                              |
// | -------------------------------- | -------------------------------------------------------------------- |
// | grouping                         | `batches.test.ts`                                                    |
// | budget and growth                | F1 and F20, `triggers.test.ts`                                       |
// | dedupe                           | F6, `dedupe.test.ts`                                                 |
// | footer, labels, inline refs      | F11, `labels.test.ts`, `condense.test.ts`                            |
// | rows of a block                  | F12, `fold.test.ts`                                                  |
// | arguments of failed calls        | F2, F3 and F20, `arguments.test.ts`                                  |
// | summaries by a model, their cost | left out: they need one                                              |
import { describe, expect, test } from "vitest";
import { type Condensed, condense, type RequestSeen } from "../../src/condense/index.ts";
import { type CondensePolicy, DEFAULT_POLICY } from "../../src/config/index.ts";
import { type EntryId, refOf, textBody } from "../../src/session/index.ts";
import { itemText, pairFaults } from "../../src/view/index.ts";
import { Log } from "../build/log.ts";
import { AT_THE_END, eager } from "../build/policies.ts";
import { code, inPlaceOf, items, original, texts, wholeText } from "./sessions.ts";

function fates({ results }: Condensed): string[] {
  return results.map(({ fate }) => (fate.kind === "kept" ? fate.why : fate.kind));
}

function called(log: Log, callId: string, tool: string, input: unknown, output: string, status: "ok" | "error" = "ok"): void {
  log.assistant();
  log.call(callId, tool, input);
  log.result(callId, output, { tool, status });
}

describe("spilling", () => {
  const rows = (word: string, count = 400) => Array.from({ length: count }, (_, n) => `${word} ${n}: größe of the row`).join("\n");
  const policy = (changes: Partial<CondensePolicy> = {}) => eager(2, { spillThreshold: 5000, spillPreviewBytes: 100, ...changes });

  test("the preview is cut back to whole lines, and an error says that it is one", () => {
    const log = new Log();
    log.user("go");
    called(log, "c1", "bash", { command: "report" }, rows("row"), "error");
    log.assistant("done");
    const { after } = condense(log.session, policy());
    const [header, ...lines] = inPlaceOf(after, "t1").split("\n");
    expect(header).toMatch(/^\[t1 bash: 400 lines, [\d,]+ bytes, error, too large to show whole: recall t1 gives it in pages\]$/);
    const preview = lines.slice(0, lines.indexOf("…"));
    expect(preview).toEqual(rows("row").split("\n").slice(0, preview.length));
    expect(Buffer.byteLength(preview.join("\n"))).toBeLessThanOrEqual(100);
    expect(Buffer.byteLength(rows("row", preview.length + 1))).toBeGreaterThan(100);
    expect(items(after, "stub")).toMatchObject([{ status: "error" }]);
  });

  test("no request ever holds the whole, and no epoch makes a second stub of it", () => {
    const log = new Log();
    log.user("go");
    called(log, "c1", "bash", { command: "report" }, rows("row"));
    for (let n = 0; n < 8; n++) log.step(`r${n}`, `${n}\n${code()}`);
    log.assistant("done");
    const stubs = new Set<string>();
    const { session, epochs } = condense(log.session, policy(), {
      onRequest: ({ small, index }) => index > 1 && stubs.add(inPlaceOf(small, "t1")),
    });
    expect(epochs.length).toBeGreaterThan(3);
    expect(stubs.size).toBe(1);
    expect([...stubs][0]).not.toContain("row 200");
    const large = session.path().find((place) => refOf(place) === "t1")?.entry.id as EntryId;
    const onIt = session.path().flatMap(({ entry: { data } }) => {
      if (data.kind === "replace" && data.target === large) return [data.mode];
      return data.kind === "condense" && data.targets.includes(large) ? ["condense"] : [];
    });
    expect(onIt).toEqual(["spill"]);
    expect(original(session, "t1")).toBe(rows("row"));
  });

  test("one that says the same as another says only that, and has a ref of its own all the same", () => {
    const log = new Log();
    log.user("go");
    for (const id of ["c1", "c2"]) called(log, id, "bash", { command: "report" }, rows("row"));
    log.assistant("done");
    const { session, after } = condense(log.session, policy());
    expect(inPlaceOf(after, "t2")).toMatch(/^\[t2 bash: 400 lines, [\d,]+ bytes, the same as t1\]$/);
    expect([original(session, "t1"), original(session, "t2")]).toEqual([rows("row"), rows("row")]);
  });

  test("one that is protected is shown whole", () => {
    const log = new Log();
    log.user("go");
    called(log, "c1", "bash", { command: "report" }, rows("row"));
    log.assistant("done");
    const condensed = condense(log.session, policy({ protectedTools: ["bash"] }));
    expect(condensed.results.map(({ fate }) => fate)).toEqual([{ kind: "protected", rule: "bash" }]);
    expect(inPlaceOf(condensed.after, "t1")).toBe(rows("row"));
  });
});

describe("protection", () => {
  function chain(): Log {
    const log = new Log();
    log.user("task");
    log.step("c1", code(60, "one"));
    called(log, "c2", "read", { file_path: "C:\\Users\\dev\\skills\\review\\SKILL.md" }, code(60, "skill"));
    log.step("c3", code(60, "three"));
    called(log, "c4", "remember", { text: "a fact" }, code(60, "fact"));
    log.step("c5", code(60, "five"));
    log.assistant("done");
    return log;
  }

  test("a protected result stays whole in a chain that is folded around it", () => {
    const condensed = condense(chain().session, { ...eager(0), chains: { fold: true, rollingWindow: 0 }, protectedTools: ["remember"] });
    expect(fates(condensed)).toEqual(["folded", "protected", "folded", "protected", "folded"]);
    expect(texts(condensed.after, "result")).toEqual([code(60, "skill"), code(60, "fact")]);
    const rows = texts(condensed.after, "block")[0]
      ?.split("\n")
      .filter((line) => line.startsWith("- "));
    expect(rows?.map((row) => /`(t\d)`/.exec(row)?.[1])).toEqual(["t1", "t3", "t5"]);
    expect(pairFaults(condensed.after)).toEqual([]);
  });

  test("what was condensed before it was protected stays a stub; what comes then is whole", () => {
    const before = condense(chain().session, AT_THE_END);
    const after = condense(before.session, { ...AT_THE_END, protectedTools: ["read", "remember"] });
    expect(after.after.hash()).toBe(before.after.hash());
  });
});

describe("what was recalled", () => {
  function session(users: number): Log {
    const log = new Log();
    log.user("task");
    log.step("c1", code(60, "one"));
    called(log, "c2", "context_tree_query", { refs: ["t1"] }, `${code(60, "one")}\nback`);
    log.step("c3", code(60, "three"));
    log.assistant("done");
    for (let n = 0; n < users; n++) {
      log.user(`more ${n}`);
      log.step(`m${n}`, code(60, `more${n}_`));
      log.assistant("yes");
    }
    return log;
  }

  test("keeps its chain from being folded as long as it is in grace", () => {
    const folded = (users: number, recallGrace: number) =>
      condense(session(users).session, { ...eager(0), chains: { fold: true, rollingWindow: 0 }, recallGrace })
        .results.slice(0, 3)
        .map(({ fate }) => fate.kind === "folded");
    expect(folded(3, 3)).toEqual([false, false, false]);
    expect(folded(4, 3)).toEqual([true, true, true]);
    expect(folded(1, 1)).toEqual([false, false, false]);
    expect(folded(0, 0)).toEqual([true, true, true]);
  });
});

describe("pairs", () => {
  test("a second result for one call is late: one line with a ref of its own, and the first one stands", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.call("c1");
    log.result("c1", `first\n${code()}`);
    log.result("c1", `second\n${code()}`);
    log.assistant("done");
    const condensed = condense(log.session, AT_THE_END);
    expect(fates(condensed)).toEqual(["condensed", "late"]);
    expect(texts(condensed.after, "late")).toEqual(["[t2 read: a result that answers no call in view; recall t2 for the original]"]);
    expect([original(condensed.session, "t1"), original(condensed.session, "t2")]).toEqual([`first\n${code()}`, `second\n${code()}`]);
    expect(pairFaults(condensed.after)).toEqual([]);
  });

  test("a result whose summary was asked for is left to who makes it, and its original is never shown", () => {
    const log = new Log();
    log.user("go");
    log.assistant();
    log.add({ kind: "call", callId: "c1", tool: "read", input: textBody("{}"), summarize: true });
    log.result("c1", code());
    log.step("c2", code(60, "two"));
    log.assistant("done");
    const condensed = condense(log.session, AT_THE_END);
    expect(fates(condensed)).toEqual(["summary-asked-for", "condensed"]);
    expect(inPlaceOf(condensed.after, "t1")).toMatch(/^\[t1 read: a summary was asked for/);
    expect(wholeText(condensed.after)).not.toContain("handler0");
    expect(original(condensed.session, "t1")).toBe(code());
  });
});

describe("epochs", () => {
  function steps(count: number, lines = 60): Log {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < count; n++) log.step(`c${n}`, `${n}\n${code(lines, `part${n}_`)}`);
    log.assistant("done");
    return log;
  }
  const during = (log: Log, changes: Partial<CondensePolicy["triggers"]>) =>
    condense(log.session, { ...eager(4), triggers: { ...eager(4).triggers, ...changes } }).epochs.filter(({ cause }) => cause !== "on-demand");

  test("one that is not earned back soon enough is not made", () => {
    const all = during(steps(16), {});
    expect(all.map(({ request }) => request)).toEqual([5, 9, 13, 17]);
    const pays = all.map(({ cost }) => cost.paysAfterRequests as number);
    expect(during(steps(16), { paysWithin: Math.max(...pays) })).toHaveLength(4);
    expect(during(steps(16), { paysWithin: Math.min(...pays) - 1 })).toEqual([]);
  });

  test("none is made before the context and the saving are worth it, small results alone make none", () => {
    const seen: RequestSeen[] = [];
    const minContext = 6000;
    condense(steps(16).session, { ...eager(4), triggers: { ...eager(4).triggers, minContext } }, { onRequest: (request) => seen.push(request) });
    const first = seen.find(({ epoch }) => epoch) as RequestSeen;
    expect(first.index).toBeGreaterThan(5);
    expect((seen[first.index - 2] as RequestSeen).small.tokens).toBeLessThan(minContext);
    expect(during(steps(16), { minSaving: 1_000_000 })).toEqual([]);
    expect(condense(steps(16, 1).session, { ...eager(4), smallResult: 120 }).epochs).toEqual([]);
  });

  test("a stub takes no more than its share of the result, within its least and its most", () => {
    const size = (stub: Partial<CondensePolicy["stub"]>, lines: number) => {
      const found = condense(steps(1, lines).session, { ...AT_THE_END, stub: { ...DEFAULT_POLICY.condense.stub, ...stub } });
      const [fate] = found.results.map(({ fate: each }) => each);
      return { tokens: fate && "tokens" in fate ? fate.tokens : 0, of: found.results[0]?.tokens as number };
    };
    const header = 20;
    const whole = size({}, 200);
    expect(whole.tokens).toBeLessThanOrEqual(0.4 * whole.of + header);
    expect(size({ share: 0.1 }, 200).tokens).toBeLessThanOrEqual(0.1 * whole.of + header);
    expect(size({ max: 100 }, 200).tokens).toBeLessThanOrEqual(100 + header);
    expect(size({ share: 0, min: 100 }, 200).tokens).toBeGreaterThan(50);
    expect(size({ share: 0, min: 0 }, 200).tokens).toBeLessThanOrEqual(header);
  });

  test("where thinking is to stay it stays, whatever is condensed", () => {
    const log = new Log();
    log.user("go");
    for (let n = 0; n < 4; n++) {
      log.add({ kind: "message", role: "assistant", blocks: [{ type: "thinking", body: textBody(`thought ${n}`) }] });
      log.call(`c${n}`);
      log.result(`c${n}`, code(60, `part${n}_`));
    }
    log.assistant("done");
    const thoughts = (dropThinking: boolean) =>
      condense(log.session, { ...AT_THE_END, dropThinking }).after.items.filter(
        (item) => "blocks" in item && item.blocks.some(({ type }) => type === "thinking"),
      ).length;
    expect([thoughts(false), thoughts(true)]).toEqual([4, 0]);
  });

  test("a step that was made once is as it was for every later request until the next epoch, byte for byte", () => {
    const shown = new Map<string, Set<string>>();
    const { epochs } = condense(steps(12).session, eager(4), {
      onRequest: ({ small }) => {
        for (const item of small.items)
          if (item.kind === "stub") shown.set(item.ref as string, (shown.get(item.ref as string) ?? new Set()).add(itemText(item)));
      },
    });
    expect(epochs.length).toBeGreaterThan(2);
    expect([...shown.values()].map(({ size }) => size)).toEqual(Array(12).fill(1));
  });
});
