// One span of bytes, and every way in which two numbers are none.
import type { Bytes } from "../session/index.ts";

/** The bytes `[start, end)` of a text in UTF-8: safe integers, `0 <= start < end`. */
export interface Span {
  readonly start: Bytes;
  readonly end: Bytes;
}

/** Two values that may be a span, such as a model's reply holds. */
export interface Asked {
  readonly start: unknown;
  readonly end: unknown;
}

/** In the order in which they are looked for. */
export type SpanErrorCode = "E_NOT_INTEGER" | "E_NEGATIVE" | "E_INVERTED" | "E_EMPTY" | "E_OUT_OF_SCOPE";

/** Numbers that are no span, offset or length. Nothing is clamped: the message says what was expected and what was found. */
export class SpanError extends Error {
  override readonly name = "SpanError";
  readonly code: SpanErrorCode;
  constructor(code: SpanErrorCode, place: string, expected: string, found: string) {
    super(`${code}: ${place}: expected ${expected}, found ${found}`);
    this.code = code;
  }
}

/**
 * The values as a span of a scope of `length` bytes; without a length, of one without end.
 * @throws SpanError
 */
export function checkedSpan({ start, end }: Asked, length: Bytes = Number.MAX_SAFE_INTEGER): Span {
  const [from, to] = [safeInteger("start", start), safeInteger("end", end)];
  notNegative("start", from);
  notNegative("end", to);
  if (to < from) throw new SpanError("E_INVERTED", "end", `more than start, ${from}`, `${to}`);
  if (to === from) throw new SpanError("E_EMPTY", "end", `more than start, ${from}`, `${to}`);
  if (to > length) throw new SpanError("E_OUT_OF_SCOPE", "end", `at most ${length}, the bytes of the scope`, `${to}`);
  return { start: from, end: to };
}

/**
 * The value as a length in bytes.
 * @throws SpanError
 */
export function checkedLength(length: unknown): Bytes {
  return notNegative("length", safeInteger("length", length));
}

/**
 * The value as an offset into a text of `length` bytes, its end included.
 * @throws SpanError
 */
export function checkedOffset(offset: unknown, length: Bytes): Bytes {
  const at = notNegative("offset", safeInteger("offset", offset));
  if (at > length) throw new SpanError("E_OUT_OF_SCOPE", "offset", `at most ${length}, the bytes of the text`, `${at}`);
  return at;
}

function safeInteger(place: string, value: unknown): number {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value as number;
  throw new SpanError("E_NOT_INTEGER", place, `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`, shown(value));
}

function notNegative(place: string, value: number): number {
  if (value < 0) throw new SpanError("E_NEGATIVE", place, "0 or more", `${value}`);
  return value;
}

/** A value of any kind in a message: short, and never a failure of its own. */
function shown(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
