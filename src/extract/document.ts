// What an extractor is given and what it proposes.
import type { Status } from "../session/index.ts";
import type { AnchorClass } from "./anchors.ts";
import type { Line } from "./line.ts";
import type { Marked } from "./marks.ts";

export interface ExtractInput {
  readonly tool: string;
  /** The call's arguments, parsed. */
  readonly args?: unknown;
  readonly text: string;
  readonly status: Status;
}

/** A result to extract from. */
export interface Document {
  readonly tool: string;
  /** The file that was read, the command that was run; empty where the call names none. */
  readonly path: string;
  readonly command: string;
  /** 1-based line of the file that the first line of a read is; 1 where the call does not say. */
  readonly from: number;
  readonly status: Status;
  /** As it came; its lines are made from it. */
  readonly text: string;
  readonly lines: readonly Line[];
  /** Tokens that the whole extract is to stay near. */
  readonly budget: number;
}

/** A line that an extractor wants to be seen. */
export interface Piece {
  /** Index of the line in the document, which gives its place in the output. */
  readonly at: number;
  /** The extractor's own words, one or more lines, in place of the line. */
  readonly made?: string;
  /** The extractor's own words beneath the line. */
  readonly note?: string;
  /** Index of a line without which this one is not shown. */
  readonly after?: number;
  /** Counted by what it is when it does not fit: `failing tests`. */
  readonly what?: string;
}

export interface Proposal {
  readonly kind: string;
  /** Failures, most important first: outside the budget of lines, up to half of the whole budget. */
  readonly required: readonly Piece[];
  /** What to show next, most important first. */
  readonly preferred: readonly Piece[];
  /** Share of the budget that `preferred` may take. */
  readonly share: number;
  /** Whether each line has a number of its file before it. */
  readonly numbered?: boolean;
  /** Whether the first and the last two lines are shown whatever they hold. */
  readonly ends: boolean;
  /** Whether the lines left are filled up with those that hold most anchors. */
  readonly fill: boolean;
  /** Lines that are not filled up with: a made line or a total tells of them. */
  readonly told?: Marked;
  /** Lines whose anchors nobody comes back to: they are not listed. */
  readonly silent?: Marked;
  /** Part of the budget for verbatim lines, where the kind is worth more of them than asked for. */
  readonly lines?: number;
  /** What its pieces, which stand for all lines, hold in another form, so that it is not listed again. */
  readonly holds?: readonly AnchorClass[];
}

/** Says of a document whether it is of a kind, and what of it matters; `undefined` where it is not. */
export type Extractor = (document: Document) => Proposal | undefined;

/** Splits a line that a file reader numbered: `  12→text`, `12\ttext`, `12: text`. */
export function splitNumber(text: string): { readonly number: number; readonly rest: string } | undefined {
  let at = 0;
  while (at < text.length && at < 8 && text.charCodeAt(at) === 32) at += 1;
  const start = at;
  while (at < text.length && at - start < 8 && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
  if (at === start) return undefined;
  const sign = text.charAt(at);
  if (sign !== "→" && sign !== "\t" && sign !== ":") return undefined;
  const blank = sign === ":" && text.charAt(at + 1) === " " ? 1 : 0;
  return { number: Number(text.slice(start, at)), rest: text.slice(at + 1 + blank) };
}

/** Whether a file reader has numbered the lines: the first two follow each other. */
export function isNumbered(lines: readonly Line[]): boolean {
  const [first, second] = [lines[0], lines[1]].map((line) => splitNumber(line?.text ?? "")?.number);
  return first !== undefined && (lines.length === 1 || second === first + 1);
}
