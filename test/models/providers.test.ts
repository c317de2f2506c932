// Both kinds of provider over real sockets: what a reply becomes, what each failure is taken for, and that every call settles and closes its socket.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { parsePolicy } from "../../src/config/index.ts";
import { composed, type Model, ModelError, openModel } from "../../src/models/index.ts";
import { type Answer, type Api, type ModelServer, serveModel } from "./servers.ts";

const APIS: readonly Api[] = ["openai-compatible", "anthropic"];
const KEY = "key-0123456789";
const ASK = { system: "Be short.", messages: [{ role: "user", text: "Say hi." }] } as const;

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

interface Place {
  readonly server: ModelServer;
  readonly model: Model;
}

type Configured = Readonly<Record<string, unknown>>;

async function served(api: Api, answers: readonly Answer[], provider: Configured = {}, settings: object = {}): Promise<Place> {
  const server = await serveModel(api, ...answers);
  open.push(server);
  const providers = policyOf(api, server, provider).models.providers;
  return { server, model: await openModel({ model: "mine/some/model", providers, env: { MINE: KEY }, ...settings }) };
}

function policyOf(api: Api, { baseUrl }: ModelServer, provider: Configured = {}, models: object = {}) {
  return parsePolicy(JSON.stringify({ models: { ...models, providers: { mine: { kind: api, baseUrl, keyVariable: "MINE", ...provider } } } }), "p");
}

function failure(call: Promise<unknown>): Promise<ModelError> {
  return call.then(
    (reply) => {
      throw new Error(`answered ${JSON.stringify(reply)}`);
    },
    (error: unknown) => {
      if (error instanceof ModelError) return error;
      throw error;
    },
  );
}

describe.each(APIS)("%s: replies", (api) => {
  const cut = api === "anthropic" ? "max_tokens" : "length";
  const filtered = api === "anthropic" ? "refusal" : "content_filter";
  const usage = { input: 50, cacheRead: undefined, output: 10 };

  test.each<[string, Answer, object]>([
    [
      "a good one, cached tokens among its input",
      { text: ["Hi ", "there."], usage: { input: 100, cached: 60, output: 7 } },
      { text: "Hi there.", finish: "stop", usage: { input: 100, cacheRead: 60, output: 7 } },
    ],
    ["cached tokens that are not reported are not zero", { text: "Hi." }, { text: "Hi.", finish: "stop", usage }],
    ["an empty one", {}, { text: "", finish: "stop", usage }],
    ["one that was cut at its limit", { text: "Hi the", finish: cut }, { text: "Hi the", finish: "length", usage }],
    ["one that a filter stopped", { text: "", finish: filtered }, { text: "", finish: "refused", usage }],
    ["thinking in a field of its own", { thinking: "hm", text: "Hi." }, { text: "Hi.", finish: "stop", usage }],
    ["nothing but thinking", { thinking: "hm" }, { text: "", finish: "stop", usage }],
    ["thinking in the text", { text: ["<thi", "nk>hm</think>\n\nHi."] }, { text: "Hi.", finish: "stop", usage }],
    ["thinking that is never closed", { text: "<think>hm" }, { text: "", finish: "stop", usage }],
    ["thinking that was never opened", { text: "hm\n</think>\n\nHi." }, { text: "Hi.", finish: "stop", usage }],
  ])("%s", async (_, answer, expected) => {
    const { server, model } = await served(api, [answer]);
    expect(await model.generate(ASK)).toEqual(expected);
    await server.allClosed();
  });

  test("usage is told as soon as it is reported", async () => {
    const { model } = await served(api, [{ text: "Hi.", usage: { input: 100, cached: 60, output: 7 } }]);
    const told: unknown[] = [];
    await model.generate(ASK, { onUsage: (each) => told.push(each) });
    expect(told.at(-1)).toEqual({ input: 100, cacheRead: 60, output: 7 });
  });
});

test("openai-compatible: usage that is not reported is unknown, not zero", async () => {
  const { model } = await served("openai-compatible", [{ text: "Hi.", usage: null }]);
  expect((await model.generate(ASK)).usage).toEqual({ input: undefined, cacheRead: undefined, output: undefined });
});

test("openai-compatible: a refusal in its own field", async () => {
  const { model } = await served("openai-compatible", [{ refusal: "I will not." }]);
  expect(await model.generate(ASK)).toMatchObject({ finish: "refused" });
});

describe.each(APIS)("%s: failures", (api) => {
  const overflow = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" } });
  const broken = api === "anthropic" ? 'event: content_block_delta\ndata: {"type":"content_blo\n\n' : 'data: {"choices":[{"ind\n\n';

  test.each<[string, Answer, string, string]>([
    ["a rate limit", { status: 429 }, "transient", "http-429"],
    ["an error of the server", { status: 500 }, "transient", "http-500"],
    ["an overloaded server", { status: 529 }, "transient", "http-529"],
    ["a timeout of the server", { status: 408 }, "transient", "http-408"],
    ["a wrong key", { status: 401 }, "auth", "http-401"],
    ["a key without the right", { status: 403 }, "auth", "http-403"],
    ["an unknown model", { status: 404 }, "invalid", "http-404"],
    ["a wrong request", { status: 400 }, "invalid", "http-400"],
    ["a request that is too large", { status: 413 }, "overflow", "http-413"],
    ["a prompt that is too long", { status: 400, body: overflow }, "overflow", "http-400"],
    ["an error that is no JSON", { status: 502, body: "<html>bad gateway</html>", headers: { "content-type": "text/html" } }, "transient", "http-502"],
    ["a page in place of a stream", { status: 200, body: "<html>log in</html>", headers: { "content-type": "text/html" } }, "invalid", "not-a-stream"],
    ["a reset in the middle", { text: "Hi", breakOff: "reset" }, "transient", "network"],
    ["broken JSON in the stream", { text: "Hi", raw: broken }, "transient", "broken-stream"],
    ["a stream that ends too early", { text: "Hi", breakOff: "end" }, "transient", "cut-stream"],
    [
      "an error in the stream",
      { text: "Hi", raw: `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`, hang: "after-text" },
      "transient",
      "stream-error",
    ],
    ["a redirect to another place", { status: 307, headers: { location: "http://127.0.0.1:1/v1" } }, "invalid", "http-307"],
  ])("%s", async (_, answer, kind, code) => {
    const { server, model } = await served(api, [answer]);
    const error = await failure(model.generate(ASK));
    expect({ class: error.class, code: error.code, message: error.message }).toMatchObject({ class: kind, code });
    expect(error.message).toContain("127.0.0.1:");
    await server.allClosed();
    expect(server.requests).toHaveLength(1);
  });

  test("a place where nobody listens", async () => {
    const { server, model } = await served(api, [{}]);
    await server.close();
    expect(await failure(model.generate(ASK))).toMatchObject({ class: "transient", code: "network" });
  });

  test.each<[string, Record<string, string>, (ms: number | undefined) => boolean]>([
    ["seconds", { "retry-after": "7" }, (ms) => ms === 7000],
    ["a date", { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }, (ms = 0) => ms > 3_000_000 && ms <= 3_600_000],
    ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, (ms) => ms === 1500],
    ["a word", { "retry-after": "soon" }, (ms) => ms === undefined],
  ])("when to come back, as %s", async (_, headers, holds) => {
    const { model } = await served(api, [{ status: 429, headers }]);
    expect((await failure(model.generate(ASK))).retryAfter).toSatisfy(holds);
  });

  test.each<[string, Answer]>([
    ["before the first byte", { hang: "before-head" }],
    ["in the middle of the stream", { text: "Hi", hang: "after-text" }],
  ])("given up %s, it closes the socket", async (_, answer) => {
    const { server, model } = await served(api, [answer]);
    const stop = new AbortController();
    const call = failure(model.generate(ASK, { signal: stop.signal }));
    await until(() => server.requests.length > 0);
    stop.abort();
    expect(await call).toMatchObject({ class: "aborted", code: "aborted" });
    await server.allClosed();
  });

  test("given up before it began, nothing is sent", async () => {
    const { server, model } = await served(api, [{ text: "Hi." }]);
    expect((await failure(model.generate(ASK, { signal: AbortSignal.abort() }))).class).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  test("the key that a provider repeats stands in no message", async () => {
    const { model } = await served(api, [
      { status: 401, body: JSON.stringify({ type: "error", error: { type: "authentication_error", message: `bad key ${KEY}` } }) },
    ]);
    const error = await failure(model.generate(ASK));
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(KEY);
    expect(error.message).toContain("bad key …");
  });
});

test("what a header holds stands in no message", async () => {
  const body = JSON.stringify({ error: { message: "bad token tell-nobody of team red" } });
  const { model } = await served("openai-compatible", [{ status: 401, body }], { headers: { "x-auth": "Bearer tell-nobody", "x-team": "red" } });
  expect((await failure(model.generate(ASK))).message).toMatch(/bad token … of team red/);
});

test.each<[Record<string, string>, string]>([
  [{ "retry-after": "3600" }, "It wants to be left alone for 3600 s."],
  [{ "retry-after": "1e999" }, "It may pass: try again later."],
  [{}, "It may pass: try again later."],
])("a rate limit with %j says how long to wait", async (headers, says) => {
  const { model } = await served("openai-compatible", [{ status: 429, headers }]);
  expect((await failure(model.generate(ASK))).message.endsWith(says)).toBe(true);
});

describe.each(APIS)("%s: an answer without end", (api) => {
  const LINES = {
    "openai-compatible": {
      text: { choices: [{ index: 0, delta: { content: "x".repeat(10_000) } }] },
      thinking: { choices: [{ index: 0, delta: { reasoning_content: "x".repeat(10_000) } }] },
    },
    anthropic: {
      text: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(10_000) } },
      thinking: { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "x".repeat(10_000) } },
    },
  };
  const heads = (block: object) =>
    api === "anthropic"
      ? [
          {
            type: "message_start",
            message: { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage: { input_tokens: 50, output_tokens: 1 } },
          },
          { type: "content_block_start", index: 0, content_block: block },
        ]
      : [];
  const event = (value: object) => `event: ${Reflect.get(value, "type") ?? "message"}\ndata: ${JSON.stringify({ id: "c", ...value })}\n\n`;

  test.each([
    ["text", heads({ type: "text", text: "" }).map(event).join(""), event(LINES[api].text), 1_000_000, 15_000_000],
    ["thinking", heads({ type: "thinking", thinking: "", signature: "" }).map(event).join(""), event(LINES[api].thinking), 1_000_000, 15_000_000],
    ["a line", "data: ", "x".repeat(10_000), 16_000_000, 30_000_000],
    ["remarks", "", `: ${"x".repeat(10_000)}\n\n`, 16_000_000, 30_000_000],
  ])("of %s is left after what its tokens can hold", async (_, head, piece, most, sent) => {
    const server = await endless(200, "text/event-stream", head, piece);
    const { models } = policyOf(api, server, { keyVariable: null }, { model: "mine/m", fallback: "mine/other" });
    const { model, meter } = (await composed(models, { random: () => 1 })) ?? expect.fail("no model");
    const error = await failure(model.generate(ASK));
    expect(error).toMatchObject({ class: "invalid", code: "too-long", message: expect.stringContaining(`more than ${most} bytes`) });
    await server.allClosed();
    expect(server.sent()).toBeLessThan(sent);
    expect(meter.rows).toMatchObject([{ model: "mine/m", code: "too-long" }]);
  });

  test("that is an error is read as far as it matters", async () => {
    const server = await endless(400, "application/json", '{"error":{"message":"no such thing","x":"', "x".repeat(10_000));
    const { models } = policyOf(api, server, { keyVariable: null }, { model: "mine/m" });
    const { model } = (await composed(models, {})) ?? expect.fail("no model");
    const error = await failure(model.generate(ASK));
    expect(error).toMatchObject({ class: "invalid", code: "http-400", message: expect.stringContaining("no such thing") });
    await server.allClosed();
    expect(server.sent()).toBeLessThan(15_000_000);
  });
});

/** A server that says the same again and again, as fast as it is read. */
async function endless(status: number, type: string, head: string, piece: string): Promise<ModelServer & { readonly sent: () => number }> {
  let sent = 0;
  let streams = 0;
  let whenClosed = () => {};
  const server = createServer((request, response) => {
    request.resume();
    streams += 1;
    response.on("close", () => {
      streams -= 1;
      whenClosed();
    });
    response.writeHead(status, { "content-type": type }).write(head);
    const more = (to: ServerResponse) => {
      while (!to.destroyed) {
        sent += piece.length;
        if (!to.write(piece)) return void to.once("drain", () => more(to));
      }
    };
    more(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const allClosed = () =>
    new Promise<void>((resolve) => {
      whenClosed = () => {
        if (streams === 0) resolve();
      };
      whenClosed();
    });
  const made = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: [], allClosed, close, sent: () => sent };
  open.push(made);
  return made;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("what is sent", () => {
  test.each(APIS)("%s: the key stands in its header alone", async (api) => {
    const { server, model } = await served(api, [{ text: "Hi." }]);
    await model.generate(ASK);
    const [request] = server.requests;
    const { authorization, "x-api-key": apiKey, ...others } = request?.headers ?? {};
    expect([authorization, apiKey]).toEqual(api === "anthropic" ? [undefined, KEY] : [`Bearer ${KEY}`, undefined]);
    expect(JSON.stringify([request?.path, others, request?.body])).not.toContain(KEY);
    expect(request?.path).toBe(api === "anthropic" ? "/v1/messages" : "/v1/chat/completions");
    expect(request?.body).toMatchObject({ model: "some/model", stream: true, max_tokens: 4096 });
  });

  test.each(APIS)("%s: a provider that needs no key is sent none, whatever the environment holds", async (api) => {
    const { server, model } = await served(api, [{ text: "Hi." }], { keyVariable: null }, { env: { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY } });
    await model.generate(ASK);
    expect(JSON.stringify(server.requests)).not.toMatch(/key-|x-api-key|authorization/);
  });

  test.each(APIS)("%s: extras are merged in, and change nothing of what a request is", async (api) => {
    const extras = {
      temperature: 0.5,
      model: "other",
      messages: [],
      system: "other",
      stream: false,
      max_tokens: 1,
      max_completion_tokens: 1,
      nested: { a: [1] },
    };
    const { server, model } = await served(api, [{ text: "Hi." }], { extras, headers: { "x-team": "red" } });
    await model.generate({ ...ASK, maxOutputTokens: 77 });
    const { body, headers } = server.requests[0] ?? {};
    expect(body).toMatchObject({ temperature: 0.5, nested: { a: [1] }, model: "some/model", stream: true, max_tokens: 77 });
    expect(body).not.toHaveProperty("max_completion_tokens");
    expect(JSON.stringify(body)).toContain("Be short.");
    expect(JSON.stringify(body)).toContain("Say hi.");
    expect(headers?.["x-team"]).toBe("red");
  });

  test("OpenAI's own limit has another name", async () => {
    const server = await serveModel("openai-compatible", { text: "Hi." });
    open.push(server);
    const { providers } = parsePolicy(JSON.stringify({ models: { providers: { openai: { baseUrl: server.baseUrl } } } }), "p").models;
    const model = await openModel({ model: "openai/m", providers, env: { OPENAI_API_KEY: KEY } });
    await model.generate({ ...ASK, maxOutputTokens: 77 });
    expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 77 });
    expect(server.requests[0]?.body).not.toHaveProperty("max_tokens");
  });

  test.each([
    ["openai-compatible", "default", undefined, undefined],
    ["openai-compatible", "off", undefined, undefined],
    ["openai-compatible", "low", "low", undefined],
    ["anthropic", "default", undefined, undefined],
    ["anthropic", "off", undefined, { type: "disabled" }],
    ["anthropic", "medium", undefined, { type: "enabled", budget_tokens: 8192 }],
  ] as const)("%s: thinking %s", async (api, thinking, effort, budget) => {
    const { server, model } = await served(api, [{ text: "Hi." }]);
    await model.generate({ ...ASK, thinking, maxOutputTokens: 1000 });
    const { body } = server.requests[0] ?? {};
    expect([body.reasoning_effort, body.thinking]).toEqual([effort, budget]);
    expect(body.max_tokens).toBe({ default: 1000, off: 1000, low: 3048, medium: 9192 }[thinking]);
  });

  test.each([
    ["openai", "none"],
    ["openrouter", "none"],
    ["ollama", undefined],
    ["vllm", undefined],
  ])("%s is asked for no thinking by an effort of %s", async (name, effort) => {
    const server = await serveModel("openai-compatible", { text: "Hi." });
    open.push(server);
    const { providers } = parsePolicy(JSON.stringify({ models: { providers: { [name]: { baseUrl: server.baseUrl } } } }), "p").models;
    const model = await openModel({ model: `${name}/m`, providers, env: { OPENAI_API_KEY: KEY, OPENROUTER_API_KEY: KEY } });
    await model.generate({ ...ASK, thinking: "off" });
    expect(server.requests[0]?.body.reasoning_effort).toBe(effort);
  });

  test("what a redirect points to is never asked", async () => {
    let asked = 0;
    const other = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/messages`;
    for (const status of [301, 302, 303, 307, 308]) {
      const { model } = await served("anthropic", [{ status, headers: { location } }]);
      expect((await failure(model.generate(ASK))).code).toBe(`http-${status}`);
    }
    other.close();
    expect(asked).toBe(0);
  });
});

describe("composed over sockets", () => {
  const quick = { random: () => 1, env: { MINE: KEY } };

  test.each(APIS)("%s: a rate limit with its wait, then a good answer, each with its row", async (api) => {
    const server = await serveModel(api, { status: 429, headers: { "retry-after": "0" } }, { text: "Hi.", usage: { input: 1000, cached: 400, output: 100 } });
    open.push(server);
    const { models } = policyOf(api, server, {}, { model: "mine/m", price: { input: 1, output: 10, cacheRead: 0.1 } });
    const { model, meter } = (await composed(models, quick)) ?? expect.fail("no model");
    expect((await model.generate(ASK, { what: "batch" })).text).toBe("Hi.");
    expect(meter.rows).toMatchObject([
      { model: "mine/m", what: "batch", attempt: 1, outcome: "transient", code: "http-429", input: undefined, cost: undefined },
      { model: "mine/m", what: "batch", attempt: 2, outcome: "ok", input: 1000, cacheRead: 400, output: 100, cost: (600 + 40 + 1000) / 1e6 },
    ]);
    expect(meter.totals()).toMatchObject({ calls: 2, failed: 1, cost: { known: 0.00164, unknownCalls: 1 } });
    await server.allClosed();
  });

  test.each<[string, Answer]>([
    ["that hangs before the first byte", { hang: "before-head" }],
    ["that stalls in the middle", { text: "Hi", hang: "after-text" }],
  ])("a provider %s is left after the idle timeout, and its socket closed", async (_, answer) => {
    for (const api of APIS) {
      const server = await serveModel(api, answer);
      open.push(server);
      const { models } = policyOf(api, server, {}, { model: "mine/m", retries: 0, idleTimeoutSeconds: 0.3 });
      const { model, meter } = (await composed(models, quick)) ?? expect.fail("no model");
      expect(await failure(model.generate(ASK))).toMatchObject({ class: "transient", code: "idle-timeout" });
      expect(meter.rows).toMatchObject([
        { outcome: "transient", code: "idle-timeout", input: api === "anthropic" && answer.text ? 50 : undefined, cost: undefined },
      ]);
      await server.allClosed();
    }
  });

  test("a stream that goes on and on ends at the ceiling, whatever it says", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(": still here\n\n"), 20);
      response.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { models } = parsePolicy(
      JSON.stringify({ models: { model: "vllm/m", retries: 0, idleTimeoutSeconds: 10, ceilingSeconds: 0.5, providers: { vllm: { baseUrl } } } }),
      "p",
    );
    const { model } = (await composed(models, quick)) ?? expect.fail("no model");
    expect(await failure(model.generate(ASK))).toMatchObject({ class: "transient", code: "ceiling" });
    await new Promise((resolve) => server.close(resolve));
  });

  test("while the first is down the second answers, and the change is told once", async () => {
    const first = await serveModel("anthropic", { status: 500 });
    const second = await serveModel("openai-compatible", { text: "Hi." });
    open.push(first, second);
    const provider = (kind: Api, { baseUrl }: ModelServer) => ({ kind, baseUrl });
    const json = {
      models: { model: "a/m", fallback: "b/m", retries: 0, providers: { a: provider("anthropic", first), b: provider("openai-compatible", second) } },
    };
    const changes: unknown[] = [];
    const { model, fallbackState } =
      (await composed(parsePolicy(JSON.stringify(json), "p").models, { onChange: (...change) => changes.push(change) })) ?? expect.fail("no model");
    for (let call = 0; call < 3; call++) expect((await model.generate(ASK)).text).toBe("Hi.");
    expect(changes).toEqual([["down", { primary: "a/m", second: "b/m", code: "http-500" }]]);
    expect(fallbackState()).toMatchObject({ primary: "down", told: true });
    expect([first.requests.length, second.requests.length]).toEqual([1, 3]);
  });
});
