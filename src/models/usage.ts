// Usage as the providers report it: read off the raw stream, where what was not reported is not there instead of 0.
import type { Tokens } from "../session/index.ts";
import type { ModelUsage } from "./model.ts";

export const NO_USAGE: ModelUsage = Object.freeze({ input: undefined, cacheRead: undefined, output: undefined });

/** The usage after one more event of a stream; the same object where the event reports none. */
export function usageAfter(before: ModelUsage, event: unknown): ModelUsage {
  const usage = field(event, "usage") ?? field(field(event, "message"), "usage");
  if (typeof usage !== "object" || usage === null) return before;
  const cacheRead = tokens(usage, "cache_read_input_tokens") ?? tokens(field(usage, "prompt_tokens_details"), "cached_tokens") ?? before.cacheRead;
  // No prompt has no tokens: where a protocol asks for a number, 0 stands for none reported.
  const input = inputOf(usage) || before.input;
  return { input, cacheRead, output: tokens(usage, "completion_tokens") ?? tokens(usage, "output_tokens") ?? before.output };
}

/** Chat Completions count cached input in, the Messages API counts it apart. */
function inputOf(usage: object): Tokens | undefined {
  const fresh = tokens(usage, "input_tokens");
  if (fresh === undefined) return tokens(usage, "prompt_tokens");
  return fresh + (tokens(usage, "cache_read_input_tokens") ?? 0) + (tokens(usage, "cache_creation_input_tokens") ?? 0);
}

function tokens(of: unknown, key: string): Tokens | undefined {
  const value = field(of, key);
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
