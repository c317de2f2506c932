// A model of Pi's registry as one that we ask: Pi knows its provider, its key, its price and how to reach it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
  type CallOptions,
  type Model,
  ModelError,
  type ModelReply,
  type ModelRequest,
  mostBytes,
  type Thinking,
  tooLong,
  withoutThinking,
} from "../../models/index.ts";
import type { Tokens } from "../../session/index.ts";

export type Registry = ExtensionContext["modelRegistry"];
type PiModel = NonNullable<ReturnType<Registry["find"]>>;
type Context = Parameters<Registry["streamSimple"]>[1];
type Streamed = Awaited<ReturnType<ReturnType<Registry["streamSimple"]>["result"]>>;

/** By this name the model is meant that the session itself uses. */
export const CURRENT = "pi/current";

export interface PiModelOptions {
  /** The session's own model. */
  readonly current: PiModel | undefined;
  readonly thinking: Thinking;
  readonly maxOutputTokens: Tokens;
  /** Where the settings say it; else Pi's. */
  readonly window: Tokens | null;
}

/**
 * The model of that name; `current` is the session's own.
 * @throws ModelError where Pi does not know it.
 */
export function piModel(registry: Registry, name: string, { current, thinking, maxOutputTokens, window }: PiModelOptions): Model {
  const at = name.indexOf("/");
  const found = name === CURRENT ? current : registry.find(name.slice(0, at), name.slice(at + 1));
  if (!found)
    throw new ModelError(
      "invalid",
      "unknown-model",
      `expected a model that Pi knows, found ${name}: /palimpsest model lists them. Providers of other configurations are none of Pi's; its models.json adds some`,
    );
  const { input, output, cacheRead } = found.cost;
  return {
    name: `${found.provider}/${found.id}`,
    window: window ?? found.contextWindow,
    price: input + output > 0 ? { input, output, cacheRead } : { input: null, output: null, cacheRead: null },
    generate: (request, options = {}) => asked(registry, found, { maxOutputTokens, ...request }, { ...options, thinking }),
  };
}

async function asked(registry: Registry, model: PiModel, request: ModelRequest, options: CallOptions & { readonly thinking: Thinking }): Promise<ModelReply> {
  const { onEvent, onUsage } = options;
  const thinking = request.thinking ?? options.thinking;
  const most = mostBytes({ maxOutputTokens: request.maxOutputTokens ?? model.maxTokens, thinking });
  const stop = new AbortController();
  const stream = registry.streamSimple(model, contextOf(model, request), {
    signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
    ...(request.maxOutputTokens !== undefined && { maxTokens: request.maxOutputTokens }),
    ...(thinking !== "default" && thinking !== "off" && { reasoning: thinking }),
    disableContinuation: true,
  });
  let bytes = 0;
  for await (const event of stream) {
    onEvent?.();
    if (event.type === "text_delta" || event.type === "thinking_delta") bytes += Buffer.byteLength(event.delta);
    if (bytes <= most) continue;
    stop.abort();
    throw tooLong(`${model.provider}/${model.id}`, most);
  }
  const message = await stream.result();
  const usage = usageOf(message);
  onUsage?.(usage);
  if (message.stopReason === "error" || message.stopReason === "aborted") throw failureOf(message);
  const text = withoutThinking(message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""));
  return { text, finish: message.stopReason === "length" ? "length" : message.stopReason === "stop" ? "stop" : "other", usage };
}

/** Pi writes zeros where a provider reported nothing. */
function usageOf({ usage: { input, output, cacheRead, cacheWrite } }: Streamed): ModelReply["usage"] {
  const all = input + cacheRead + cacheWrite;
  return all + output === 0 ? { input: undefined, cacheRead: undefined, output: undefined } : { input: all, cacheRead, output };
}

function contextOf(model: PiModel, { system, messages }: ModelRequest): Context {
  const timestamp = Date.now();
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  return {
    ...(system !== undefined && { systemPrompt: system }),
    messages: messages.map(({ role, text }) => {
      const content = [{ type: "text" as const, text }];
      if (role === "user") return { role, content, timestamp };
      return { role, content, timestamp, api: model.api, provider: model.provider, model: model.id, usage: none, stopReason: "stop" as const };
    }),
  };
}

/** Pi has one text for every failure: what kind it is stands in it. */
function failureOf({ stopReason, errorMessage = "" }: Streamed): ModelError {
  if (stopReason === "aborted") return new ModelError("aborted", "aborted", "The call was given up.");
  const status = /\b([45]\d\d)\b/.exec(errorMessage)?.[1];
  const code = status === undefined ? "provider-error" : `http-${status}`;
  const kind = /context.{0,20}(?:length|window|overflow)|too (?:long|many tokens)/i.test(errorMessage)
    ? "overflow"
    : status === "401" || status === "403" || /api key|credential|unauthori[sz]ed|log ?in/i.test(errorMessage)
      ? "auth"
      : status?.startsWith("4") && status !== "408" && status !== "429" && status !== "421"
        ? "invalid"
        : "transient";
  return new ModelError(kind, code, errorMessage === "" ? "The provider failed without a word." : errorMessage);
}

/** A model's name as a person writes it. */
export function nameOf(name: string): string {
  return name === CURRENT ? "the session's own model" : name === "none" ? "no model" : name;
}
