// States of one display that follow each other in a text: progress bars, spinners, blocks that are drawn again.
import { isErrorLine } from "./errors.ts";
import type { Line } from "./line.ts";

/** Longer lines are no progress. */
const LONGEST = 300;
/** States from which on numbers that only grow are taken for one display; spinners are told by their sign. */
const FEWEST = 4;
/** A number with its unit, a bar, a spinner's sign: what differs between two states. */
const VARYING = /\d+(?:[.:,]\d+)*\s?(?:[kKMGT]?i?[Bb](?:\/s)?|m?s|%)?|[=#>\-.\s█▉▊▋▌▍▎▏░▒▓━╸╺─|/\\[\]()]+|[\u2800-\u28ff◐◓◑◒◴◷◶◵]/g;
const PERCENT = /(\d{1,3})(?:\.\d+)?\s?%/;

/** Joins states of one display: the first stands for all but the last, which stays a line of its own. */
export function joinFrames(lines: readonly Line[]): readonly Line[] {
  let joined: Line[] | undefined;
  for (let at = 0; at < lines.length; ) {
    const end = framesEnd(lines, at);
    if (end - at < 2) {
      joined?.push(lines[at] as Line);
      at += 1;
      continue;
    }
    joined ??= lines.slice(0, at);
    const first = lines[at] as Line;
    const { last } = lines[end - 2] as Line;
    joined.push(last > first.last ? { ...first, last, frames: true } : first, lines[end - 1] as Line);
    at = end;
  }
  return joined ?? lines;
}

/** Where the states of the display end whose first is at `start`; there itself where it is none. */
function framesEnd(lines: readonly Line[], start: number): number {
  const first = lines[start] as Line;
  const spins = isSpinner(first.text);
  if (!spins && !isProgress(first.text)) return start;
  const key = keyOf(first.text);
  let percent = percentOf(first.text);
  let end = start + 1;
  for (; end < lines.length; end++) {
    const { text, made } = lines[end] as Line;
    if (made || isSpinner(text) !== spins || (!spins && !isProgress(text)) || keyOf(text) !== key || isErrorLine(text, false)) break;
    const next = percentOf(text);
    if (next < percent) break;
    percent = next;
  }
  return spins || end - start >= FEWEST ? end : start;
}

const SPINNER = /[\u2800-\u28ff\u25d0-\u25d3\u25f4-\u25f7]/;

/** Whether a text without control sequences may hold states of a display. */
export function mayHoldFrames(text: string): boolean {
  return text.includes("%") || text.includes("[=") || text.includes("[#") || SPINNER.test(text);
}

function isSpinner(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 0x2800 && code <= 0x28ff) || (code >= 0x25d0 && code <= 0x25d3) || (code >= 0x25f4 && code <= 0x25f7);
}

function isProgress(text: string): boolean {
  return text.length < LONGEST && (text.includes("%") ? PERCENT.test(text) : text.includes("[=") || text.includes("[#"));
}

function keyOf(text: string): string {
  return text.slice(0, LONGEST).replace(VARYING, "");
}

function percentOf(text: string): number {
  return Number(PERCENT.exec(text.slice(0, LONGEST))?.[1] ?? 0);
}

/** The newest lines, `count` of the text, are drawn over: they become one with the states of the same display before them. Errors stay. */
export function overwritten(lines: Line[], count: number): void {
  let from = lines.length;
  for (let left = count; from > 0; from--) {
    const line = lines[from - 1] as Line;
    left -= line.last - line.number + 1;
    if (left < 0 || line.frames || isErrorLine(line.text, false)) break;
  }
  if (from === lines.length) return;
  const first = lines[from] as Line;
  const { last } = lines[lines.length - 1] as Line;
  const before = lines[from - 1];
  lines.length = from;
  if (before?.frames && before.last + 1 === first.number) lines[from - 1] = { ...before, last };
  else lines.push({ ...first, last, frames: true });
}
