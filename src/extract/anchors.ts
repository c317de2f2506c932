// The words of a text that an agent comes back to: paths, identifiers, values, codes, addresses.

/** What an anchor is; the order is that in which they are listed when not all can be. */
export type AnchorClass = "path" | "code" | "value" | "identifier" | "quoted" | "place";

/** Called for each anchor in text order, repeats included. `at`: the offset of the word it stands in. */
type AnchorVisitor = (anchor: string, what: AnchorClass, at: number) => void;

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
  const table = new Uint8Array(128);
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

const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;
const FILE_EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonl json5 md mdx txt py pyi rb go rs java kt kts scala swift c h cc cpp cxx hpp hh cs fs vb php pl pm lua r jl ex exs erl hs ml " +
    "sh bash zsh fish ps1 bat cmd yml yaml toml ini cfg conf env lock xml html htm css scss sass less svg png jpg jpeg gif webp ico pdf csv tsv sql proto graphql " +
    "vue svelte astro tf gradle properties log diff patch snap traj ipynb wasm map sum mod tape plist db sqlite zip gz tgz tar"
  ).split(" "),
);
const HEX = /^(?:0x)?[0-9a-f]+$/i;
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
  visitAnchors(text, (anchor, what) => {
    found.push(anchor);
    if (what !== "path") return;
    const tail = pathTail(anchor);
    if (tail !== anchor) found.push(tail);
  });
  return found;
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

/** Visits the anchors of a text in one pass. */
export function visitAnchors(text: string, visit: AnchorVisitor): void {
  const end = text.length;
  let at = 0;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code >= 128 || CLASSES[code] === 0) {
      at += 1;
      continue;
    }
    const start = at;
    let kinds = 0;
    let previous = 0;
    let humps = false;
    for (; at < end; at++) {
      const next = text.charCodeAt(at);
      const kind = next < 128 ? (CLASSES[next] as number) : 0;
      if (kind === 0) break;
      if (kind === UPPER && previous === LOWER) humps = true;
      kinds |= kind;
      previous = kind;
    }
    if (at < end && text.charCodeAt(at) === 58) at = afterColon(text, start, at, kinds, visit);
    else if (humps || (kinds & ~(LOWER | UPPER)) !== 0 || isCapital(text, start, at, kinds)) visitWord(text, start, at, kinds, visit);
  }
}

/** A word of capitals alone may be the code of an error. */
function isCapital(text: string, start: number, end: number, kinds: number): boolean {
  return kinds === UPPER && end - start >= 5 && text.charCodeAt(start) === 69;
}

/** A colon ends a word unless it stands in an address, after a drive, or before a line number. Returns where reading goes on. */
function afterColon(text: string, start: number, colon: number, kinds: number, visit: AnchorVisitor): number {
  const next = text.charCodeAt(colon + 1);
  if (next === 47 && text.charCodeAt(colon + 2) === 47 && (kinds & ~(LOWER | UPPER)) === 0) {
    const end = addressEnd(text, colon + 3);
    if (end > colon + 3 && end - start <= LONGEST) visit(text.slice(start, end), "path", start);
    return end;
  }
  if (colon - start === 1 && (next === 92 || next === 47) && kinds <= UPPER) {
    let end = colon + 1;
    while (end < text.length && text.charCodeAt(end) < 128 && CLASSES[text.charCodeAt(end)] !== 0) end += 1;
    const path = trimmed(text, start, end);
    if (path.length <= LONGEST) visit(path, "path", start);
    visitParts(path, start, visit);
    return text.charCodeAt(end) === 58 ? visitPlace(text, start, end, path, visit) : end;
  }
  visitWord(text, start, colon, kinds, visit);
  const path = trimmed(text, start, colon);
  if ((kinds & (SLASH | DOT)) !== 0 && isPath(path)) return visitPlace(text, start, colon, path, visit);
  return colon + 1;
}

function addressEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && end - from <= LONGEST && !/[\s"'`<>()[\]{},;|\\]/.test(text.charAt(end))) end += 1;
  while (end > from && /[.:!?]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** `a/b.ts:12` or `a/b.ts:12:7`: the place as well as the path. */
function visitPlace(text: string, start: number, colon: number, path: string, visit: AnchorVisitor): number {
  let end = colon + 1;
  while (end < text.length && CLASSES[text.charCodeAt(end)] === DIGIT) end += 1;
  if (end > colon + 1 && end - colon < 8 && path.length <= LONGEST && text.endsWith(path, colon)) visit(path + text.slice(colon, end), "place", start);
  return end;
}

/** A word without the signs of a sentence or an option around it. */
function trimmed(text: string, start: number, end: number): string {
  while (end > start && (CLASSES[text.charCodeAt(end - 1)] as number) & (DOT | DASH | SIGN)) end -= 1;
  while (start < end && (CLASSES[text.charCodeAt(start)] as number) & (DASH | SIGN) && !/[~@]/.test(text.charAt(start))) start += 1;
  return text.slice(start, end);
}

function visitWord(text: string, start: number, end: number, kinds: number, visit: AnchorVisitor): void {
  if (end - start > LONGEST) return;
  const word = kinds & (DOT | DASH | SIGN) ? trimmed(text, start, end) : text.slice(start, end);
  if (word.length < 4) return;
  if ((kinds & (SLASH | DOT)) !== 0 && isPath(word)) {
    visit(word, "path", start);
    visitParts(word, start, visit);
    return;
  }
  if ((kinds & (SLASH | DOT | DASH | SIGN)) === 0) {
    if (kinds !== DIGIT || !isPosition(text, start, end)) visitPart(word, start, visit);
    return;
  }
  if ((kinds & DASH) !== 0 && UUID.test(word)) {
    visit(word, "value", start);
    return;
  }
  const quote = text.charCodeAt(start - 1);
  if ((quote === 34 || quote === 39 || quote === 96) && text.charCodeAt(end) === quote && (kinds & (LOWER | UPPER)) !== 0 && word.length <= 60)
    visit(word, "quoted", start);
  visitParts(word, start, visit);
}

/** `(12,` or `(12)`: a compiler's line in a file. */
function isPosition(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  return text.charCodeAt(start - 1) === 40 && (next === 44 || next === 41);
}

function isPath(word: string): boolean {
  const last = Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\"));
  if (last < 0) return isFileName(word);
  if (!/[A-Za-z]/.test(word) || word.startsWith("//")) return false;
  if (last < word.length - 1 && EXTENSION.test(word)) return true;
  // Words joined by one slash are mostly prose: `and/or`.
  return word.search(/[\\/]/) < last && /\w[\\/]+\w/.test(word);
}

function isFileName(word: string): boolean {
  const dot = word.lastIndexOf(".");
  return dot > 0 && FILE_EXTENSIONS.has(word.slice(dot + 1)) && !/^\d/.test(word.slice(dot + 1));
}

function visitParts(word: string, at: number, visit: AnchorVisitor): void {
  let start = 0;
  for (let end = 0; end <= word.length; end++) {
    const code = end < word.length ? word.charCodeAt(end) : 0;
    if (code < 128 && (CLASSES[code] as number) & (LOWER | UPPER | DIGIT | UNDERSCORE)) continue;
    if (end - start >= 4) visitPart(word.slice(start, end), at, visit);
    start = end + 1;
  }
}

/** A word of letters, digits and underscores alone. */
function visitPart(word: string, at: number, visit: AnchorVisitor): void {
  let kinds = 0;
  let previous = 0;
  let humps = false;
  let digits = 0;
  for (let index = 0; index < word.length; index++) {
    const kind = CLASSES[word.charCodeAt(index)] as number;
    if (kind === UPPER && previous === LOWER) humps = true;
    if (kind === DIGIT) digits += 1;
    kinds |= kind;
    previous = kind;
  }
  if (digits === word.length) {
    if (isTelling(word)) visit(word, "value", at);
  } else if (digits > 0 && word.length >= 7 && HEX.test(word)) visit(word, "value", at);
  else if ((kinds & UPPER) !== 0 && ERROR_CODE.test(word)) visit(word, "code", at);
  else if ((humps || isSnake(word, kinds)) && !COMMONPLACE.has(word)) visit(word, "identifier", at);
}

function isSnake(word: string, kinds: number): boolean {
  return (kinds & UNDERSCORE) !== 0 && /[A-Za-z0-9]_+[A-Za-z0-9]/.test(word) && /[A-Za-z]/.test(word);
}

/** Numbers that are chosen by nobody: no years, thousands or powers of two. */
function isTelling(digits: string): boolean {
  if (digits.length < 4 || digits.length > 11) return false;
  const value = Number(digits);
  if (value % 1000 === 0 || Number.isInteger(Math.log2(value))) return false;
  return !(digits.length === 4 && value >= 1900 && value < 2100);
}
