// As much of a text as one answer holds.

import type { Bytes } from "../../session/index.ts";
import { lineCount, type Page, pageOfBytes, pageOfLines, type Unit } from "../page.ts";
import { ToolProblem } from "./problem.ts";

/** What one answer holds at most of an original. */
export const PAGE: { readonly lines: number; readonly bytes: Bytes } = { lines: 2000, bytes: 51_200 };

/** The part of a text that a call wants. */
export interface AskedPart {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly unit?: Unit | undefined;
}

/**
 * The part of a text that was asked for, as far as one answer holds it. Pages of lines hold whole lines; a line that is
 * larger than an answer comes in bytes, and so does what follows it.
 * @throws ToolProblem where the text ends before the offset
 */
export function pageThatFits(text: string, { offset, limit, unit = "lines" }: AskedPart): Page {
  return unit === "bytes" ? bytesThatFit(text, offset ?? 0, limit) : linesThatFit(text, Math.max(1, offset ?? 1), limit);
}

function bytesThatFit(text: string, offset: number, limit: number = PAGE.bytes): Page {
  const page = pageOfBytes(text, offset, Math.min(limit, PAGE.bytes));
  if (offset > 0 && offset >= page.total) throw behindTheEnd(offset, 0, page.total - 1, "bytes");
  return page;
}

function linesThatFit(text: string, offset: number, limit: number = PAGE.lines): Page {
  const page = pageOfLines(text, offset, limit);
  if (offset > 1 && offset > page.total) throw behindTheEnd(offset, 1, page.total, "lines");
  if (Buffer.byteLength(page.text) <= PAGE.bytes) return page;
  const fitting = pageOfBytes(page.text, 0, PAGE.bytes).text;
  const whole = fitting.slice(0, fitting.lastIndexOf("\n") + 1);
  if (whole === "") return pageOfBytes(text, Buffer.byteLength(pageOfLines(text, 1, offset - 1).text), PAGE.bytes);
  return { ...page, text: whole, next: offset + lineCount(whole) };
}

function behindTheEnd(offset: number, first: number, last: number, unit: Unit): ToolProblem {
  const range = last < first ? `${first} (the original is empty)` : `${first} to ${last}`;
  return new ToolProblem("bad-offset", `expected an offset in ${unit} from ${range}, found ${offset}. Leave offset out to read from the start.`);
}
