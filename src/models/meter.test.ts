// What calls cost, what is not known of it, and the budget that is kept.
import { describe, expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { createMeter, inputEstimate } from "./meter.ts";
import { ModelError, type ModelPrice, type ModelUsage } from "./model.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";

const ASK = { messages: [{ role: "user", text: "word ".repeat(100) }], maxOutputTokens: 50 } as const;
const INPUT = inputEstimate(ASK);
const PRICE: ModelPrice = { input: 2, output: 10, cacheRead: 0.5 };
const usage = (input: number | undefined, cacheRead: number | undefined, output: number | undefined): ModelUsage => ({ input, cacheRead, output });
const unknown = usage(undefined, undefined, undefined);

test.each<[string, ScriptedAnswer, ModelPrice | undefined, object]>([
  [
    "a good call",
    { text: "a", usage: usage(1000, 400, 100) },
    PRICE,
    { outcome: "ok", input: 1000, cacheRead: 400, output: 100, cost: (600 * 2 + 400 * 0.5 + 100 * 10) / 1e6 },
  ],
  [
    "cached input that is not known counts as not cached",
    { text: "a", usage: usage(1000, undefined, 100) },
    PRICE,
    { cacheRead: undefined, cost: (1000 * 2 + 1000) / 1e6 },
  ],
  ["a card without a price for it too", { text: "a", usage: usage(1000, 400, 100) }, { ...PRICE, cacheRead: null }, { cost: (1000 * 2 + 1000) / 1e6 }],
  ["no usage: not known, never 0", { text: "a", usage: unknown }, PRICE, { outcome: "ok", input: undefined, output: undefined, cost: undefined }],
  ["no price: not known, never 0", { text: "a", usage: usage(1, 1, 1) }, undefined, { outcome: "ok", input: 1, cost: undefined }],
  ["half a price", { text: "a", usage: usage(1, 1, 1) }, { ...PRICE, output: null }, { cost: undefined }],
  ["a model that costs nothing", { text: "a", usage: usage(9, 0, 9) }, { input: 0, output: 0, cacheRead: null }, { cost: 0 }],
  ["a failure", transient("http-500"), PRICE, { outcome: "transient", code: "http-500", input: undefined, cost: undefined }],
  [
    "a failure after usage was reported",
    { parts: ["a"], everyMs: 0, usage: usage(1000, 0, 100), failure: transient("network") },
    PRICE,
    { outcome: "transient", code: "network", input: 1000, cost: 0.003 },
  ],
  [
    "a failure after half of it",
    { parts: ["a"], everyMs: 0, usage: usage(1000, 0, undefined), failure: transient("network") },
    PRICE,
    { input: 1000, output: undefined, cost: undefined },
  ],
])("%s", async (_, answer, price, expected) => {
  const meter = createMeter();
  await outcome(meter.of(scriptedModel([answer], { name: "a/b" }), price ? { price } : {}).generate(ASK, { what: "batch", attempt: 2 }));
  expect(meter.rows).toHaveLength(1);
  expect(meter.rows[0]).toMatchObject({ model: "a/b", what: "batch", attempt: 2, ...expected });
});

test("a total with a part that is not known says so", async () => {
  const meter = createMeter();
  const model = meter.of(scriptedModel([{ text: "a", usage: usage(10, 5, 2) }, transient(), { text: "b", usage: usage(20, undefined, 3) }]), { price: PRICE });
  for (let n = 0; n < 3; n++) await outcome(model.generate(ASK));
  expect(meter.totals()).toEqual({
    calls: 3,
    failed: 1,
    input: { known: 30, unknownCalls: 1 },
    cacheRead: { known: 5, unknownCalls: 2 },
    output: { known: 5, unknownCalls: 1 },
    cost: { known: expect.closeTo((10 + 2.5 + 20 + 40 + 30) / 1e6, 12), unknownCalls: 1 },
  });
});

test("a row says when the call began and how long it took", async () => {
  const clock = manualClock(5000);
  const meter = createMeter({ clock });
  const call = outcome(meter.of(scriptedModel([{ parts: ["a", "b"], everyMs: 30 }], { clock })).generate(ASK));
  await clock.pass(100);
  await call;
  expect(meter.rows).toMatchObject([{ startedAt: 5000, ms: 60 }]);
});

describe("a budget", () => {
  const costs = (input: number, output: number): ScriptedAnswer => ({ text: "a", usage: usage(input, 0, output) });

  test.each<[string, { tokens?: number; usd?: number }, readonly ScriptedAnswer[], readonly string[], number]>([
    ["just large enough for one call at its most", { tokens: INPUT + 50 }, [costs(INPUT, 10), "x"], ["a", "budget-tokens"], 1],
    ["one token less", { tokens: INPUT + 49 }, ["x"], ["budget-tokens"], 0],
    [
      "what was used less than reserved is left for the next",
      { tokens: 2 * INPUT + 60 },
      [costs(INPUT, 10), costs(INPUT, 10), "x"],
      ["a", "a", "budget-tokens"],
      2,
    ],
    ["in USD", { usd: (INPUT * 2 + 50 * 10) / 1e6 + 1e-12 }, [costs(INPUT, 50), "x"], ["a", "budget-usd"], 1],
    ["what a provider refused costs nothing", { tokens: INPUT + 50 }, [transient("http-429"), costs(INPUT, 1)], ["http-429", "a"], 2],
    [
      "an answer that was too long was paid for",
      { tokens: 2 * INPUT + 99 },
      [new ModelError("invalid", "too-long", ""), "x"],
      ["too-long", "budget-tokens"],
      1,
    ],
    ["what nobody knows counts whole", { tokens: 2 * INPUT + 99 }, [transient("idle-timeout"), "x"], ["idle-timeout", "budget-tokens"], 1],
    ["a reply without usage counts by its text", { tokens: 2 * INPUT + 52 }, [{ text: "a", usage: unknown }, "x"], ["a", "x"], 2],
  ])("%s", async (_, budget, answers, expected, sent) => {
    const meter = createMeter({ budget });
    const inner = scriptedModel(answers);
    const model = meter.of(inner, { price: PRICE });
    const outcomes: string[] = [];
    for (const _call of expected) outcomes.push(await outcome(model.generate(ASK)));
    expect(outcomes).toEqual(expected);
    expect([inner.requests.length, meter.rows.length]).toEqual([sent, sent]);
  });

  test("calls at the same time reserve what they may take", async () => {
    const clock = manualClock();
    const meter = createMeter({ budget: { tokens: 2 * (INPUT + 50) }, clock });
    const model = meter.of(scriptedModel((_, n) => ({ parts: [`${n}`], everyMs: 10, usage: usage(INPUT, 0, 1) }), { clock }));
    const calls = [1, 2, 3].map(() => outcome(model.generate(ASK)));
    await clock.pass(20);
    expect(await Promise.all(calls)).toEqual(["0", "1", "budget-tokens"]);
  });

  test("room for thinking is reserved, and a request without a limit takes the default's", async () => {
    const meter = createMeter({ budget: { tokens: INPUT + 50 + 8191 } });
    const model = meter.of(scriptedModel(["a", "b"]), { maxOutputTokens: 8242 });
    expect(await outcome(model.generate({ ...ASK, thinking: "medium" }))).toBe("budget-tokens");
    expect(await outcome(model.generate({ messages: ASK.messages }))).toBe("budget-tokens");
    expect(await outcome(model.generate(ASK))).toBe("a");
  });

  test("in USD it cannot be kept without a price, and nothing is sent", async () => {
    const inner = scriptedModel(["x"], { name: "a/b" });
    const call = createMeter({ budget: { usd: 1 } })
      .of(inner)
      .generate(ASK);
    await expect(call).rejects.toBeInstanceOf(ModelError);
    await expect(call).rejects.toMatchObject({ class: "budget", code: "no-price" });
    expect(inner.requests).toHaveLength(0);
  });
});
