// What is proposed at which of Pi's boundaries: nothing at an error or an abort, and nothing that stops Pi's own recovery.
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { LiveSession } from "../../src/hosts/pi/live.ts";
import { call, calls, fail, output, pi, SOON, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, expectRecalled, pathOf, recordsOf } from "./oracle.ts";

/** Due at every boundary. */
const ALWAYS = { condense: { ...SOON.condense, keepNewest: 0, triggers: { ...SOON.condense.triggers, everyRequests: 1 } } };
/** Pi compacts by itself, at an overflow. */
const COMPACTS = { compaction: { enabled: true, keepRecentTokens: 20 } };
const OVERFLOW = "prompt is too long: 213462 tokens > 200000 maximum";

/** Notes what is proposed at each boundary, and what Pi does of itself. */
function watching(): { readonly log: string[]; readonly watcher: ExtensionFactory } {
  const log: string[] = [];
  const watcher: ExtensionFactory = (api) => {
    api.on("turn_end", ({ outcome, entries }) => {
      log.push(`turn_end ${outcome}: ${entries.length > 0 ? "a batch" : "nothing"}`);
    });
    api.on("agent_before_settle", ({ outcome, entries }) => {
      log.push(`settle ${outcome}: ${entries.length > 0 ? "a batch" : "nothing"}`);
    });
    api.on("session_before_compact", ({ reason, preparation }) => {
      log.push(`compacts: ${reason}`);
      const { firstKeptEntryId, tokensBefore } = preparation;
      return { compaction: { summary: "Pi's own summary", firstKeptEntryId, tokensBefore } };
    });
  };
  return { log, watcher };
}

describe("at a turn that failed", () => {
  test("nothing is proposed, so that Pi compacts and tries again (f3, f6)", async () => {
    const { log, watcher } = watching();
    const run = await pi({ answers: [call(0), call(1), fail(OVERFLOW), say("recovered")], after: [watcher], policy: SOON, settings: COMPACTS });
    await run.session.prompt("go");
    expect(log).toEqual([
      "turn_end completed: nothing",
      "turn_end completed: nothing",
      "turn_end error: nothing",
      "compacts: overflow",
      "turn_end completed: nothing",
      "settle completed: nothing",
    ]);
    expect(run.requests).toHaveLength(4);
    expect(textOf(run.requests.at(-1)?.[0] as never)).toContain("Pi's own summary");
    await expectOracle(run);
    await expectRecalled(run.file, { t1: output(0), t2: output(1) });
    expectOnce(run.file);
    await run.close();
  });

  test("a retry sends what the attempt before it sent", async () => {
    const { log, watcher } = watching();
    const run = await pi({ answers: [call(0), call(1), fail("500 internal server error"), say("recovered")], after: [watcher], policy: SOON });
    await run.session.prompt("go");
    expect(log).toEqual([
      "turn_end completed: nothing",
      "turn_end completed: nothing",
      "turn_end error: nothing",
      "turn_end completed: nothing",
      "settle completed: a batch",
    ]);
    expect(run.requests[3]?.slice(0, run.requests[2]?.length)).toEqual(run.requests[2]);
    await expectOracle(run);
    await run.close();
  });

  test("nothing is proposed at the end of a run that failed; the next run's end does it", async () => {
    const { log, watcher } = watching();
    const run = await pi({ answers: [call(0), call(1), fail("it is broken"), say("done"), say("done")], after: [watcher], policy: SOON });
    await run.session.prompt("go");
    expect(log.slice(-2)).toEqual(["turn_end error: nothing", "settle error: nothing"]);
    await run.session.prompt("again");
    expect(log.slice(-2)).toEqual(["turn_end completed: nothing", "settle completed: a batch"]);
    await run.session.prompt("and again");
    expect(textOf(run.requests.at(-1)?.find(({ role }) => role === "toolResult") as never)).toMatch(/^\[t1 dump/);
    await expectOracle(run);
    await run.close();
  });
});

describe("an abort", () => {
  test("between two parallel tools: both results have their refs, nothing raw is lost, and the aborted turn proposes nothing", async () => {
    const { log, watcher } = watching();
    let abort = () => {};
    const aborter: ExtensionFactory = (api) => {
      api.on("tool_execution_end", ({ isError }) => {
        if (!isError) abort();
      });
    };
    const answers = [calls({ n: 0 }, { n: 1, wait: true }), say("never said"), say("after the abort"), say("later")];
    const run = await pi({ answers: [answers[0] as never, answers[2] as never, answers[3] as never], after: [aborter, watcher], policy: ALWAYS });
    abort = () => void run.session.abort();
    await run.session.prompt("go");
    expect(log).toEqual(["turn_end completed: a batch", "turn_end aborted: nothing"]);
    await run.session.prompt("go on");
    const results = (run.requests.at(-1) ?? []).filter(({ role }) => role === "toolResult");
    expect(results.map((result) => textOf(result).slice(0, 8))).toEqual(["[t1 dump", "it was a"]);
    expect(results.map((result) => "isError" in result && result.isError)).toEqual([false, true]);
    await expectOracle(run);
    await expectRecalled(run.file, { t1: output(0), t2: "it was aborted" });
    await run.close();
  });

  test("while the model speaks: the half answer is in the file and in no request, and the next run goes on", async () => {
    let abort = () => {};
    const answers = [
      call(0),
      call(1),
      async () => {
        abort();
        return say("half") as never;
      },
      say("done"),
      say("later"),
    ];
    const { log, watcher } = watching();
    const run = await pi({ answers, after: [watcher], policy: SOON });
    abort = () => void run.session.abort();
    await run.session.prompt("go");
    expect(log.at(-1)).toBe("turn_end aborted: nothing");
    await run.session.prompt("go on");
    await run.session.prompt("and on");
    expect(pathOf(recordsOf(run.file)).some(({ message }) => message?.stopReason === "aborted")).toBe(true);
    await expectOracle(run);
    await expectRecalled(run.file, { t1: output(0), t2: output(1) });
    expectOnce(run.file);
    await run.close();
  });
});

describe("the end of a run (k)", () => {
  test("its batch stands behind the final answer, wakes no further run, and the next prompt's request holds it", async () => {
    const run = await pi({ answers: [call(0), call(1), say("done"), say("more")], policy: SOON });
    await run.session.prompt("go");
    expect(run.requests).toHaveLength(3);
    expect(
      recordsOf(run.file)
        .slice(-4)
        .map(({ type }) => type),
    ).toEqual(["custom", "custom_message", "context_edit", "custom"]);
    await run.session.prompt("more");
    expect((run.requests.at(-1) ?? []).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
      "toolResult",
      "assistant",
      "user",
      "user",
    ]);
    expect((run.requests.at(-1) ?? []).slice(-3).map((message) => textOf(message).slice(0, 38))).toEqual([
      "done",
      "[b1 automatic note, not from the user:",
      "more",
    ]);
    await expectOracle(run);
    await run.close();
  });
});

describe("call ids that come again (c)", () => {
  test("in two turns, in two runs and twice in one message: each result keeps its own ref and stub", async () => {
    const same = "call_1";
    const answers = [
      call(0, {}, same),
      call(1, {}, same),
      say("one"),
      call(2, {}, same),
      calls({ n: 3, id: "dup" }, { n: 4, id: "dup" }),
      call(5, {}, same),
      say("two"),
      say("three"),
    ];
    const run = await pi({ answers, policy: SOON });
    for (const prompt of ["one", "two", "three"]) await run.session.prompt(prompt);
    const results = (run.requests.at(-1) ?? []).filter(({ role }) => role === "toolResult").map(textOf);
    expect(results).toHaveLength(6);
    for (const [n, text] of results.entries()) {
      if (n === 5) expect(text).toBe(output(5));
      else expect(text.split("\n")[0]).toMatch(new RegExp(`^\\[t${n + 1} dump`));
      expect(text).toContain(`handler${n}_0`);
    }
    await expectOracle(run);
    await expectRecalled(run.file, Object.fromEntries(results.map((_, n) => [`t${n + 1}`, output(n)])));
    expectOnce(run.file);
    await run.close();
  });
});

test("where nothing is new the status line is not made again, and no view is walked", async () => {
  const run = await pi({ answers: [call(0), call(1), call(2), say("done"), call(3, { lines: 1 }), say("more"), say("the end"), say("and out")], policy: SOON });
  for (const prompt of ["one", "two", "three"]) await run.session.prompt(prompt);
  const walked = vi.spyOn(LiveSession.prototype, "view");
  await run.session.prompt("four");
  expect(walked).not.toHaveBeenCalled();
  walked.mockRestore();
  await run.close();
});
