// How many calls run at once, and what becomes of those that wait.
import { expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { withLimit } from "./limit.ts";
import { scriptedModel } from "./scripted.ts";

const ASK = { messages: [] };

test.each([1, 2, 4, 9])("never more than %i, each of nine answered once, in the order they came", async (concurrency) => {
  const clock = manualClock();
  let running = 0;
  let most = 0;
  const inner = scriptedModel((_, n) => ({ parts: [`${n}`], everyMs: 10 }), { clock });
  const counted = {
    ...inner,
    generate: async (...call: Parameters<typeof inner.generate>) => {
      most = Math.max(most, ++running);
      return inner.generate(...call).finally(() => running--);
    },
  };
  const model = withLimit(counted, { concurrency });
  const calls = Array.from({ length: 9 }, () => outcome(model.generate(ASK, { signal: new AbortController().signal })));
  await clock.pass(1000);
  expect(await Promise.all(calls)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(most).toBe(concurrency);
});

test.each([
  ["signal", "aborted"],
  ["deadline", "deadline"],
] as const)("ended by its %s while it waits, a call ends at once and is never asked; the next one is", async (by, code) => {
  const clock = manualClock();
  const inner = scriptedModel((_, n) => ({ parts: [`${n}`], everyMs: 10 }), { clock });
  const model = withLimit(inner, { concurrency: 1 });
  const stop = new AbortController();
  const first = outcome(model.generate(ASK));
  const second = outcome(model.generate(ASK, { [by]: stop.signal }));
  const third = outcome(model.generate(ASK));
  await clock.pass(1);
  stop.abort();
  expect(await second).toBe(code);
  await clock.pass(100);
  expect([await first, await third, inner.requests.length]).toEqual(["0", "1", 2]);
});

test("a failure frees its place", async () => {
  const model = withLimit(scriptedModel([transient(), "good"]), { concurrency: 1 });
  expect(await Promise.all([outcome(model.generate(ASK)), outcome(model.generate(ASK))])).toEqual(["http-500", "good"]);
});
