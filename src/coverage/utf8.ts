// Where a text in UTF-8 can be cut: at the first byte of a code point.
import { isUtf8 } from "node:buffer";
import type { Bytes } from "../session/index.ts";
import { checkedOffset, checkedSpan, type Span } from "./span.ts";

/** Bytes that are no text. Reading windows of them would lose some. */
class Utf8Error extends Error {
  override readonly name = "Utf8Error";
  readonly code = "E_NOT_UTF8";
  constructor(at: Bytes) {
    super(`E_NOT_UTF8: from byte ${at} on: expected UTF-8, found bytes that are none. Decode the text, which replaces them, and encode it again.`);
  }
}

/**
 * The greatest start of a code point at or before byte `i`; the length of the text stays.
 * @throws SpanError where `i` is not in the text
 */
export function floorTo(bytes: Uint8Array, i: Bytes): Bytes {
  let at = checkedOffset(i, bytes.length);
  while (at > 0 && continues(bytes[at])) at--;
  return at;
}

/** The least start of a code point behind byte `i`, or the length of the text. */
export function nextStart(bytes: Uint8Array, i: Bytes): Bytes {
  let at = i + 1;
  while (continues(bytes[at])) at++;
  return Math.min(at, bytes.length);
}

/**
 * A span with both ends moved to code points; undefined where nothing is left of it. Spans that share a cut still share it, without gap or overlap.
 * @throws SpanError where it is no span of the text
 */
export function snapped(bytes: Uint8Array, span: Span): Span | undefined {
  checkedSpan(span, bytes.length);
  const [start, end] = [floorTo(bytes, span.start), floorTo(bytes, span.end)];
  return start < end ? { start, end } : undefined;
}

/** @throws Utf8Error which says where the first bytes stand that are no code point */
export function checkUtf8(bytes: Uint8Array): void {
  if (isUtf8(bytes)) return;
  let [good, bad] = [0, bytes.length];
  while (good < bad) {
    const middle = (good + bad + 1) >>> 1;
    if (isUtf8(bytes.subarray(0, floorTo(bytes, middle)))) good = middle;
    else bad = middle - 1;
  }
  throw new Utf8Error(floorTo(bytes, good));
}

/** Whether a byte goes on with a code point that begins before it. */
function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
