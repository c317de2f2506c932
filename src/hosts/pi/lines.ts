// Text for a terminal: lines that surely fit its width, and numbers in few characters.

/** Graphemes that are one column wide beyond doubt: Latin, Greek, Cyrillic, general punctuation, arrows, box drawing. */
const NARROW = /^[\u0020-\u007e\u00a0-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f][\u0300-\u036f]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The graphemes of a text. Node takes 20 ms to make the first segmenter, so it waits until a line needs one. */
function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** A text on one line: tabs as spaces, line ends as a sign, no control characters. */
export function oneLine(text: string): string {
  return text
    .replace(/\r?\n/g, "⏎")
    .replaceAll("\t", "  ")
    .replace(/\p{Cc}|\p{Cf}/gu, "");
}

/** The columns that a line takes at most: what is not surely narrow counts as wide. */
export function columns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes(text)) sum += NARROW.test(segment) ? 1 : 2;
  return sum;
}

/** A text on one line of at most `width` columns, cut with an ellipsis. */
export function fitted(text: string, width: number): string {
  // No column takes more code units than this in practice, so that a long line is not walked to its end.
  const line = oneLine(text.slice(0, width * 16 + 16));
  if (columns(line) <= width) return line;
  let used = 1;
  let fit = "";
  for (const { segment } of graphemes(line)) {
    used += NARROW.test(segment) ? 1 : 2;
    if (used > width) break;
    fit += segment;
  }
  return width < 1 ? "" : `${fit}…`;
}

/** A text's lines, each parted where it is wider than `width`. */
export function wrapped(text: string, width: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => partsOf(oneLine(line), Math.max(2, width)));
}

function partsOf(line: string, width: number): string[] {
  if (line.length <= width && columns(line) <= width) return [line];
  const parts: string[] = [];
  let part = "";
  let used = 0;
  for (const { segment } of graphemes(line)) {
    const wide = NARROW.test(segment) ? 1 : 2;
    if (used + wide > width) {
      parts.push(part);
      part = "";
      used = 0;
    }
    part += segment;
    used += wide;
  }
  return [...parts, part];
}

/** A count in few characters: `950`, `1.2k`, `29k`, `1.3M`. */
export function short(count: number): string {
  for (const [unit, sign] of [
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    const value = count / unit;
    if (Math.abs(value) >= 9.95) return `${Math.round(value)}${sign}`;
    if (Math.abs(value) >= 0.9995) return `${value.toFixed(1).replace(/\.0$/, "")}${sign}`;
  }
  return String(Math.round(count));
}
