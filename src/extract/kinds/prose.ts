// Prose: documentation, web pages, reports. Its headings, what each part begins with, which code and tables it has.
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";
import { Marks } from "../marks.ts";
import type { Line } from "../normalise.ts";
import { outputStart } from "../output.ts";

/** Lines by which it is recognized, and characters of each. */
const SNIFFED = 80;
const LOOKED_AT = 400;
/** Characters from which on a sentence is more than a message. */
const LONG = 60;
/** Of the lines' part of the budget, for headings and beginnings. */
const SHARE = 0.8;
/** Languages of code that are named. */
const LANGUAGES = 8;

const HEADING = /^#{1,6} \S/;
const FENCE = /^\s*(?:```|~~~)\s*([\w+#.-]{0,20})/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)]) \S/;
const UNDERLINE = /^(?:={3,}|-{3,})\s*$/;

export function prose(document: Document): Proposal | undefined {
  const { lines } = document;
  if (document.status === "error" || !isProse(lines)) return undefined;
  const headings: Piece[][] = [[], [], []];
  const beginnings: Piece[] = [];
  const fences = new Map<string, number>();
  const told = new Marks(lines.length);
  for (let at = 0; at < outputStart(lines); at++) told.add(at);
  let firstFence = -1;
  let fenced = false;
  let begins = true;
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at] as Line).text.slice(0, LOOKED_AT);
    const fence = FENCE.exec(text);
    if (fence) {
      fenced = !fenced;
      told.add(at);
      if (!fenced) continue;
      if (firstFence < 0) firstFence = at;
      const language = fence[1] || "plain";
      fences.set(language, (fences.get(language) ?? 0) + 1);
      continue;
    }
    if (fenced || text.trim() === "") continue;
    const level = headingLevel(lines, at);
    if (level > 0) {
      headings[Math.min(level, 3) - 1]?.push({ at });
      begins = true;
    } else if (begins && !UNDERLINE.test(text) && !/^\s*[|<]/.test(text)) {
      beginnings.push({ at });
      begins = false;
    }
  }
  const named = [...fences].slice(0, LANGUAGES).map(([language, count]) => `${language} ×${count}`);
  const code: Piece[] = named.length > 0 ? [{ at: firstFence, made: `code in it: ${named.join(", ")}${fences.size > LANGUAGES ? ", …" : ""}` }] : [];
  return {
    kind: "prose",
    required: errorPieces(lines, false),
    preferred: [...(headings[0] ?? []), ...(headings[1] ?? []), ...code, ...(headings[2] ?? []), ...beginnings],
    share: SHARE,
    ends: true,
    fill: true,
    told,
  };
}

/** 1 for the highest; 0 where a line is no heading. */
function headingLevel(lines: readonly Line[], at: number): number {
  const text = (lines[at] as Line).text.slice(0, LOOKED_AT);
  if (HEADING.test(text)) return text.indexOf(" ");
  const below = lines[at + 1]?.text ?? "";
  if (/^\S/.test(text) && UNDERLINE.test(below)) return below.startsWith("=") ? 1 : 2;
  return /^\*\*[^*]{2,80}\*\*:?\s*$/.test(text) ? 3 : 0;
}

/** Most of the first lines are sentences, headings or items, with long sentences among them. */
function isProse(lines: readonly Line[]): boolean {
  let [seen, good, sentences, long, headings, fenced] = [0, 0, 0, 0, 0, false];
  for (let at = 0; at < Math.min(lines.length, SNIFFED); at++) {
    const text = (lines[at] as Line).text.slice(0, LOOKED_AT);
    if (FENCE.test(text)) fenced = !fenced;
    if (fenced || text.trim() === "" || FENCE.test(text) || /^\s*>/.test(text)) continue;
    seen += 1;
    const [sentence, heading] = [isSentence(text), headingLevel(lines, at) > 0];
    if (sentence) sentences += 1;
    if (sentence && text.length >= LONG) long += 1;
    if (heading) headings += 1;
    if (sentence || heading || ITEM.test(text) || /^\s*\|/.test(text) || UNDERLINE.test(text)) good += 1;
  }
  return seen >= 3 && good * 10 >= seen * 7 && (sentences + headings) * 4 >= seen && (long >= 2 || (long >= 1 && headings >= 1));
}

/** Words with blanks between, mostly of small letters, and few signs of code. */
function isSentence(text: string): boolean {
  const words = text.trim().split(/\s+/);
  if (words.length < 5) return false;
  const plain = words.filter((word) => /^[("'*_`[]*[A-Za-z\u00c0-\u024f]['’A-Za-z\u00c0-\u024f-]*[)"'*_`\].,:;!?]*$/.test(word)).length;
  return plain * 4 >= words.length * 3 && !/[{};]\s*$|=>|\(\)|^\s*(?:at|\/\/|#include|import|from \S+ import|const|let|return|if \()\b/.test(text);
}
