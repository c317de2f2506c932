// The words of a text that an agent comes back to: paths, identifiers, values, codes, addresses.
import { borrowCodes, giveBackCodes } from "./codes.ts";

/** What an anchor is; the order is that in which they are listed when not all can be. */
export type AnchorClass = "path" | "code" | "value" | "identifier" | "quoted" | "place";

/** Called for each anchor in text order, repeats included, with where it begins and ends. `at`: the offset of the word it stands in; `codes`: the text's units. */
type SpanVisitor = (start: number, end: number, what: AnchorClass, at: number, codes: Uint16Array) => void;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const SLASH = 16;
const DOT = 32;
const DASH = 64;
const SIGN = 128;

const CLASSES = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(0x10000);
  table.fill(LOWER, 97, 123).fill(UPPER, 65, 91).fill(DIGIT, 48, 58);
  table[95] = UNDERSCORE;
  table[36] = UNDERSCORE;
  table[47] = SLASH;
  table[92] = SLASH;
  table[46] = DOT;
  table[45] = DASH;
  for (const sign of "@~+#%") table[sign.charCodeAt(0)] = SIGN;
  return table;
}

/** Longer words are data, not names. */
const LONGEST = 200;

/** Characters of a file's extension. */
const EXTENSION_LENGTH = 10;
const FILE_EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonl json5 md mdx txt py pyi rb go rs java kt kts scala swift c h cc cpp cxx hpp hh cs fs vb php pl pm lua r jl ex exs erl hs ml " +
    "sh bash zsh fish ps1 bat cmd yml yaml toml ini cfg conf env lock xml html htm css scss sass less svg png jpg jpeg gif webp ico pdf csv tsv sql proto graphql " +
    "vue svelte astro tf gradle properties log diff patch snap traj ipynb wasm map sum mod tape plist db sqlite zip gz tgz tar"
  ).split(" "),
);
const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ERROR_CODE =
  /^(?:[A-Z]{1,5}-?\d{3,5}|E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|NOTEMPTY|MFILE|PIPE|INVAL|BADF|BUSY|NOSPC|ROFS|CONNREFUSED|CONNRESET|TIMEDOUT|ADDRINUSE|HOSTUNREACH|AI_AGAIN|RESOLVE|INTEGRITY|404))$/;
/** Names that every program has and nobody looks for. */
const COMMONPLACE = new Set(
  (
    "toString forEach indexOf toBe toEqual toBeDefined toBeUndefined toContain toThrow toHaveLength useState useEffect useRef beforeEach afterEach beforeAll afterAll isArray fromEntries " +
    "startsWith endsWith charCodeAt toLowerCase toUpperCase replaceAll setTimeout clearTimeout JavaScript TypeScript GitHub hasOwnProperty async_hooks __init__ __name__ __main__ innerHTML className " +
    "addEventListener readFileSync writeFileSync existsSync isinstance"
  ).split(" "),
);

/**
 * The anchors of a text: what to remember as known. A path of more than three segments comes with its last three, and a place in a file (`a/b.ts:12`) with its path.
 *
 * @example new Set(anchors("see src/a/parseRange.ts:12")) // src/a/parseRange.ts, parseRange, src/a/parseRange.ts:12
 */
export function anchors(text: string): Iterable<string> {
  const found: string[] = [];
  visitSpans(text, (start, end, what) => {
    const anchor = text.slice(start, end);
    if (isCommonplace(anchor, what)) return;
    found.push(anchor);
    if (what !== "path") return;
    const tail = pathTail(anchor);
    if (tail !== anchor) found.push(tail);
  });
  return found;
}

/** Whether an anchor that was visited is a name that every program has. */
export function isCommonplace(anchor: string, what: AnchorClass): boolean {
  return what === "identifier" && COMMONPLACE.has(anchor);
}

/** The last three segments of a path, by which it is recognized under any root. */
export function pathTail(path: string): string {
  if (path.includes("://")) return path;
  let slashes = 0;
  for (let at = path.length - 1; at >= 0; at--) {
    const code = path.charCodeAt(at);
    if ((code === 47 || code === 92) && ++slashes === 3) return path.slice(at + 1);
  }
  return path;
}

/** Visits the anchors of a text in one pass, commonplace names among them; nothing is copied but its units. */
export function visitSpans(text: string, visit: SpanVisitor): void {
  const codes = borrowCodes(text);
  try {
    visitWords(text, codes, visit);
  } finally {
    giveBackCodes(codes);
  }
}

function visitWords(text: string, codes: Uint16Array, visit: SpanVisitor): void {
  const end = text.length;
  let at = 0;
  while (at < end) {
    if (CLASSES[codes[at] as number] === 0) {
      at += 1;
      continue;
    }
    const start = at;
    let kinds = 0;
    let previous = 0;
    let humps = false;
    for (; at < end; at++) {
      const kind = CLASSES[codes[at] as number] as number;
      if (kind === 0) break;
      if (kind === UPPER && previous === LOWER) humps = true;
      kinds |= kind;
      previous = kind;
    }
    if (codes[at] === 58) at = afterColon(text, codes, start, at, kinds, visit);
    else if (humps || (kinds & ~(LOWER | UPPER)) !== 0 || isCapital(codes, start, at, kinds)) visitWord(text, codes, start, at, kinds, visit);
  }
}

/** A word of capitals alone may be the code of an error. */
function isCapital(codes: Uint16Array, start: number, end: number, kinds: number): boolean {
  return kinds === UPPER && end - start >= 5 && codes[start] === 69;
}

/** A colon ends a word unless it stands in an address, after a drive, or before a line number. Returns where reading goes on. */
function afterColon(text: string, codes: Uint16Array, start: number, colon: number, kinds: number, visit: SpanVisitor): number {
  const next = codes[colon + 1];
  if (next === 47 && codes[colon + 2] === 47 && (kinds & ~(LOWER | UPPER)) === 0) {
    const end = addressEnd(codes, colon + 3, text.length);
    if (end > colon + 3 && end - start <= LONGEST) visit(start, end, "path", start, codes);
    return end;
  }
  if (colon - start === 1 && (next === 92 || next === 47) && kinds <= UPPER) {
    let end = colon + 1;
    while (CLASSES[codes[end] as number] !== 0) end += 1;
    const from = trimmedStart(codes, start, end);
    const to = trimmedEnd(codes, start, end);
    if (to - from <= LONGEST) visit(from, to, "path", start, codes);
    visitParts(text, codes, from, to, start, visit);
    return codes[end] === 58 ? visitPlace(codes, start, end, from, to, visit) : end;
  }
  visitWord(text, codes, start, colon, kinds, visit);
  if ((kinds & (SLASH | DOT)) === 0) return colon + 1;
  const to = trimmedEnd(codes, start, colon);
  const from = trimmedStart(codes, start, to);
  return isPath(text, codes, from, to) ? visitPlace(codes, start, colon, from, to, visit) : colon + 1;
}

const ADDRESS_END = addressTable(" \t\n\v\f\r\"'`<>()[]{},;|\\");
const SENTENCE_END = addressTable(".:!?");

function addressTable(signs: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}

function addressEnd(codes: Uint16Array, from: number, length: number): number {
  let end = from;
  while (end < length && end - from <= LONGEST && !isAddressEnd(codes[end] as number)) end += 1;
  while (end > from && SENTENCE_END[codes[end - 1] as number] === 1) end -= 1;
  return end;
}

function isAddressEnd(code: number): boolean {
  return code < 128 ? ADDRESS_END[code] === 1 : /\s/.test(String.fromCharCode(code));
}

/** `a/b.ts:12` or `a/b.ts:12:7`: the place as well as the path. */
function visitPlace(codes: Uint16Array, start: number, colon: number, from: number, to: number, visit: SpanVisitor): number {
  let end = colon + 1;
  while (CLASSES[codes[end] as number] === DIGIT) end += 1;
  if (end > colon + 1 && end - colon < 8 && to - from <= LONGEST && to === colon) visit(from, end, "place", start, codes);
  return end;
}

/** Where a word ends without the signs of a sentence behind it. */
function trimmedEnd(codes: Uint16Array, start: number, end: number): number {
  let to = end;
  while (to > start && (CLASSES[codes[to - 1] as number] as number) & (DOT | DASH | SIGN)) to -= 1;
  return to;
}

/** Where a word begins without the signs of an option before it. */
function trimmedStart(codes: Uint16Array, start: number, end: number): number {
  let from = start;
  while (from < end && (CLASSES[codes[from] as number] as number) & (DASH | SIGN) && !isKept(codes[from] as number)) from += 1;
  return from;
}

/** `~` and `@` belong to the name behind them. */
function isKept(code: number): boolean {
  return code === 126 || code === 64;
}

function visitWord(text: string, codes: Uint16Array, start: number, end: number, kinds: number, visit: SpanVisitor): void {
  if (end - start > LONGEST) return;
  const to = kinds & (DOT | DASH | SIGN) ? trimmedEnd(codes, start, end) : end;
  const from = kinds & (DOT | DASH | SIGN) ? trimmedStart(codes, start, to) : start;
  if (to - from < 4) return;
  if ((kinds & (SLASH | DOT)) !== 0 && isPath(text, codes, from, to)) {
    visit(from, to, "path", start, codes);
    visitParts(text, codes, from, to, start, visit);
    return;
  }
  if ((kinds & (SLASH | DOT | DASH | SIGN)) === 0) {
    if (kinds !== DIGIT || !isPosition(codes, start, end)) visitPart(text, codes, from, to, start, visit);
    return;
  }
  if ((kinds & DASH) !== 0 && to - from === UUID_LENGTH && UUID.test(text.slice(from, to))) {
    visit(from, to, "value", start, codes);
    return;
  }
  const quote = start > 0 ? codes[start - 1] : 0;
  if ((quote === 34 || quote === 39 || quote === 96) && codes[end] === quote && (kinds & (LOWER | UPPER)) !== 0 && to - from <= 60)
    visit(from, to, "quoted", start, codes);
  visitParts(text, codes, from, to, start, visit);
}

/** `(12,` or `(12)`: a compiler's line in a file. */
function isPosition(codes: Uint16Array, start: number, end: number): boolean {
  return start > 0 && codes[start - 1] === 40 && (codes[end] === 44 || codes[end] === 41);
}

function isPath(text: string, codes: Uint16Array, from: number, to: number): boolean {
  let first = -1;
  let last = -1;
  let dot = -1;
  let letters = false;
  // Whether a separator stands between two names.
  let joined = false;
  let before = 0;
  for (let at = from; at < to; at++) {
    const kind = CLASSES[codes[at] as number] as number;
    if (kind === SLASH) {
      if (first < 0) first = at;
      last = at;
      if (before === NAME) before = JOINT;
      continue;
    }
    if (kind === DOT) dot = at;
    if ((kind & (LOWER | UPPER)) !== 0) letters = true;
    const name = (kind & (LOWER | UPPER | DIGIT)) !== 0 || codes[at] === 95;
    if (name && before === JOINT) joined = true;
    before = name ? NAME : 0;
  }
  if (last < 0) return dot > from && isFileName(text, codes, dot + 1, to);
  if (!letters || (codes[from] === 47 && codes[from + 1] === 47)) return false;
  if (last < to - 1 && dot >= 0 && isExtension(codes, dot + 1, to)) return true;
  // Words joined by one slash are mostly prose: `and/or`.
  return first < last && joined;
}

/** What stands before a place in a word: a character of a name, or separators behind one. */
const NAME = 1;
const JOINT = 2;

/** A letter and up to nine letters or digits. */
function isExtension(codes: Uint16Array, from: number, to: number): boolean {
  if (to === from || to - from > EXTENSION_LENGTH) return false;
  if (((CLASSES[codes[from] as number] as number) & (LOWER | UPPER)) === 0) return false;
  for (let at = from + 1; at < to; at++) if (((CLASSES[codes[at] as number] as number) & (LOWER | UPPER | DIGIT)) === 0) return false;
  return true;
}

function isFileName(text: string, codes: Uint16Array, from: number, to: number): boolean {
  return to - from <= EXTENSION_LENGTH && CLASSES[codes[from] as number] !== DIGIT && FILE_EXTENSIONS.has(text.slice(from, to));
}

function visitParts(text: string, codes: Uint16Array, from: number, to: number, at: number, visit: SpanVisitor): void {
  let start = from;
  for (let end = from; end <= to; end++) {
    if (end < to && (CLASSES[codes[end] as number] as number) & (LOWER | UPPER | DIGIT | UNDERSCORE)) continue;
    if (end - start >= 4) visitPart(text, codes, start, end, at, visit);
    start = end + 1;
  }
}

/** A word of letters, digits and underscores alone. */
function visitPart(text: string, codes: Uint16Array, start: number, end: number, at: number, visit: SpanVisitor): void {
  let kinds = 0;
  let previous = 0;
  let humps = false;
  let digits = 0;
  let snake = false;
  // Of hexadecimal digits alone, a prefix of `0x` aside.
  let hex = true;
  for (let index = start; index < end; index++) {
    const code = codes[index] as number;
    const kind = CLASSES[code] as number;
    if (kind === UPPER && previous === LOWER) humps = true;
    if (kind === DIGIT) digits += 1;
    else if (hex && (code | 32) > 102 && !(index === start + 1 && (code | 32) === 120 && codes[start] === 48)) hex = false;
    else if (kind === UNDERSCORE) hex = false;
    if (kind === UNDERSCORE && code === 95 && index > start && index < end - 1) snake = true;
    kinds |= kind;
    previous = kind;
  }
  const length = end - start;
  if (digits === length) {
    if (isTelling(codes, start, end)) visit(start, end, "value", at, codes);
  } else if (digits > 0 && length >= 7 && hex) visit(start, end, "value", at, codes);
  else if ((kinds & (UPPER | LOWER | UNDERSCORE)) === UPPER && ERROR_CODE.test(text.slice(start, end))) visit(start, end, "code", at, codes);
  else if (humps || (snake && isSnake(text, start, end, kinds))) visit(start, end, "identifier", at, codes);
}

/** Names joined by underscores, letters among them. */
function isSnake(text: string, start: number, end: number, kinds: number): boolean {
  return (kinds & (LOWER | UPPER)) !== 0 && /[A-Za-z0-9]_+[A-Za-z0-9]/.test(text.slice(start, end));
}

/** Numbers that are chosen by nobody: no years, thousands or powers of two. */
function isTelling(codes: Uint16Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < 4 || length > 11) return false;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (codes[at] as number) - 48;
  if (value % 1000 === 0 || isPowerOfTwo(value)) return false;
  return !(length === 4 && value >= 1900 && value < 2100);
}

/** Of a whole number below 2 ** 46. */
function isPowerOfTwo(value: number): boolean {
  if (value >= 0x40000000) return value % 0x10000 === 0 && isPowerOfTwo(value / 0x10000);
  return (value & (value - 1)) === 0;
}
