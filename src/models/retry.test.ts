// Which failures are tried again, when, and how often.
import { expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { ModelError, type ModelErrorClass } from "./model.ts";
import { withRetries } from "./retry.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";

const ASK = { messages: [] };

/** The outcome, the number of requests, and the milliseconds that it took. */
async function run(answers: readonly ScriptedAnswer[], { retries = 3, random = (): number => 0 } = {}): Promise<readonly [string, number, number]> {
  const clock = manualClock();
  const start = clock.now();
  const model = scriptedModel(answers, { clock });
  let took = 0;
  const call = outcome(withRetries(model, { retries, clock, random }).generate(ASK)).finally(() => {
    took = clock.now() - start;
  });
  await clock.pass(1_000_000);
  return [await call, model.requests.length, took];
}

test.each<[string, readonly ScriptedAnswer[], readonly [string, number, number]]>([
  ["a good answer is not asked for twice", ["good"], ["good", 1, 0]],
  ["one failure", [transient(), "good"], ["good", 2, 1000]],
  ["waits double", [transient(), transient(), transient(), "good"], ["good", 4, 7000]],
  ["the last failure is told", [transient(), transient(), transient(), transient("last"), "good"], ["last", 4, 7000]],
  ["what the provider asks for is kept", [transient("http-429", 30_000), "good"], ["good", 2, 30_000]],
  ["less than the own wait is not", [transient("http-429", 10), "good"], ["good", 2, 1000]],
  ["a minute is waited for", [transient("http-429", 60_000), "good"], ["good", 2, 60_000]],
  ["more is a failure now", [transient("http-429", 60_001), "good"], ["http-429", 1, 0]],
])("%s", async (_, answers, expected) => {
  expect(await run(answers)).toEqual(expected);
});

test.each<ModelErrorClass>(["overflow", "auth", "invalid", "aborted", "open", "budget"])("%s is not tried again", async (kind) => {
  expect(await run([new ModelError(kind, "x", "x"), "good"])).toEqual([kind === "open" ? "open: x" : "x", 1, 0]);
});

test("the jitter takes off at most a half, and nothing of what the provider asks for", async () => {
  expect(await run([transient(), "good"], { random: () => 1 })).toEqual(["good", 2, 500]);
  expect(await run([transient("http-429", 900), "good"], { random: () => 1 })).toEqual(["good", 2, 900]);
});

test("no retries, no wait", async () => {
  expect(await run([transient(), "good"], { retries: 0 })).toEqual(["http-500", 1, 0]);
});

test("given up during the wait, it ends at once and asks no more", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const model = scriptedModel([transient(), "good"], { clock });
  const call = outcome(withRetries(model, { retries: 3, clock, random: () => 0 }).generate(ASK, { signal: stop.signal }));
  await clock.pass(500);
  stop.abort();
  expect(await call).toBe("aborted");
  expect([model.requests.length, clock.pending()]).toEqual([1, 0]);
});

test("a deadline is not tried again, and ends the wait for another try", async () => {
  expect(await run([transient("deadline"), "good"])).toEqual(["deadline", 1, 0]);
  const clock = manualClock();
  const deadline = new AbortController();
  const model = scriptedModel([transient(), "good"], { clock });
  const call = outcome(withRetries(model, { retries: 3, clock, random: () => 0 }).generate(ASK, { deadline: deadline.signal }));
  await clock.pass(500);
  deadline.abort();
  expect(await call).toBe("deadline");
  expect([model.requests.length, clock.pending()]).toEqual([1, 0]);
});

const IDLE = transient("idle-timeout");
const CEILING = transient("ceiling");

test.each<[string, readonly ScriptedAnswer[], number, readonly [string, number]]>([
  ["a timeout is tried again once", [IDLE, "good"], 3, ["good", 2]],
  ["and not again, whatever there is left", [IDLE, CEILING, "good"], 9, ["ceiling", 2]],
  ["other failures between them change nothing", [CEILING, transient(), IDLE, "good"], 9, ["idle-timeout", 3]],
  ["they have tries of their own", [transient(), IDLE, transient(), "good"], 3, ["good", 4]],
  ["without retries not even once", [IDLE, "good"], 0, ["idle-timeout", 1]],
])("%s", async (_, answers, retries, expected) => {
  expect((await run(answers, { retries })).slice(0, 2)).toEqual(expected);
});
