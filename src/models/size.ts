// How large an answer may be: a server that never ends must not fill the memory before the ceiling of the call.
import type { Bytes, Tokens } from "../session/index.ts";
import { ModelError, type Thinking } from "./model.ts";
import { thinkingBudget } from "./thinking.ts";

/** Far more than any token holds. */
const BYTES_A_TOKEN = 64;
/** For servers that count thinking apart, or not at all. */
const LEAST: Bytes = 1_000_000;
/** A token is often an event of its own, with some hundred bytes around it. */
const WIRE_BYTES_A_TOKEN = 1024;
const WIRE_LEAST: Bytes = 16_000_000;
/** The body of an error that is read. */
export const ERROR_BYTES: Bytes = 64 * 1024;

interface Limits {
  readonly maxOutputTokens: Tokens;
  readonly thinking: Thinking;
}

/** The most that text and thinking of an answer may take. */
export function mostBytes(limits: Limits): Bytes {
  return Math.max(LEAST, tokens(limits) * BYTES_A_TOKEN);
}

/** The most that may come over the wire for them. */
export function wireBytes(limits: Limits): Bytes {
  return Math.max(WIRE_LEAST, tokens(limits) * WIRE_BYTES_A_TOKEN);
}

/** Of class `invalid`: another try would be as long, and a second model is for one that cannot be reached. */
export function tooLong(name: string, most: Bytes): ModelError {
  return new ModelError(
    "invalid",
    "too-long",
    `${name} answered with more than ${most} bytes, far more than its limit of tokens can hold, and was left. Check whether the server keeps to max_tokens, or name another model.`,
  );
}

function tokens({ maxOutputTokens, thinking }: Limits): Tokens {
  return maxOutputTokens + thinkingBudget(thinking);
}
