// Lines that tell of an error, and what makes two of them the same.
import type { Piece } from "./document.ts";
import type { Line } from "./normalise.ts";

/** Looked at for an error, from the start of a line. */
const LOOKED_AT = 400;
/** Further lines of one template that are named by number. */
const NAMED = 8;

/** Tells of an error wherever it stands. */
const STRONG =
  /(?:^|[^\w/.$-])(?:[A-Z][A-Za-z]*(?:Error|Exception)(?::|$)|error(?:\[\w+\])?:|error (?:TS|CS|C)\d+|ERR!|ERROR\b|FATAL\b|FAIL(?:ED|URE)?\b|fatal:|panic:|Traceback \(most|Segmentation fault|command not found|No such file or directory|Permission denied|not ok \d|E {3})|^(?:Error|\s*[✗✖×]) /;
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

/** A line without what differs from case to case: the same template is the same error. */
export function template(text: string): string {
  return text
    .slice(0, LOOKED_AT)
    .replace(/(["'`])[^"'`]{1,80}\1/g, "*")
    .replace(/[\w.~@-]*[\\/][\w.~@\\/-]+/g, "*")
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{7,}\b/g, "*")
    .replace(/\d+/g, "*")
    .trim();
}

/** The first line of each distinct error, with how often it comes and where. Linear in the lines. */
export function errorPieces(lines: readonly Line[], failed: boolean): readonly Piece[] {
  const groups = new Map<string, { readonly first: number; count: number; readonly more: number[]; last: number }>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    if (!isErrorLine(line.text, failed)) continue;
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
