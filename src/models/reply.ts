// One JSON object out of a model's reply, whatever it wrote around it.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Why there is no answer in a reply, in words that a model understands: they go into the turn that asks it to repair. */
export interface NoReply {
  readonly ok: false;
  readonly code: "too-large" | "array" | "no-object" | "not-valid";
  readonly reason: string;
}

export type ParsedReply<T> = { readonly ok: true; readonly value: T } | NoReply;

/** The longest reply that is looked into, in UTF-8 bytes. */
const MOST_BYTES = 1_000_000;
/** The deepest nesting; the top object is at depth 1. */
const MOST_DEPTH = 64;

/**
 * The first candidate that parses and is valid: the whole text; what follows the last `</think>`; the text without its thinking; each fenced block of
 * that, the last first; each object in it, the last first. Broken JSON is never mended. An object that parses is not looked into.
 *
 * ```ts
 * parseReply('Here: {"action":"done"}', (value): value is { action: string } => typeof value.action === "string");
 * ```
 */
export function parseReply<T extends JsonObject>(text: string, isValid: (value: JsonObject) => value is T): ParsedReply<T>;
export function parseReply(text: string, isValid: (value: JsonObject) => boolean): ParsedReply<JsonObject>;
export function parseReply(text: string, isValid: (value: JsonObject) => boolean): ParsedReply<JsonObject> {
  if (Buffer.byteLength(text) > MOST_BYTES) return no("too-large", `the reply is larger than ${MOST_BYTES} bytes`);
  const whole = text.replace(/^\uFEFF/, "");
  let objects = 0;
  for (const candidate of candidates(whole)) {
    if (candidate === "array") return no("array", "the reply is a JSON array, not one JSON object");
    objects += 1;
    if (isValid(candidate)) return { ok: true, value: candidate };
  }
  if (objects > 0) return no("not-valid", "the JSON object does not have the keys and types that were asked for");
  return no("no-object", "the reply holds no JSON object that parses");
}

function no(code: NoReply["code"], reason: string): NoReply {
  return { ok: false, code, reason };
}

/** Objects in the order in which they are tried; `array` ends the search. */
function* candidates(whole: string): Generator<JsonObject | "array"> {
  const answer = answerOf(whole);
  for (const text of new Set([whole, afterLast(whole, "</think>"), answer])) {
    const value = jsonOf(text);
    if (Array.isArray(value)) yield "array";
    else if (isObject(value)) yield value;
  }
  const arrays: Range[] = [];
  for (const block of fencedBlocks(answer).toReversed()) {
    const value = jsonOf(answer.slice(block.start, block.end));
    if (isObject(value)) yield value;
    else if (Array.isArray(value)) arrays.push(block);
  }
  // Objects in an array that was the answer are no answers.
  yield* balancedObjects(without(answer, arrays.toReversed())).toReversed();
}

/** `ranges`: in order, apart from one another. */
function without(text: string, ranges: readonly Range[]): string {
  const starts = [0, ...ranges.map(({ end }) => end)];
  return starts.map((start, at) => text.slice(start, ranges[at]?.start)).join("");
}

/** A text without its thinking, strictly: whatever stands between the tags, behind one that is not closed, before one that was not opened. */
function answerOf(text: string): string {
  let kept = "";
  let from = 0;
  for (let open = text.indexOf("<think>"); open >= 0; open = text.indexOf("<think>", from)) {
    kept += text.slice(from, open);
    const close = text.indexOf("</think>", open);
    if (close < 0) return afterLast(kept, "</think>");
    from = close + "</think>".length;
  }
  return afterLast(kept + text.slice(from), "</think>");
}

function afterLast(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(at + mark.length);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The insides of closed fenced blocks. */
function fencedBlocks(text: string): Range[] {
  const blocks: Range[] = [];
  let open: { readonly mark: string; readonly start: number } | undefined;
  for (const match of text.matchAll(/^[ \t]*(`{3,}|~{3,})([^\n]*)(?:\n|$)/gm)) {
    const [line, mark = "", info = ""] = match;
    if (open === undefined) open = { mark, start: match.index + line.length };
    else if (mark.startsWith(open.mark) && info.trim() === "") {
      blocks.push({ start: open.start, end: match.index });
      open = undefined;
    }
  }
  return blocks;
}

/** Each object that parses, none of them inside another. */
function balancedObjects(text: string): JsonObject[] {
  const found: JsonObject[] = [];
  const ends = new Map<number, number>();
  for (let start = text.indexOf("{"); start >= 0; ) {
    if (!ends.has(start)) findEnds(text, start, ends);
    const end = ends.get(start) as number;
    const value = end === NONE ? undefined : jsonOf(text.slice(start, end));
    if (isObject(value)) found.push(value);
    start = text.indexOf("{", isObject(value) ? end : start + 1);
  }
  return found;
}

/** The end of an object that does not parse. */
const NONE = -1;
const TOKEN = /[ \t\n\r]*(?:(")|(-?\d[\d.eE+-]*|true|false|null)|([{}[\],:]))/y;
type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

/** What is open: where it began, and how deep it is so far, itself counted. */
interface Frame {
  readonly sign: string;
  readonly start: number;
  height: number;
}

/**
 * Reads the object that begins there token by token, up to the first that cannot stand where it stands, and notes where it and every object inside it
 * end. Objects that are open at such a place are known not to parse, so that none of them is read again: a text of nothing but braces is read once.
 */
function findEnds(text: string, start: number, ends: Map<number, number>): void {
  const open: Frame[] = [];
  let expected: Expected = "value";
  let at = start;
  do {
    TOKEN.lastIndex = at;
    const [, quote, scalar, sign] = TOKEN.exec(text) ?? [];
    at = quote === undefined ? TOKEN.lastIndex : stringEnd(text, TOKEN.lastIndex);
    const next: Expected | undefined = at === NONE ? undefined : after(expected, { quote, scalar, sign }, open.at(-1)?.sign);
    if (next === undefined) break;
    expected = next;
    if (sign === "{" || sign === "[") open.push({ sign, start: at - 1, height: 1 });
    if (sign === "}" || sign === "]") {
      const closed = open.pop() as Frame;
      const above = open.at(-1);
      if (above) above.height = Math.max(above.height, closed.height + 1);
      if (sign === "}") ends.set(closed.start, closed.height <= MOST_DEPTH ? at : NONE);
    }
  } while (open.length > 0);
  for (const { start: unclosed } of open) ends.set(unclosed, NONE);
}

interface Token {
  readonly quote: string | undefined;
  readonly scalar: string | undefined;
  readonly sign: string | undefined;
}

/** What must follow a token; undefined where it cannot stand. `inside`: the sign of what is open. */
function after(expected: Expected, { quote, scalar, sign }: Token, inside: string | undefined): Expected | undefined {
  const isValue = expected.startsWith("value");
  switch (sign) {
    case "{":
      return isValue ? "key-or-end" : undefined;
    case "[":
      return isValue ? "value-or-end" : undefined;
    case ":":
      return expected === "colon" ? "value" : undefined;
    case ",":
      return expected === "comma-or-end" ? (inside === "{" ? "key" : "value") : undefined;
    case "}":
    case "]":
      return expected.endsWith("end") && inside === (sign === "}" ? "{" : "[") ? "comma-or-end" : undefined;
    default:
      if (quote !== undefined && expected.startsWith("key")) return "colon";
      return isValue && (quote ?? scalar) !== undefined ? "comma-or-end" : undefined;
  }
}

/** Behind the quote that ends the string whose inside begins there. */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') return at + 1;
    if (sign === "\n") return NONE;
    if (sign === "\\") at += 1;
  }
  return NONE;
}

/** The value of a text; undefined where it is no JSON, or too deep. */
function jsonOf(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return depthAtMost(value, MOST_DEPTH) ? value : undefined;
}

function depthAtMost(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return most > 0 && Object.values(value).every((inner) => depthAtMost(inner, most - 1));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
