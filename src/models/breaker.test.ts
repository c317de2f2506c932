// When a model is not asked any more, and when again.
import { expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { withBreaker } from "./breaker.ts";
import { ModelError } from "./model.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";

const ASK = { messages: [] };
const failed = (kind: "auth" | "invalid" | "aborted" | "budget") => new ModelError(kind, kind, kind);

/** Outcomes of calls one after the other; a number lets so many milliseconds pass. */
async function run(answers: readonly ScriptedAnswer[], steps: readonly (number | "call")[]): Promise<readonly string[]> {
  const clock = manualClock();
  const model = withBreaker(scriptedModel(answers, { clock }), { failures: 3, cooldownMs: 1000, clock });
  const outcomes: string[] = [];
  for (const step of steps) {
    if (step === "call") outcomes.push(await outcome(model.generate(ASK)));
    else await clock.pass(step);
  }
  return outcomes;
}

const F = transient();
const call = "call";

test.each<[string, readonly ScriptedAnswer[], readonly (number | "call")[], readonly string[]]>([
  ["three failures in a row", [F, F, F, "x"], [call, call, call, call], ["http-500", "http-500", "http-500", "open: http-500"]],
  ["of any class", [F, failed("auth"), failed("invalid"), "x"], [call, call, call, call], ["http-500", "auth", "invalid", "open: invalid"]],
  ["not in a row", [F, F, "a", F, F, "b"], [call, call, call, call, call, call], ["http-500", "http-500", "a", "http-500", "http-500", "b"]],
  [
    "what says nothing about the model does not count",
    [F, F, failed("aborted"), failed("budget"), "a"],
    Array(5).fill(call),
    ["http-500", "http-500", "aborted", "budget", "a"],
  ],
  ["not before the cooldown is over", [F, F, F, "x"], [call, call, call, 999, call], ["http-500", "http-500", "http-500", "open: http-500"]],
  [
    "a probe that succeeds closes it",
    [F, F, F, "a", F, F, "b"],
    [call, call, call, 1000, ...Array(4).fill(call)],
    ["http-500", "http-500", "http-500", "a", "http-500", "http-500", "b"],
  ],
  [
    "a probe that fails opens it anew",
    [F, F, F, F, "x"],
    [call, call, call, 1000, call, 999, call],
    ["http-500", "http-500", "http-500", "http-500", "open: http-500"],
  ],
  [
    "a probe that is given up leaves the next one",
    [F, F, F, failed("aborted"), "a"],
    [call, call, call, 1000, call, call],
    ["http-500", "http-500", "http-500", "aborted", "a"],
  ],
])("%s", async (_, answers, steps, expected) => {
  expect(await run(answers, steps)).toEqual(expected);
});

test("while the probe runs all others fail at once", async () => {
  const clock = manualClock();
  const inner = scriptedModel([F, F, F, { parts: ["a"], everyMs: 50 }, "b"], { clock });
  const model = withBreaker(inner, { failures: 3, cooldownMs: 1000, clock });
  for (let n = 0; n < 3; n++) await outcome(model.generate(ASK));
  await clock.pass(1000);
  const probe = outcome(model.generate(ASK));
  expect(await outcome(model.generate(ASK))).toBe("open: http-500");
  await clock.pass(50);
  expect(await probe).toBe("a");
  expect(inner.requests).toHaveLength(4);
});

test("calls that began before it opened neither keep it open nor close it", async () => {
  const clock = manualClock();
  const slow: ScriptedAnswer = { parts: ["late"], everyMs: 500 };
  const model = withBreaker(scriptedModel([slow, F, F, F, "x"], { clock }), { failures: 3, cooldownMs: 1000, clock });
  const late = outcome(model.generate(ASK));
  for (let n = 0; n < 3; n++) await outcome(model.generate(ASK));
  await clock.pass(500);
  expect(await late).toBe("late");
  expect(await outcome(model.generate(ASK))).toBe("open: http-500");
});

test("the failure says of which model, why, and for how long", async () => {
  const clock = manualClock();
  const model = withBreaker(scriptedModel([F], { name: "mine/m", clock }), { failures: 1, cooldownMs: 5000, clock });
  await outcome(model.generate(ASK));
  await clock.pass(2000);
  await expect(model.generate(ASK)).rejects.toMatchObject({
    class: "open",
    message: "mine/m failed too often in a row (last: http-500) and is not asked for another 3 s.",
    retryAfter: 3000,
  });
});

test("a deadline that passed while it was asked counts, one that had passed before does not", async () => {
  const inner = scriptedModel([F, F, transient("deadline"), "x"]);
  const model = withBreaker(inner, { failures: 3, cooldownMs: 1000, clock: manualClock() });
  const tooLate = { deadline: AbortSignal.abort() };
  expect([await outcome(model.generate(ASK)), await outcome(model.generate(ASK))]).toEqual(["http-500", "http-500"]);
  for (let n = 0; n < 3; n++) expect(await outcome(model.generate(ASK, tooLate))).toBe("deadline");
  expect([await outcome(model.generate(ASK)), await outcome(model.generate(ASK))]).toEqual(["deadline", "open: deadline"]);
  expect(inner.requests).toHaveLength(3);
});
