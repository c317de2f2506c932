// Reads one JSON value with its places, as far as it goes: a text that is cut, or goes on with something else, still gives what it holds.

export type JsonNode =
  | { readonly kind: "object"; readonly start: number; end: number; keys: readonly string[]; values: readonly JsonNode[]; cut: boolean }
  | { readonly kind: "array"; readonly start: number; end: number; values: readonly JsonNode[]; cut: boolean }
  /** A string, a number or a word; `cut` where the text ends within it, or a container deeper than is read. */
  | { readonly kind: "string" | "plain" | "deep"; readonly start: number; readonly end: number; readonly cut: boolean };

export type Container = Extract<JsonNode, { values: readonly JsonNode[] }>;

export interface Scan {
  readonly value: JsonNode;
  /** Behind the value. */
  readonly end: number;
  /** Offset of what is no JSON, or of the text's end where the value is cut; `undefined` where it is whole. */
  readonly broken?: number;
}

/** Containers in each other that are read; what is deeper is only passed over. */
const DEEPEST = 32;

/** Characters of numbers and words. */
const PLAIN = plainTable();

function plainTable(): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(1, 48, 58).fill(1, 65, 91).fill(1, 97, 123);
  for (const sign of "-+._") table[sign.charCodeAt(0)] = 1;
  return table;
}

const NONE: readonly never[] = [];

/** What a scan has open; one scanner reads one value after the other, and keeps its room. */
export interface Scanner {
  readonly containers: Container[];
  /** Keys and values of all open containers, of which the first `keyCount` and `valueCount` count: each container gets its own when it is closed. */
  readonly keys: string[];
  readonly values: JsonNode[];
  keyCount: number;
  valueCount: number;
  /** Where the keys and values of each open container begin. */
  readonly firstKey: number[];
  readonly firstValue: number[];
  /** Keys that were met lately, by their length and ends: most come again and again. */
  readonly met: (string | undefined)[];
}

export function newScanner(): Scanner {
  return { containers: [], keys: [], values: [], keyCount: 0, valueCount: 0, firstKey: [], firstValue: [], met: new Array<undefined>(64).fill(undefined) };
}

/** Reads the value that begins at `from`; `undefined` where none does. One pass, no recursion. */
export function scanJson(text: string, from: number, scanner: Scanner = newScanner()): Scan | undefined {
  const { containers, keys, values } = scanner;
  scanner.keyCount = 0;
  scanner.valueCount = 0;
  let root: JsonNode | undefined;
  let at = from;
  // A key whose value has not come yet.
  let keyed = false;
  for (;;) {
    at = afterBlanks(text, at);
    const top = containers[containers.length - 1];
    if (at >= text.length) return broken(scanner, root, text.length);
    const code = text.charCodeAt(at);
    if (top && (code === 93 || code === 125)) {
      if ((code === 93) !== (top.kind === "array") || keyed) return broken(scanner, root, at);
      at += 1;
      close(scanner, at, false);
    } else {
      if (top?.kind === "object" && !keyed) {
        const end = code === 34 ? stringEnd(text, at) : -1;
        const colon = end < 0 ? -1 : afterBlanks(text, end);
        const cut = (code === 34 && end < 0) || colon >= text.length;
        if (cut || text.charCodeAt(colon) !== 58) return broken(scanner, root, cut ? text.length : at);
        keys[scanner.keyCount++] = keyAt(text, at, end, scanner.met);
        keyed = true;
        at = colon + 1;
        continue;
      }
      const value = valueAt(text, at, containers.length);
      if (!value) return broken(scanner, root, at);
      values[scanner.valueCount++] = value;
      keyed = false;
      root ??= value;
      at = value.end;
      if ("values" in value) {
        containers.push(value);
        scanner.firstKey.push(scanner.keyCount);
        scanner.firstValue.push(scanner.valueCount);
        continue;
      }
      if (value.cut && value.kind !== "deep") return broken(scanner, root, text.length);
    }
    if (containers.length === 0) return root && { value: root, end: at };
    at = afterBlanks(text, at);
    const next = text.charCodeAt(at);
    if (next === 44) at += 1;
    else if (next !== 93 && next !== 125) return broken(scanner, root, at);
  }
}

/** Everything that is open ends here. */
function broken(scanner: Scanner, root: JsonNode | undefined, where: number): Scan | undefined {
  while (scanner.containers.length > 0) close(scanner, where, true);
  return root && { value: root, end: where, broken: where };
}

/** Closes the innermost container, which ends before `end`. */
function close(scanner: Scanner, end: number, cut: boolean): void {
  const container = scanner.containers.pop() as Container;
  const key = scanner.firstKey.pop() as number;
  const value = scanner.firstValue.pop() as number;
  container.end = end;
  container.cut = cut;
  if (container.kind === "object") container.keys = scanner.keys.slice(key, scanner.keyCount);
  container.values = scanner.values.slice(value, scanner.valueCount);
  scanner.keyCount = key;
  scanner.valueCount = value;
}

/** What a key says; mostly the same string where it has come before. */
function keyAt(text: string, start: number, end: number, met: Scanner["met"]): string {
  const length = end - start - 2;
  const slot = (length * 31 + text.charCodeAt(start + 1) * 7 + text.charCodeAt(end - 2)) & 63;
  const known = met[slot];
  if (known !== undefined && known.length === length && text.startsWith(known, start + 1)) return known;
  const key = unquoted(text, start, end);
  if (key.length === length) met[slot] = key;
  return key;
}

function valueAt(text: string, at: number, depth: number): JsonNode | undefined {
  const code = text.charCodeAt(at);
  if (code === 34) {
    const end = stringEnd(text, at);
    return { kind: "string", start: at, end: end < 0 ? text.length : end, cut: end < 0 };
  }
  if (code === 123 || code === 91) {
    if (depth >= DEEPEST) return { kind: "deep", start: at, ...passed(text, at) };
    if (code === 123) return { kind: "object", start: at, end: at + 1, keys: NONE, values: NONE, cut: false };
    return { kind: "array", start: at, end: at + 1, values: NONE, cut: false };
  }
  let end = at;
  while (end < text.length && PLAIN[text.charCodeAt(end)] === 1) end += 1;
  return end > at ? { kind: "plain", start: at, end, cut: false } : undefined;
}

/** Passes over a container by its brackets. */
function passed(text: string, from: number): { readonly end: number; readonly cut: boolean } {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = stringEnd(text, at);
      if (end < 0) break;
      at = end - 1;
    } else if (code === 123 || code === 91) depth += 1;
    else if ((code === 125 || code === 93) && --depth === 0) return { end: at + 1, cut: false };
  }
  return { end: text.length, cut: true };
}

/** Behind the quote that closes the string at `at`; -1 where none does. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return at;
}

/** What a string says; as it stands where it is none of JSON's. */
export function unquoted(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  if (!raw.includes("\\")) return raw.slice(1, -1);
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.slice(1, -1);
  }
}
