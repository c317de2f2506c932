// The lines chosen from a document, under budgets, and how they are written.
import type { Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { type Document, type Piece, splitNumber } from "./document.ts";
import { template } from "./errors.ts";
import type { Marked } from "./marks.ts";
import type { Line } from "./normalise.ts";
import { SHOWN_LENGTH } from "./novelty.ts";

/** Lines from the start that are considered for filling up in order. */
const IN_ORDER = 1000;
/** Lines considered for filling up, at most this many for each that could fit. */
const CONSIDERED = 4;

/** Characters that are shown of the first and the last lines under the smallest budget. */
const SHORTEST_END = 120;

/** Lines that may turn out too long for what is left before no more are tried. */
const MISSES = 20;

interface Chosen {
  readonly at: number;
  /** Verbatim lines before what is said about them. */
  readonly order: number;
  readonly text: string;
}

export class Selection {
  readonly #document: Document;
  /** The lines of a file keep the numbers that its reader wrote before them. */
  readonly #ownNumbers: boolean;
  readonly #lines = new Set<number>();
  readonly #chosen: Chosen[] = [];
  /** Failures that did not fit and were counted: they are not shown after all. */
  readonly #missed = new Set<number>();
  #spent: Tokens = 0;
  #onFailures: Tokens = 0;

  constructor(document: Document, numbered: boolean) {
    this.#document = document;
    this.#ownNumbers = numbered;
  }

  get spent(): Tokens {
    return this.#spent;
  }
  /** Without what failures took. */
  get spentOnLines(): Tokens {
    return this.#spent - this.#onFailures;
  }

  /** Adds failures up to a bound; what is left out is counted by what it is. */
  addFailures(pieces: readonly Piece[], bound: Tokens): void {
    const before = this.#spent;
    const left = new Map<string, number>();
    let last = 0;
    let missed = 0;
    for (const piece of pieces) {
      if ((missed < MISSES || this.#lines.has(piece.at)) && this.#take(piece, before + bound - this.#spent)) continue;
      missed += 1;
      if (piece.what === undefined) continue;
      this.#missed.add(piece.at);
      left.set(piece.what, (left.get(piece.what) ?? 0) + 1);
      last = Math.max(last, piece.at);
    }
    const named = [...left].map(([what, count]) => `${count} more ${what}`);
    if (named.length > 0) this.#put(last, 2, `~ not shown: ${named.join(", ")}`);
    this.#onFailures = this.#spent - before;
  }

  /** The first line and the last two that are not blank, cut to what the budget allows. */
  addEnds(bound: Tokens): void {
    const length = Math.max(SHORTEST_END, Math.floor(bound * 2));
    for (const at of endsOf(this.#document.lines)) this.#take({ at }, Number.POSITIVE_INFINITY, length);
  }

  /** Adds pieces in order until `limit` of all that was spent; one that is too large is passed over. */
  add(pieces: readonly Piece[], limit: Tokens): void {
    for (const piece of pieces) {
      if (this.#spent >= limit) return;
      this.#take(piece, limit - this.#spent);
    }
  }

  /** Adds the lines that bring most new anchors for their length. */
  fill(novelty: Uint32Array, bound: Tokens, told: Marked = new Set()): void {
    const limit = bound + this.#onFailures;
    const scores = new Float64Array(novelty.length);
    for (let at = 0; at < novelty.length; at++) {
      const { length } = (this.#document.lines[at] as Line).text;
      scores[at] = (novelty[at] as number) / (4 + length / 3.5);
    }
    const enough = Math.ceil(bound / 6) * CONSIDERED;
    const threshold = scores.length > enough ? (scores.slice().sort()[scores.length - enough] as number) : 0;
    const best: number[] = [];
    for (let at = 0; at < scores.length; at++)
      if ((scores[at] as number) > 0 && (scores[at] as number) >= threshold && !told.has(at) && !this.#missed.has(at)) best.push(at);
    best.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    let misses = 0;
    for (const at of best) {
      if (this.#spent >= limit || misses > MISSES) return;
      if (!this.#take({ at }, limit - this.#spent)) misses += 1;
    }
    this.#fillInOrder(limit, told);
  }

  /** Where no anchor tells the lines apart: the first of each that differs from those before by more than numbers and names. */
  #fillInOrder(limit: Tokens, told: Marked): void {
    const seen = new Set<string>();
    for (let at = 0; at < Math.min(this.#document.lines.length, IN_ORDER) && this.#spent < limit; at++) {
      const { text } = this.#document.lines[at] as Line;
      const key = template(text);
      if (key === "" || seen.has(key) || told.has(at) || this.#missed.has(at)) continue;
      seen.add(key);
      this.#take({ at }, limit - this.#spent);
    }
  }

  /** What was chosen in the document's order, gaps marked by `…` unless pieces stand for all lines. */
  text(gaps: "marked" | "none"): string {
    const chosen = this.#chosen.toSorted((a, b) => a.at - b.at || a.order - b.order);
    const out: string[] = [];
    let next = 0;
    for (const { at, text } of chosen) {
      if (gaps === "marked" && this.#hides(next, at)) out.push("…");
      out.push(text);
      next = Math.max(next, at + 1);
    }
    if (gaps === "marked" && this.#hides(next, this.#document.lines.length)) out.push("…");
    return out.join("\n");
  }

  #hides(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if ((this.#document.lines[at] as Line).text.trim() !== "") return true;
    return false;
  }

  #take(piece: Piece, left: Tokens, length = SHOWN_LENGTH): boolean {
    const line = this.#document.lines[piece.at] as Line;
    if (piece.after !== undefined && !this.#lines.has(piece.after)) return false;
    if (piece.made !== undefined) {
      const text = madeLine(piece.made);
      const cost = estimate(text) + 1;
      if (cost > left) return false;
      this.#put(piece.at, 1, text);
      return true;
    }
    if (this.#lines.has(piece.at)) {
      if (piece.note === undefined) return true;
      const note = madeLine(piece.note);
      const cost = estimate(note) + 1;
      if (cost > left) return false;
      this.#put(piece.at, 1, note, cost);
      return true;
    }
    const text = this.#lineText(line, length);
    const notes = [...(line.last > line.number ? [madeLine(repeated(line))] : []), ...(piece.note === undefined ? [] : [madeLine(piece.note)])];
    const whole = [text, ...notes].join("\n");
    const cost = estimate(whole) + 1;
    if (cost > left) return false;
    this.#lines.add(piece.at);
    this.#put(piece.at, 0, whole, cost);
    return true;
  }

  #put(at: number, order: number, text: string, cost = estimate(text) + 1): void {
    this.#chosen.push({ at, order, text });
    this.#spent += cost;
  }

  #lineText(line: Line, length: number): string {
    const limit = Math.min(SHOWN_LENGTH, length);
    const own = this.#ownNumbers && !line.made && splitNumber(line.text) !== undefined;
    const text = own ? line.text.trimStart() : line.text.trimEnd();
    const cut = text.length > limit ? `${text.slice(0, wholeEnd(text, limit))}…` : text;
    if (line.made) return madeLine(`${line.number}: ${cut}`);
    return own ? cut : `${line.number}| ${cut}`;
  }
}

function endsOf(lines: readonly Line[]): readonly number[] {
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const ends = first < 0 ? [] : [first];
  for (let at = lines.length - 1; at > first && ends.length < 3; at--) if ((lines[at] as Line).text.trim() !== "") ends.push(at);
  return ends;
}

/** What a line says of those that it stands for. */
function repeated({ number, last, frames }: Line): string {
  return frames ? `drawn again up to line ${last}: ${last - number + 1} lines` : `the same up to line ${last}: ${last - number + 1} times`;
}

/** Lines of ours begin with `~`, their continuations with two blanks. */
function madeLine(text: string): string {
  return `~ ${text.replaceAll("\n", "\n  ")}`;
}

/** Not between the halves of a surrogate pair. */
function wholeEnd(text: string, limit: number): number {
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
}
