// Lines that tell of an error, and what makes two of them the same.
import type { Piece } from "./document.ts";
import type { Line } from "./line.ts";

/** Looked at for an error, from the start of a line. */
const LOOKED_AT = 400;
/** Further lines of one template that are named by number. */
const NAMED = 8;

/** Tells of an error wherever it stands. */
const STRONG =
  /(?:^|[^\w/.$-])(?:[A-Z][A-Za-z]*(?:Error|Exception)(?::|$)|error(?:\[\w+\])?:|error (?:TS|CS|C)\d+|ERR!|ERROR\b|FATAL\b|FAIL(?:ED|URE)?\b|fatal:|panic:|Traceback \(most|Exception in thread|Caused by: |Segmentation fault|command not found|No such file or directory|Permission denied|not ok \d|E {3})|^(?:Error|\s*[✗✖×]) |^thread '.{1,100}' (?:\(\d+\) )?panicked at/;
/** Tells of an error in the output of something that failed. */
const WEAK =
  /\b(?:errors?|fail(?:ed|ure|ures|s)?|exception|fatal|denied|not found|cannot|can't|could not|unable to|unexpected|undefined|invalid|missing|refused|timed? ?out|abort(?:ed)?|unresolved|conflict)\b/i;
/** Says that there was none. */
const NONE = /\b(?:0|no) (?:errors?|fail(?:ed|ures?|s)?)\b|\b(?:errors?|failed|failures): 0\b|^# fail 0$/i;

/** Whether a line tells of an error. `failed`: the result as a whole is one. */
export function isErrorLine(text: string, failed: boolean): boolean {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  return (STRONG.test(head) || (failed && WEAK.test(head))) && !NONE.test(head);
}

/** A quoted text of at most this many characters is a name. */
const QUOTED = 80;
const WORD = wordTable();

function wordTable(): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(1, 97, 123).fill(1, 65, 91).fill(2, 48, 58);
  for (const sign of "_.~@-") table[sign.charCodeAt(0)] = 1;
  table[47] = 4;
  table[92] = 4;
  return table;
}

/** A line without what differs from case to case (numbers, paths, hashes, quoted names): the same template is the same error. One pass. */
export function template(text: string): string {
  const end = Math.min(text.length, LOOKED_AT);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < end; ) {
    const start = at;
    let kinds = 0;
    while (at < end && text.charCodeAt(at) < 128 && WORD[text.charCodeAt(at)] !== 0) {
      kinds |= WORD[text.charCodeAt(at)] as number;
      at += 1;
    }
    if (at > start) {
      if (kinds === 1) continue;
      parts.push(text.slice(from, start), generalized(text.slice(start, at), kinds));
      from = at;
      continue;
    }
    const close = quoteEnd(text, at);
    if (close > at) {
      parts.push(text.slice(from, at), "*");
      from = close;
    }
    at = Math.max(at + 1, close);
  }
  parts.push(text.slice(from, Math.max(from, end)));
  return parts.join("").trim();
}

/** A path or a hash is any; the code of an error stays itself. */
function generalized(word: string, kinds: number): string {
  if ((kinds & 4) !== 0 || (word.length >= 7 && /^[0-9a-f]{7,}$/.test(word))) return "*";
  if ((kinds & 2) === 0) return word;
  return /^[A-Z]{1,5}\d{3,5}$/.test(word) ? word : word.replaceAll(/\d+/g, "*");
}

/** Behind the quote that closes the one at `at`; `at` where none opens or closes soon. */
function quoteEnd(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  if (!isQuote(quote)) return at;
  const limit = Math.min(text.length, at + QUOTED);
  for (let end = at + 1; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) return end + 1;
    if (isQuote(code)) return at;
  }
  return at;
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

/** The first line of each distinct error, with how often it comes and where. Linear in the lines. `told`: which lines are left out, by index. */
export function errorPieces(lines: readonly Line[], failed: boolean, told?: (at: number) => boolean): readonly Piece[] {
  const groups = new Map<string, { readonly first: number; count: number; readonly more: number[]; last: number }>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    if (told?.(at) || !isErrorLine(line.text, failed)) continue;
    const key = template(line.text);
    const times = line.last - line.number + 1;
    const group = groups.get(key);
    if (!group) {
      groups.set(key, { first: at, count: times, more: [], last: line.last });
      continue;
    }
    group.count += times;
    group.last = line.last;
    if (group.more.length < NAMED) group.more.push(line.number);
  }
  const pieces: Piece[] = [];
  for (const { first, count, more, last } of groups.values()) {
    const where = `also line ${more.join(", ")}${more.length < NAMED ? "" : ` … ${last}`}`;
    pieces.push({ at: first, what: "distinct errors", ...(more.length > 0 && { note: `${count} lines like this, ${where}` }) });
  }
  return pieces;
}
