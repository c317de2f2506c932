// Reads one JSON value with its places, as far as it goes: a text that is cut, or goes on with something else, still gives what it holds.

export type JsonNode =
  | { readonly kind: "object"; readonly start: number; end: number; readonly keys: string[]; readonly values: JsonNode[]; cut: boolean }
  | { readonly kind: "array"; readonly start: number; end: number; readonly values: JsonNode[]; cut: boolean }
  /** A string, a number or a word; `cut` where the text ends within it, or a container deeper than is read. */
  | { readonly kind: "string" | "plain" | "deep"; readonly start: number; readonly end: number; readonly cut: boolean };

type Container = Extract<JsonNode, { values: JsonNode[] }>;

export interface Scan {
  readonly value: JsonNode;
  /** Behind the value. */
  readonly end: number;
  /** Offset of what is no JSON, or of the text's end where the value is cut; `undefined` where it is whole. */
  readonly broken?: number;
}

/** Containers in each other that are read; what is deeper is only passed over. */
const DEEPEST = 32;

const PLAIN = /[-+.\w]+/y;

/** Reads the value that begins at `from`; `undefined` where none does. One pass, no recursion. */
export function scanJson(text: string, from: number): Scan | undefined {
  const open: Container[] = [];
  let root: JsonNode | undefined;
  let at = from;
  const close = (broken: number): Scan | undefined => {
    for (const each of open) {
      each.cut = true;
      each.end = broken;
    }
    return root && { value: root, end: broken, broken };
  };
  for (;;) {
    at = afterBlanks(text, at);
    const top = open.at(-1);
    if (at >= text.length) return close(text.length);
    const code = text.charCodeAt(at);
    if (top && (code === 93 || code === 125)) {
      if ((code === 93) !== (top.kind === "array") || (top.kind === "object" && top.keys.length > top.values.length)) return close(at);
      at += 1;
      top.end = at;
      open.pop();
    } else {
      if (top?.kind === "object" && top.keys.length === top.values.length) {
        const end = code === 34 ? stringEnd(text, at) : -1;
        const colon = end < 0 ? -1 : afterBlanks(text, end);
        const cut = (code === 34 && end < 0) || colon >= text.length;
        if (cut || text.charCodeAt(colon) !== 58) return close(cut ? text.length : at);
        top.keys.push(unquoted(text, at, end));
        at = colon + 1;
        continue;
      }
      const value = valueAt(text, at, open.length);
      if (!value) return close(at);
      if (top) top.values.push(value);
      root ??= value;
      at = value.end;
      if ("values" in value) {
        open.push(value);
        continue;
      }
      if (value.cut && value.kind !== "deep") return close(text.length);
    }
    if (open.length === 0) return root && { value: root, end: at };
    at = afterBlanks(text, at);
    const next = text.charCodeAt(at);
    if (next === 44) at += 1;
    else if (next !== 93 && next !== 125) return close(at);
  }
}

function valueAt(text: string, at: number, depth: number): JsonNode | undefined {
  const code = text.charCodeAt(at);
  if (code === 34) {
    const end = stringEnd(text, at);
    return { kind: "string", start: at, end: end < 0 ? text.length : end, cut: end < 0 };
  }
  if (code === 123 || code === 91) {
    if (depth >= DEEPEST) return { kind: "deep", start: at, ...passed(text, at) };
    if (code === 123) return { kind: "object", start: at, end: at + 1, keys: [], values: [], cut: false };
    return { kind: "array", start: at, end: at + 1, values: [], cut: false };
  }
  PLAIN.lastIndex = at;
  const match = PLAIN.exec(text);
  return match ? { kind: "plain", start: at, end: PLAIN.lastIndex, cut: false } : undefined;
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
