// Which anchors of a result are new to its reader, which lines bring them, and the list of those no shown line holds.
import type { Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { AnchorTable } from "./anchor-table.ts";
import { type AnchorClass, isCommonplace, pathTail, visitSpans } from "./anchors.ts";
import { splitNumber } from "./document.ts";
import type { Marked } from "./marks.ts";
import type { Line } from "./normalise.ts";

/** Characters of a line that are shown. */
export const SHOWN_LENGTH = 240;

/** Anchors that may turn out too long for what is left before the list is closed. */
const MISSES = 20;

interface Survey {
  /** In order of their first place; those that the reader knows are left out. */
  readonly anchors: AnchorTable;
  /** For each line, how many it is the first to bring within what is shown of it. */
  readonly novelty: Uint32Array;
}

/** Finds the anchors of the lines, but for `silent` ones, that the reader does not know. `numbered`: each line begins with its number, which is none; `unwanted`: classes that are left out. */
export function survey(
  lines: readonly Line[],
  numbered: boolean,
  known?: (anchor: string) => boolean,
  silent?: Marked,
  unwanted: readonly AnchorClass[] = [],
): Survey {
  const textAt = (at: number): string => {
    const whole = (lines[at] as Line).text;
    return numbered ? (splitNumber(whole)?.rest ?? whole) : whole;
  };
  const anchors = new AnchorTable(textAt, lines.length);
  const novelty = new Uint32Array(lines.length);
  let line = 0;
  let text = "";
  const visit = (start: number, end: number, what: AnchorClass, at: number, codes: Uint16Array) => {
    if (unwanted.length > 0 && unwanted.includes(what)) return;
    const index = anchors.add(start, end, what, codes);
    if (index < 0) return;
    if ((known !== undefined || what === "identifier") && isOld(text.slice(start, end), what, known)) anchors.skip(index);
    else if (at < SHOWN_LENGTH) novelty[line] = (novelty[line] as number) + 1;
  };
  for (; line < lines.length; line++) {
    if (silent?.has(line)) continue;
    text = textAt(line);
    anchors.open(line);
    visitSpans(text, visit);
  }
  return { anchors, novelty };
}

function isOld(anchor: string, what: AnchorClass, known?: (anchor: string) => boolean): boolean {
  if (isCommonplace(anchor, what)) return true;
  return known !== undefined && (known(anchor) || (what === "path" && known(pathTail(anchor))));
}

const ORDER: Readonly<Record<AnchorClass, number>> = { code: 0, path: 1, value: 2, identifier: 2, quoted: 4, place: 5 };
/** Steps of rank between two classes: how often an anchor comes counts as far as this. */
const STEPS = 16;
const MOST_TIMES = 8;

/** Files that tools write beside others: nobody comes back to them first. */
const DERIVED = /\.map$|\.d\.[cm]?ts$|node_modules/;

/** `ids: …`, the anchors that `shown` does not hold, in text order; the most telling where not all fit into the budget. */
export function listAnchors(found: Survey, shown: string, budget: Tokens, held: readonly AnchorClass[] = []): string {
  const { anchors } = found;
  const seen = wordsOf(shown);
  const chosen: { readonly text: string; readonly at: number }[] = [];
  const directories = new Set<string>();
  let left = budget - 2;
  let misses = 0;
  for (const index of ranked(anchors, held)) {
    if (left < 1 || misses > MISSES) break;
    const anchor = anchors.text(index);
    if (seen.has(anchor) || (anchors.what(index) === "path" && seen.has(pathTail(anchor)))) continue;
    const text = shortened(anchor, directories);
    const cost = estimate(` ${text}`);
    if (cost > left) {
      misses += 1;
      continue;
    }
    left -= cost;
    chosen.push({ text, at: index });
    directories.add(directoryOf(anchor));
    for (const word of wordsOf(anchor)) seen.add(word);
  }
  if (chosen.length === 0) return "";
  return `ids: ${chosen
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join(" ")}`;
}

/** The anchors in order of their rank, those that rank the same in text order. */
function* ranked(anchors: AnchorTable, held: readonly AnchorClass[]): IterableIterator<number> {
  const buckets: number[][] = [];
  for (let index = 0; index < anchors.size; index++) {
    const what = anchors.what(index);
    if (what === undefined || what === "place" || held.includes(what)) continue;
    const derived = what === "path" && DERIVED.test(anchors.text(index)) ? 2 : 0;
    const rank = (ORDER[what] + derived) * STEPS - Math.min(anchors.count(index), MOST_TIMES) + MOST_TIMES;
    const bucket = buckets[rank];
    if (bucket) bucket.push(index);
    else buckets[rank] = [index];
  }
  for (const bucket of buckets) if (bucket) yield* bucket;
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0));
}

/** A long path in a directory that the list has named already: its last three segments. */
function shortened(path: string, directories: ReadonlySet<string>): string {
  const tail = pathTail(path);
  return path.length - tail.length > 6 && directories.has(directoryOf(path)) ? `…/${tail}` : path;
}

/** The anchors of a text: what a reader of it has seen. */
function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  visitSpans(text, (start, end, what) => {
    const word = text.slice(start, end);
    if (!isCommonplace(word, what)) words.add(word);
  });
  return words;
}
