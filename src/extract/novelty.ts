// Which anchors of a result are new to its reader, which lines bring them, and the list of those no shown line holds.
import type { Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { type AnchorClass, pathTail, visitAnchors } from "./anchors.ts";
import { splitNumber } from "./document.ts";
import type { Line } from "./normalise.ts";

/** Characters of a line that are shown. */
export const SHOWN_LENGTH = 240;

/** Anchors that may turn out too long for what is left before the list is closed. */
const MISSES = 20;

interface Anchor {
  readonly what: AnchorClass;
  /** How often it stands in the text. */
  count: number;
}

interface Survey {
  /** New anchors in order of their first place. */
  readonly anchors: ReadonlyMap<string, Anchor>;
  /** For each line, how many it is the first to bring within what is shown of it. */
  readonly novelty: Uint32Array;
}

/** Finds the anchors of the lines that the reader does not know. `numbered`: each line begins with its number, which is none. */
export function survey(lines: readonly Line[], numbered: boolean, known: (anchor: string) => boolean): Survey {
  const anchors = new Map<string, Anchor>();
  const skipped = new Set<string>();
  const novelty = new Uint32Array(lines.length);
  for (let index = 0; index < lines.length; index++) {
    const { text: whole } = lines[index] as Line;
    visitAnchors(numbered ? (splitNumber(whole)?.rest ?? whole) : whole, (text, what, at) => {
      const anchor = anchors.get(text);
      if (anchor) {
        anchor.count += 1;
        return;
      }
      if (skipped.has(text)) return;
      if (known(text) || (what === "path" && known(pathTail(text)))) {
        skipped.add(text);
        return;
      }
      anchors.set(text, { what, count: 1 });
      if (at < SHOWN_LENGTH) novelty[index] = (novelty[index] as number) + 1;
    });
  }
  return { anchors, novelty };
}

const ORDER: Readonly<Record<AnchorClass, number>> = { code: 0, path: 1, value: 2, identifier: 2, quoted: 4, place: 5 };

/** Files that tools write beside others: nobody comes back to them first. */
const DERIVED = /\.map$|\.d\.[cm]?ts$|node_modules/;

/** `ids: …`, the anchors that `shown` does not hold, in text order; the most telling where not all fit into the budget. */
export function listAnchors(found: Survey, shown: string, budget: Tokens, held: readonly AnchorClass[] = []): string {
  const seen = wordsOf(shown);
  const open: { readonly text: string; readonly rank: number; readonly at: number }[] = [];
  let at = 0;
  for (const [text, { what, count }] of found.anchors) {
    at += 1;
    if (what === "place" || held.includes(what) || seen.has(text) || (what === "path" && seen.has(pathTail(text)))) continue;
    open.push({ text, rank: ORDER[what] - Math.min(count, 8) / 16 + (what === "path" && DERIVED.test(text) ? 2 : 0), at });
  }
  // Stable, so that what ranks the same stays in text order.
  const ranked = open.sort((a, b) => a.rank - b.rank);
  const chosen: { readonly text: string; readonly at: number }[] = [];
  const directories = new Set<string>();
  let left = budget - 2;
  let misses = 0;
  for (const anchor of ranked) {
    if (left < 1 || misses > MISSES) break;
    if (seen.has(anchor.text)) continue;
    const text = shortened(anchor.text, directories);
    const cost = estimate(` ${text}`);
    if (cost > left) {
      misses += 1;
      continue;
    }
    left -= cost;
    chosen.push({ text, at: anchor.at });
    directories.add(directoryOf(anchor.text));
    for (const word of wordsOf(anchor.text)) seen.add(word);
  }
  if (chosen.length === 0) return "";
  return `ids: ${chosen
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join(" ")}`;
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
  visitAnchors(text, (anchor) => words.add(anchor));
  return words;
}
