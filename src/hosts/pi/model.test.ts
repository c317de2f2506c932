import { describe, expect, test } from "vitest";
import { CURRENT, piModel, type Registry } from "./model.ts";

type Asked = Parameters<Registry["streamSimple"]>;

/** A registry whose one model ends as it is told to. */
function registry(message: object, asked: Asked[] = []): Registry {
  const model = { provider: "sum", id: "one", api: "faux", contextWindow: 1000, maxTokens: 4096, cost: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1 } };
  return {
    find: (provider: string, id: string) => (provider === "sum" && id === "one" ? model : undefined),
    streamSimple: (...call: Asked) => {
      asked.push(call);
      const whole = { content: [{ type: "text", text: "said" }], stopReason: "stop", usage: { input: 5, output: 2, cacheRead: 3, cacheWrite: 1 }, ...message };
      return Object.assign(
        (async function* () {
          yield { type: "start" };
        })(),
        { result: async () => whole },
      );
    },
  } as never;
}

const ASK = { messages: [{ role: "user", text: "tell" }] } as const;
const options = { current: undefined, thinking: "default", maxOutputTokens: 4096, window: null } as const;

describe("how a failure of a provider is taken", () => {
  test.each([
    ["401 invalid x-api-key", "auth", "http-401"],
    ["403 forbidden", "auth", "http-403"],
    ["No API key found for sum", "auth", "provider-error"],
    ["404 model not found", "invalid", "http-404"],
    ["400 bad request", "invalid", "http-400"],
    // A seat may have an address of its own: Pi asks for it with each call, so that another try may go right.
    ["421 misdirected request", "transient", "http-421"],
    ["429 too many requests", "transient", "http-429"],
    ["500 internal server error", "transient", "http-500"],
    ["fetch failed", "transient", "provider-error"],
    ["prompt is too long: 213462 tokens > 200000 maximum", "overflow", "provider-error"],
    ["400 maximum context length exceeded", "overflow", "http-400"],
    ["", "transient", "provider-error"],
  ])("%j is %s", async (errorMessage, kind, code) => {
    const model = piModel(registry({ stopReason: "error", errorMessage }), "sum/one", options);
    await expect(model.generate(ASK)).rejects.toMatchObject({ class: kind, code });
  });
});

test("what a model says, thinking left out, and what it took", async () => {
  const content = [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "one " },
    { type: "text", text: "<think>[[1:read]] hm</think>two" },
  ];
  const asked: Asked[] = [];
  const model = piModel(registry({ content }, asked), "sum/one", { ...options, thinking: "high" });
  let events = 0;
  const reply = await model.generate(
    { messages: [...ASK.messages, { role: "assistant", text: "no" }, { role: "user", text: "again" }], maxOutputTokens: 77 },
    { onEvent: () => events++ },
  );
  expect(reply).toEqual({ text: "one two", finish: "stop", usage: { input: 9, cacheRead: 3, output: 2 } });
  expect(events).toBe(1);
  expect(model).toMatchObject({ name: "sum/one", window: 1000, price: { input: 1, output: 5, cacheRead: 0.1 } });
  const [, context, given] = asked[0] as Asked;
  expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(given).toMatchObject({ maxTokens: 77, reasoning: "high" });
});

test("an answer without end is left", async () => {
  const endless = {
    ...registry({}),
    streamSimple: (...[, , options]: Asked) =>
      (async function* () {
        while (!options?.signal?.aborted) yield { type: "text_delta", delta: "x".repeat(100_000) };
      })(),
  } as never;
  await expect(piModel(endless, "sum/one", options).generate(ASK)).rejects.toMatchObject({ class: "invalid", code: "too-long" });
});

test("a provider that reports nothing has used an unknown number of tokens, not none", async () => {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { usage } = await piModel(registry({ usage: none }), "sum/one", options).generate(ASK);
  expect(usage).toEqual({ input: undefined, cacheRead: undefined, output: undefined });
});

test.each([["sum/two"], [CURRENT]])("%s is unknown: what there is, is said", (name) => {
  expect(() => piModel(registry({}), name, options)).toThrow("expected a model that Pi knows");
});

test("an answer that was cut or given up is told apart", async () => {
  expect((await piModel(registry({ stopReason: "length" }), "sum/one", options).generate(ASK)).finish).toBe("length");
  await expect(piModel(registry({ stopReason: "aborted" }), "sum/one", options).generate(ASK)).rejects.toMatchObject({ class: "aborted" });
});
