// Where a value stands in the bytes of a JSON text: what is put in its place leaves every other byte as it was.

export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The span of the value at a path of keys, in bytes that are JSON; of equal keys the last counts, as for a parser. Undefined where there is none. */
export function spanAt(bytes: Buffer, path: readonly (string | number)[]): Span | undefined {
  let at: Span | undefined = valueFrom(bytes, 0);
  for (const key of path) at = at && (typeof key === "number" ? element(bytes, at.start, key) : member(bytes, at.start, key));
  return at;
}

/** The bytes with each span replaced. Spans do not overlap. */
export function spliced(bytes: Buffer, edits: readonly (Span & { readonly by: Uint8Array })[]): Buffer {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, by } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(from, start), by);
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

function member(bytes: Buffer, object: number, key: string): Span | undefined {
  let found: Span | undefined;
  if (bytes[object] !== 0x7b) return undefined;
  for (let at = blank(bytes, object + 1); bytes[at] === QUOTE; ) {
    const nameEnd = stringEnd(bytes, at);
    const isIt = keyOf(bytes, at, nameEnd) === key;
    at = blank(bytes, nameEnd);
    if (bytes[at] !== COLON) return found;
    const value = valueFrom(bytes, at + 1);
    if (isIt) found = value;
    at = blank(bytes, value.end);
    if (bytes[at] === COMMA) at = blank(bytes, at + 1);
  }
  return found;
}

function keyOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function element(bytes: Buffer, list: number, index: number): Span | undefined {
  if (bytes[list] !== 0x5b) return undefined;
  let at = blank(bytes, list + 1);
  for (let count = 0; at < bytes.length && bytes[at] !== 0x5d; count++) {
    const value = valueFrom(bytes, at);
    if (count === index) return value;
    at = blank(bytes, value.end);
    if (bytes[at] === COMMA) at = blank(bytes, at + 1);
  }
  return undefined;
}

/** The value that begins at or behind `from`. */
function valueFrom(bytes: Buffer, from: number): Span {
  const start = blank(bytes, from);
  if (bytes[start] === QUOTE) return { start, end: stringEnd(bytes, start) };
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return { start, end: trimmed(bytes, start, at) };
      depth -= 1;
      if (depth === 0) return { start, end: at + 1 };
    } else if (byte === COMMA && depth === 0) return { start, end: trimmed(bytes, start, at) };
  }
  return { start, end: trimmed(bytes, start, bytes.length) };
}

/** The index behind the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function blank(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

function trimmed(bytes: Buffer, start: number, from: number): number {
  let end = from;
  while (end > start && isBlank(bytes[end - 1])) end -= 1;
  return end;
}
