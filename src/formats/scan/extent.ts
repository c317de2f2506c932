// Where a JSON object or array ends, found byte by byte: forwards over any cuts, backwards from its last byte.
import type { Bytes } from "../../session/index.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (byte: number | undefined) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number | undefined) => byte === 0x7d || byte === 0x5d;

/** Follows one object or array from its first byte. Brackets are counted, not matched: whoever has the bytes parses them. */
export class Extent {
  #depth = 0;
  /** The two outermost brackets that are open. */
  readonly #outer: [number, number] = [0, 0];
  #escaped = false;
  #inString = false;

  /** Whether the bytes so far end within a string, where JSON has no line end. */
  get inString(): boolean {
    return this.#inString;
  }

  /** Whether the bytes so far end within a list that is the value itself or a member of it, not within one of its elements. */
  get inOuterList(): boolean {
    return this.#outer[this.#depth - 1] === 0x5b && !this.#inString;
  }

  /** Takes the next bytes. Gives the index behind the value's last byte, or -1 where the value goes on. */
  take(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; ) {
      if (this.#inString) {
        at = this.#string(bytes, at);
        continue;
      }
      const byte = bytes[at++];
      if (byte === QUOTE) this.#inString = true;
      else if (isOpening(byte)) {
        if (this.#depth < 2) this.#outer[this.#depth] = byte as number;
        this.#depth += 1;
      } else if (isClosing(byte)) {
        this.#depth -= 1;
        if (this.#depth <= 0) return at;
      }
    }
    return -1;
  }

  /** Goes on inside a string; gives the index behind its closing quote or the end. */
  #string(bytes: Buffer, from: number): number {
    if (this.#escaped) {
      this.#escaped = false;
      return from + 1;
    }
    for (let at = from; ; ) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? bytes.length : quote;
      const isEscaped = backslashesBefore(bytes, at, end) % 2 === 1;
      if (quote < 0) {
        this.#escaped = isEscaped;
        return end;
      }
      at = quote + 1;
      if (isEscaped) continue;
      this.#inString = false;
      return at;
    }
  }
}

/** Follows one string from its opening quote. */
export class StringExtent {
  #begun = false;
  #escaped = false;

  /** Takes the next bytes. Gives the index behind the closing quote, or -1 where the string goes on. */
  take(bytes: Buffer): number {
    let at = this.#begun ? 0 : 1;
    this.#begun = true;
    if (this.#escaped && bytes.length > 0) at = 1;
    this.#escaped = false;
    for (;;) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? bytes.length : quote;
      const isEscaped = backslashesBefore(bytes, at, end) % 2 === 1;
      if (quote < 0) {
        this.#escaped = isEscaped;
        return -1;
      }
      at = quote + 1;
      if (!isEscaped) return at;
    }
  }
}

function backslashesBefore(bytes: Buffer, from: number, to: number): number {
  let at = to;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return to - at;
}

/** The start of the object or array whose last byte is before `end`; -1 where none starts at `from` or later. */
export function startOfLast(bytes: Buffer, from: number, end: Bytes): number {
  let depth = 0;
  for (let at = end - 1; at >= from; at--) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = openingQuote(bytes, from, at);
      if (at < 0) return -1;
    } else if (isClosing(byte)) depth += 1;
    else if (isOpening(byte)) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The quote that opens the string which closes at `close`. */
function openingQuote(bytes: Buffer, from: number, close: number): number {
  for (let at = close; at > from; ) {
    at = bytes.lastIndexOf(QUOTE, at - 1);
    if (at < from || at < 0) return -1;
    if (backslashesBefore(bytes, from, at) % 2 === 0) return at;
  }
  return -1;
}
