// Every call ends: silence and length are bounded, whatever the model does.
import { describe, expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import type { CallOptions, Model } from "./model.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";
import { withTimeouts } from "./timeouts.ts";

const ASK = { messages: [] };

test.each<[string, ScriptedAnswer, { idleMs: number; ceilingMs: number }, string, number]>([
  ["a reply at once", "done", { idleMs: 20, ceilingMs: 100 }, "done", 0],
  ["silence before the first byte", { hang: "until-aborted" }, { idleMs: 20, ceilingMs: 100 }, "idle-timeout", 20],
  ["a model that ignores its signal", { hang: "for-ever" }, { idleMs: 20, ceilingMs: 100 }, "idle-timeout", 20],
  ["parts that come in time, longer than the silence", { parts: ["a", "b", "c"], everyMs: 15 }, { idleMs: 20, ceilingMs: 100 }, "abc", 45],
  ["parts that come too late", { parts: ["a", "b"], everyMs: 21 }, { idleMs: 20, ceilingMs: 100 }, "idle-timeout", 20],
  ["parts without end", { parts: Array(50).fill("a"), everyMs: 15 }, { idleMs: 20, ceilingMs: 100 }, "ceiling", 100],
  ["no bound of silence", { parts: ["a", "b"], everyMs: 45 }, { idleMs: 0, ceilingMs: 100 }, "ab", 90],
  ["no ceiling", { parts: Array(50).fill("a"), everyMs: 15 }, { idleMs: 20, ceilingMs: 0 }, "a".repeat(50), 750],
  ["a failure of its own", transient("http-500"), { idleMs: 20, ceilingMs: 100 }, "http-500", 0],
])("%s", async (_, answer, bounds, expected, after) => {
  const clock = manualClock();
  const start = clock.now();
  let ended: number | undefined;
  const call = outcome(withTimeouts(scriptedModel([answer], { clock }), { ...bounds, clock }).generate(ASK)).finally(() => {
    ended = clock.now() - start;
  });
  await clock.pass(5000);
  expect(await call).toBe(expected);
  expect(ended).toBe(after);
  expect(clock.pending()).toBe(0);
});

describe("the model behind", () => {
  test("is told by its signal, and what it says later is not heard", async () => {
    const clock = manualClock();
    let inner: CallOptions | undefined;
    const model: Model = {
      name: "a/b",
      generate: (_, options) => {
        inner = options;
        return new Promise(() => {});
      },
    };
    let events = 0;
    const call = outcome(withTimeouts(model, { idleMs: 20, ceilingMs: 0, clock }).generate(ASK, { onEvent: () => (events += 1) }));
    inner?.onEvent?.();
    await clock.pass(20);
    expect(await call).toBe("idle-timeout");
    expect(inner?.signal?.aborted).toBe(true);
    inner?.onEvent?.();
    expect([events, clock.pending()]).toEqual([1, 0]);
  });

  test("may throw instead of rejecting", async () => {
    const model: Model = {
      name: "a/b",
      generate: () => {
        throw transient("thrown");
      },
    };
    expect(await outcome(withTimeouts(model, { idleMs: 20, ceilingMs: 0, clock: manualClock() }).generate(ASK))).toBe("thrown");
  });
});

test.each(["until-aborted", "for-ever"] as const)("given up, a model that hangs %s ends at once", async (hang) => {
  const clock = manualClock();
  const stop = new AbortController();
  const call = outcome(withTimeouts(scriptedModel([{ hang }], { clock }), { idleMs: 0, ceilingMs: 0, clock }).generate(ASK, { signal: stop.signal }));
  stop.abort();
  expect(await call).toBe("aborted");
  expect(clock.pending()).toBe(0);
});

test.each(["until-aborted", "for-ever"] as const)("at its deadline a call ends at once, whatever a model does that hangs %s", async (hang) => {
  const clock = manualClock();
  const deadline = new AbortController();
  let inner: CallOptions | undefined;
  const scripted = scriptedModel([{ hang }], { clock });
  const model: Model = {
    name: "a/b",
    generate: (request, options) => {
      inner = options;
      return scripted.generate(request, options);
    },
  };
  const call = withTimeouts(model, { idleMs: 0, ceilingMs: 0, clock }).generate(ASK, { deadline: deadline.signal });
  deadline.abort();
  await expect(call).rejects.toMatchObject({ class: "transient", code: "deadline", message: expect.stringContaining("models.ceilingSeconds") });
  expect([inner?.signal?.aborted, clock.pending()]).toEqual([true, 0]);
});

test("a deadline that has passed asks nothing, and who gives up has given up", async () => {
  const model = scriptedModel(["x", "x"]);
  const timed = withTimeouts(model, { idleMs: 20, ceilingMs: 20, clock: manualClock() });
  const deadline = AbortSignal.abort();
  expect(await outcome(timed.generate(ASK, { deadline }))).toBe("deadline");
  expect(await outcome(timed.generate(ASK, { deadline, signal: AbortSignal.abort() }))).toBe("aborted");
  expect(model.requests).toHaveLength(0);
});
