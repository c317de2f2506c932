// Refs in a text that a model made of several summaries: none that it invented, and none that it forgot.
import type { Ref } from "../session/index.ts";
import { fencedLines, keepingFences } from "./fences.ts";

export interface FusedRefs {
  /** The answer without the refs that were in no part. */
  readonly text: string;
  /** Refs of the parts that the answer holds, in the order in which the parts name them. */
  readonly kept: readonly Ref[];
  /** Refs of the answer that no part holds, in the answer's order. */
  readonly removed: readonly Ref[];
  /** Refs of the parts that the answer does not hold: a block lists them. */
  readonly missing: readonly Ref[];
}

/** A ref in backticks, or one that stands alone: not a piece of a name, a number or a path. */
const REF = /(?<!`)`([tb]\d+)`(?!`)|(?<![\w`./\\$@#:-])([tb]\d+)(?![\w`/\\:@$-]|\.\w)/g;

/**
 * Checks the refs of a fused summary against the summaries it was made of. Fenced code is left alone and holds no refs.
 *
 * ```ts
 * fuseRefs("- `t1` a\n- `t9` b", ["- `t1` read a", "- `t2` ran"]); // removed: t9, missing: t2
 * ```
 */
export function fuseRefs(answer: string, parts: readonly string[]): FusedRefs {
  const known = new Set(parts.flatMap(refsIn));
  const found = new Set(refsIn(answer));
  const lines = answer.split("\n");
  const fenced = fencedLines(lines);
  const text = lines.map((line, at) => (fenced[at] ? line : keepingFences(line, withoutOthers(line, known)))).join("\n");
  return {
    text,
    kept: [...known].filter((ref) => found.has(ref)),
    removed: [...found].filter((ref) => !known.has(ref)),
    missing: [...known].filter((ref) => !found.has(ref)),
  };
}

function refsIn(text: string): Ref[] {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.flatMap((line, at) => (fenced[at] ? [] : [...line.matchAll(REF)].map((match) => (match[1] ?? match[2]) as Ref)));
}

/** Takes refs out with the blank before them, and the brackets that held nothing else. */
function withoutOthers(line: string, known: ReadonlySet<Ref>): string {
  let removed = false;
  const left = line.replace(REF, (whole: string, quoted?: string, bare?: string) => {
    if (known.has((quoted ?? bare) as Ref)) return whole;
    removed = true;
    return "";
  });
  return removed
    ? left
        .replace(/ ?\([ ,;]*\)/g, "")
        .replace(/(?<=\S) {2,}/g, " ")
        .replace(/(?<=\S) (?=[,.;](?:\s|$))/g, "")
    : line;
}

/**
 * Placeholders `{bN}` of earlier blocks become refs: a block holds no other block's text, so that summaries of summaries
 * do not grow. `before`: the number of the block that the text stands in. Its own placeholder and those of blocks that
 * are not there yet stay as they are.
 */
export function placeholdersToRefs(text: string, before: number): { readonly text: string; readonly refs: readonly Ref[] } {
  const refs = new Set<Ref>();
  const replaced = text.replace(/\{(b([1-9]\d*))\}/g, (whole: string, ref: Ref, ordinal: string) => {
    if (Number(ordinal) >= before) return whole;
    refs.add(ref);
    return `\`${ref}\``;
  });
  return { text: replaced, refs: [...refs] };
}
