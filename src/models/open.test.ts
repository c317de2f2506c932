// The model of a policy: what a name means, and how its wrappers work together.
import { describe, expect, test } from "vitest";
import { manualClock } from "../../test/models/manual-clock.ts";
import { outcome, transient } from "../../test/models/outcome.ts";
import { type ModelsPolicy, parsePolicy } from "../config/index.ts";
import { ModelError } from "./model.ts";
import { composed, destinations } from "./open.ts";
import { openModel } from "./provider.ts";
import { PROVIDERS, providerOf, splitModelName } from "./providers.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted.ts";

const ASK = { messages: [{ role: "user", text: "hi" }] } as const;

function policy(models: object): ModelsPolicy {
  return parsePolicy(JSON.stringify({ models }), "p").models;
}

describe("names", () => {
  test("are split at the first slash", () => {
    expect(splitModelName("openrouter/qwen/qwen3-32b")).toEqual({ provider: "openrouter", id: "qwen/qwen3-32b" });
    expect(splitModelName("ollama/qwen3:8b")).toEqual({ provider: "ollama", id: "qwen3:8b" });
  });

  test.each(["gpt-5", "", "/x", "openai/"])("%j is none, and what is expected is said", async (model) => {
    await expect(openModel({ model, env: {} })).rejects.toMatchObject({
      class: "invalid",
      code: "model-name",
      message: expect.stringContaining("PROVIDER/ID"),
    });
  });

  test.each(["mine/x", "__proto__/x", "constructor/x"])("%s leads to no provider, and those that there are are said", async (model) => {
    await expect(openModel({ model, env: {} })).rejects.toMatchObject({
      class: "invalid",
      code: "unknown-provider",
      message: expect.stringContaining("ollama"),
    });
  });

  test("a key that is missing is told before anything is asked", async () => {
    await expect(openModel({ model: "openai/gpt-5", env: {} })).rejects.toMatchObject({ class: "auth", message: expect.stringContaining("OPENAI_API_KEY") });
  });
});

test("what is configured for a known name stands above what is known", () => {
  const { providers } = policy({
    providers: { openai: { baseUrl: "http://10.0.0.1/v1//", extras: { a: 1 } }, anthropic: { keyCommand: ["pass"] }, mine: { baseUrl: "http://a" } },
  });
  expect(providerOf("openai", providers)).toMatchObject({
    kind: "openai-compatible",
    baseUrl: "http://10.0.0.1/v1",
    keyVariable: "OPENAI_API_KEY",
    extras: { a: 1 },
  });
  expect(providerOf("anthropic", providers)).toMatchObject({ keyVariable: null, keyCommand: ["pass"], baseUrl: PROVIDERS.anthropic?.baseUrl });
  expect(providerOf("mine", providers)).toMatchObject({ kind: "openai-compatible", keyVariable: null, limitKey: "max_tokens" });
});

test("where sessions would be sent", () => {
  expect(destinations(policy({}), {})).toEqual([]);
  expect(destinations(policy({ fallback: "ollama/x" }), {})).toEqual([]);
  expect(destinations(policy({ model: "anthropic/x", fallback: "ollama/y" }), { ANTHROPIC_API_KEY: "k" })).toEqual([
    { use: "model", model: "anthropic/x", kind: "anthropic", baseUrl: "https://api.anthropic.com/v1", local: false, key: "the variable ANTHROPIC_API_KEY" },
    { use: "fallback", model: "ollama/y", kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1", local: true, key: "none needed" },
  ]);
});

describe("a place", () => {
  const at = (baseUrl: string, provider: object = { keyVariable: "MINE" }) =>
    destinations(policy({ model: "mine/x", providers: { mine: { baseUrl, ...provider } } }), { MINE: "k" })[0];

  test.each([
    ["http://localhost:1/v1", true],
    ["http://LOCALHOST/v1", true],
    ["http://models.localhost/v1", true],
    ["http://localhost./v1", true],
    ["http://127.0.0.1/v1", true],
    ["http://127.1/v1", true],
    ["http://127.255.255.254:8000", true],
    ["http://[::1]:8000/v1", true],
    ["http://[0:0:0:0:0:0:0:1]/v1", true],
    ["http://127.0.0.1.evil.example.com/v1", false],
    ["http://127.evil.example.com", false],
    ["http://localhost.evil.example.com", false],
    ["http://evil-localhost", false],
    ["http://128.0.0.1", false],
    ["http://0.0.0.0", false],
    ["http://10.127.0.0", false],
    ["http://[::2]", false],
    ["https://api.example.com", false],
  ])("%s is on this machine: %s", (baseUrl, local) => {
    expect(at(baseUrl)?.local).toBe(local);
  });

  test.each<[string, object | undefined, string | undefined]>([
    ["http://models.example.com/v1", { keyVariable: "MINE" }, "the key is sent unencrypted"],
    ["http://10.0.0.1/v1", { keyCommand: ["pass"] }, "the key is sent unencrypted"],
    ["http://10.0.0.1/v1", { headers: { authorization: "Bearer x" } }, "the headers are sent unencrypted"],
    ["http://10.0.0.1/v1", {}, undefined],
    ["https://models.example.com/v1", { keyVariable: "MINE" }, undefined],
    ["http://127.0.0.1:8000/v1", { keyVariable: "MINE" }, undefined],
  ])("%s with %j is remarked on: %s", (baseUrl, provider, remark) => {
    expect(at(baseUrl, provider)?.remark).toBe(remark);
  });
});

describe("composed", () => {
  async function stage(models: object, scripts: Readonly<Record<string, readonly ScriptedAnswer[]>>) {
    const clock = manualClock();
    const opened = new Map(Object.entries(scripts).map(([name, answers]) => [name, scriptedModel(answers, { name, clock })]));
    const open = async (name: string) => opened.get(name) ?? expect.fail(name);
    const told: string[] = [];
    const all = (await composed(policy(models), { clock, random: () => 0, open, onChange: (change) => told.push(change) })) ?? expect.fail("no model");
    const asked = (name: string) => opened.get(name)?.requests.length;
    return { ...all, clock, told, asked };
  }

  test("none asks for none", async () => {
    expect(await composed(policy({}))).toBeUndefined();
  });

  test("every try has its row, at the price of its model", async () => {
    const usage = { input: 1000, cacheRead: 0, output: 100 };
    const price = { input: 1, output: 10 };
    const models = { model: "a/m", fallback: "b/m", retries: 1, price, fallbackPrice: { input: 100, output: 0 } };
    const { model, meter, clock, told } = await stage(models, { "a/m": [transient(), transient("http-502")], "b/m": [{ text: "b", usage }] });
    const call = outcome(model.generate(ASK, { what: "batch" }));
    await clock.pass(10_000);
    expect([await call, told]).toEqual(["b", ["down"]]);
    expect(meter.rows).toMatchObject([
      { model: "a/m", attempt: 1, code: "http-500" },
      { model: "a/m", attempt: 2, code: "http-502" },
      { model: "b/m", attempt: 1, outcome: "ok", cost: 0.1 },
    ]);
  });

  test("a budget stops retries too, and opens no breaker", async () => {
    const { model, clock, asked, meter } = await stage({ model: "a/m", budgetTokens: 5000 }, { "a/m": [transient("idle-timeout"), "x"] });
    const first = outcome(model.generate(ASK));
    await clock.pass(10_000);
    expect(await first).toBe("budget-tokens");
    for (let n = 0; n < 5; n++) expect(await outcome(model.generate(ASK))).toBe("budget-tokens");
    expect([asked("a/m"), meter.rows.length]).toEqual([1, 1]);
  });

  test("a hung model is left, tried again, and then not asked any more", async () => {
    const { model, clock, asked } = await stage({ model: "a/m", retries: 1, concurrency: 1 }, { "a/m": Array(9).fill({ hang: "for-ever" }) });
    const calls = Array.from({ length: 4 }, () => outcome(model.generate(ASK)));
    await clock.pass(3 * (20_000 + 1000 + 20_000));
    expect(await Promise.all(calls)).toEqual(["idle-timeout", "idle-timeout", "idle-timeout", "open: idle-timeout"]);
    expect(asked("a/m")).toBe(6);
  });

  test("a wrong key opens the breaker and never the fallback", async () => {
    const { model, asked } = await stage({ model: "a/m", fallback: "b/m" }, { "a/m": Array(9).fill(new ModelError("auth", "http-401", "")), "b/m": ["x"] });
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n++) outcomes.push(await outcome(model.generate(ASK)));
    expect([outcomes, asked("b/m")]).toEqual([["http-401", "http-401", "http-401", "open: http-401"], 0]);
  });

  test("at its deadline every call ends, the waiting ones unasked, and the next go to the second model", async () => {
    const models = { model: "a/m", fallback: "b/m", concurrency: 2 };
    const { model, clock, asked, meter } = await stage(models, { "a/m": Array(9).fill({ hang: "for-ever" }), "b/m": ["good"] });
    const deadline = new AbortController();
    const calls = Array.from({ length: 5 }, () => outcome(model.generate(ASK, { deadline: deadline.signal })));
    await clock.pass(10);
    deadline.abort();
    expect(await Promise.all(calls)).toEqual(Array(5).fill("deadline"));
    expect([asked("a/m"), asked("b/m"), clock.pending()]).toEqual([2, 0, 0]);
    expect(meter.rows).toMatchObject(Array(2).fill({ model: "a/m", outcome: "transient", code: "deadline" }));
    expect(await outcome(model.generate(ASK))).toBe("good");
  });

  test("given up, every call ends, the waiting ones too", async () => {
    const { model, clock } = await stage({ model: "a/m", concurrency: 2 }, { "a/m": Array(9).fill({ hang: "for-ever" }) });
    const stop = new AbortController();
    const calls = Array.from({ length: 5 }, () => outcome(model.generate(ASK, { signal: stop.signal })));
    await clock.pass(10);
    stop.abort();
    expect(await Promise.all(calls)).toEqual(Array(5).fill("aborted"));
    expect(clock.pending()).toBe(0);
  });
});
