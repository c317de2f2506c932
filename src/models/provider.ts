// A model behind a provider's API, spoken to by the AI SDK.
import type { LanguageModel } from "ai";
import type { ModelsPolicy } from "../config/index.ts";
import type { Tokens } from "../session/index.ts";
import { abortedError, refuseEnded, whenEnded } from "./abort.ts";
import { failureOf } from "./failure.ts";
import { keyOf } from "./keys.ts";
import { type CallOptions, type Finish, type Model, ModelError, type ModelReply, type ModelRequest, type Thinking } from "./model.ts";
import { type Provider, providerOf, splitModelName } from "./providers.ts";
import { mostBytes, tooLong, wireBytes } from "./size.ts";
import { withoutThinking } from "./think.ts";
import { thinkingBudget } from "./thinking.ts";
import { NO_USAGE, usageAfter } from "./usage.ts";
import type { Signs } from "./wire.ts";

export interface ModelSettings {
  /** `PROVIDER/ID`. */
  readonly model: string;
  readonly providers?: ModelsPolicy["providers"];
  /** Where a request does not say. */
  readonly thinking?: Thinking;
  /** Where a request does not say. @default 4096 */
  readonly maxOutputTokens?: Tokens;
  readonly window?: Tokens;
  /** Where keys are looked for. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * One request a call: no retries, no timeouts, which stand around it. Nothing is sent, and the SDK not loaded, before the first call.
 *
 * ```ts
 * const model = await openModel({ model: "ollama/qwen3:8b" });
 * const { text } = await model.generate({ messages: [{ role: "user", text: "Say hi." }] });
 * ```
 * @throws ModelError of class `invalid` for a name that leads to no provider, `auth` where its key is missing.
 */
export async function openModel({ model: name, providers = {}, window, env = process.env, ...defaults }: ModelSettings): Promise<Model> {
  const { provider: providerName, id } = splitModelName(name);
  const provider = providerOf(providerName, providers);
  const key = await keyOf(provider, env);
  return Object.freeze({
    name,
    ...(window !== undefined && { window }),
    generate: (request: ModelRequest, options: CallOptions = {}) =>
      generate({ name, id, provider, key }, { ...request, ...missing(request, defaults) }, options),
  });
}

interface Opened {
  readonly name: string;
  readonly id: string;
  readonly provider: Provider;
  readonly key: string | undefined;
}

type Complete = ModelRequest & { readonly thinking: Thinking; readonly maxOutputTokens: Tokens };

function missing(
  { thinking, maxOutputTokens }: ModelRequest,
  defaults: Pick<ModelSettings, "thinking" | "maxOutputTokens">,
): Pick<Complete, "thinking" | "maxOutputTokens"> {
  return { thinking: thinking ?? defaults.thinking ?? "default", maxOutputTokens: maxOutputTokens ?? defaults.maxOutputTokens ?? 4096 };
}

async function generate(opened: Opened, request: Complete, options: CallOptions): Promise<ModelReply> {
  refuseEnded(options);
  // Left behind early, by a failure in the middle of the stream too, the connection must not stay open.
  const stop = new AbortController();
  const stopListening = whenEnded(options, () => stop.abort());
  let begun = false;
  const onBegin = () => {
    begun = true;
  };
  try {
    return await streamed(opened, request, { ...options, signal: stop.signal }, onBegin);
  } catch (error) {
    refuseEnded(options);
    const { name, provider, key } = opened;
    throw failureOf(error, { model: name, baseUrl: provider.baseUrl, secrets: secretsOf(provider, key), begun, now: Date.now() });
  } finally {
    stopListening();
    stop.abort();
  }
}

/** Shorter words of a header, such as its scheme, are no secret, and would be struck out of every sentence. */
const SHORTEST_SECRET = 8;

/** What a provider may repeat and no message may hold: the key, and each word of a header. */
function secretsOf({ headers }: Provider, key: string | undefined): readonly string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...(key ? [key] : []), ...words.filter((word) => word.length >= SHORTEST_SECRET)];
}

/** `onBegin`: called with the head of a reply, not with that of a refusal. */
async function streamed(opened: Opened, request: Complete, options: CallOptions & { readonly signal: AbortSignal }, onBegin: () => void): Promise<ModelReply> {
  // Warnings of the SDK would go to the terminal.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { streamText } = await import("ai");
  const { stream } = streamText({
    model: await languageModel(opened, request, { onBegin, onEvent: () => options.onEvent?.() }),
    ...(request.system !== undefined && { instructions: request.system }),
    messages: request.messages.map(({ role, text }) => ({ role, content: text })),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: options.signal,
    include: { rawChunks: true },
    // Errors come in the stream; without this they go to the terminal as well.
    onError: () => {},
    ...thinkingOptions(opened.provider, request.thinking),
  });
  const most = mostBytes(request);
  let text = "";
  let said = 0;
  let usage = NO_USAGE;
  let finish: Finish | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case "raw": {
        const reported = usageAfter(usage, part.rawValue);
        if (reported !== usage) options.onUsage?.(reported);
        usage = reported;
        break;
      }
      case "text-delta":
      case "reasoning-delta":
        said += Buffer.byteLength(part.text);
        if (said > most) throw tooLong(opened.name, most);
        if (part.type === "text-delta") text += part.text;
        break;
      case "finish-step":
        finish = FINISHES[part.finishReason] ?? "other";
        if (part.finishReason === "error" || part.rawFinishReason === undefined) throw cutStream(opened);
        break;
      case "abort":
        throw abortedError();
      case "error":
        throw part.error;
    }
  }
  if (finish === undefined) throw cutStream(opened);
  return { text: withoutThinking(text), finish, usage };
}

/** Anything else, such as a call of a tool that nobody offered, is `other`. */
const FINISHES: Readonly<Record<string, Finish>> = { stop: "stop", length: "length", "content-filter": "refused" };

function cutStream({ name, provider }: Opened): ModelError {
  return new ModelError(
    "transient",
    "cut-stream",
    `The reply of ${name} at ${new URL(provider.baseUrl).host} ended before it was whole. It may pass: try again later.`,
  );
}

async function languageModel({ name, id, provider, key }: Opened, request: Complete, signs: Signs): Promise<Exclude<LanguageModel, string>> {
  const { modelAgent, wireFetch } = await import("./wire.ts");
  const body = (made: Readonly<Record<string, unknown>>) => bodyOf(made, provider, request);
  const noKey = key === undefined && provider.kind === "anthropic" ? { "x-api-key": undefined } : {};
  const fetch = wireFetch(modelAgent(), {
    ...signs,
    body,
    headers: { ...noKey, ...provider.headers },
    most: { bytes: wireBytes(request), error: (bytes) => tooLong(name, bytes) },
  });
  // A key is always given, an empty one too: without one the SDK looks for its own variables.
  const settings = { baseURL: provider.baseUrl, apiKey: key ?? "", fetch };
  if (provider.kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(settings)(id);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ ...settings, name: "provider", includeUsage: true })(id);
}

/** What a request is made of, which extras cannot change. */
const REQUIRED = ["model", "messages", "system", "stream", "max_tokens", "max_completion_tokens"];

/** The body as it is sent: the provider's extras above what the SDK made, the required keys above both, room for thinking beside the reply. */
function bodyOf(
  made: Readonly<Record<string, unknown>>,
  { extras, limitKey }: Provider,
  { maxOutputTokens, thinking }: Complete,
): Readonly<Record<string, unknown>> {
  const { max_tokens: limit, ...rest } = made;
  const allowed = Object.fromEntries(Object.entries(extras).filter(([key]) => !REQUIRED.includes(key)));
  // The SDK knows the limits of some models, and has counted in a thinking budget that it sends.
  const counted = typeof limit === "number" && limit !== maxOutputTokens ? limit : maxOutputTokens + thinkingBudget(thinking);
  return { ...rest, ...allowed, [limitKey]: counted };
}

/**
 * A level goes to both: as effort where a model takes one, as a budget of tokens where Anthropic's does. That there should be none is said where it is
 * understood: many servers refuse an effort of `none`.
 */
function thinkingOptions(
  { kind, takesNoEffort }: Provider,
  thinking: Thinking,
): Pick<Parameters<typeof import("ai")["streamText"]>[0], "reasoning" | "providerOptions"> {
  if (thinking === "default") return {};
  if (thinking === "off") return kind === "anthropic" || takesNoEffort ? { reasoning: "none" } : {};
  const budget = { anthropic: { thinking: { type: "enabled", budgetTokens: thinkingBudget(thinking) } } };
  return { reasoning: thinking, ...(kind === "anthropic" && { providerOptions: budget }) };
}
