// Results too large to be shown whole even once.

/** Whether a text of this many UTF-16 code units is spilled: from `threshold` on. */
export function isSpilled(chars: number, threshold: number): boolean {
  return chars >= threshold;
}

/** An extract without the lines that the head shows already, and without gaps before the first line that is left. */
export function withoutHead(extract: string, head: string): string {
  const shown = new Set(head.split("\n").map((line) => line.trim()));
  const left = extract.split("\n").filter((line) => !shown.has(line.replace(/^\s*\d+\| ?/, "").trim()));
  const first = left.findIndex((line) => !/^\s*…?\s*$/.test(line));
  return first < 0 ? "" : left.slice(first).join("\n");
}

/**
 * The head of a text in at most `maxBytes` bytes of UTF-8: whole where it fits, else cut back to the last line end in
 * reach, or to a whole character where the first line is longer. The line end itself is left out.
 */
export function headPreview(text: string, maxBytes: number): string {
  const room = new Uint8Array(Math.min(maxBytes, text.length * 3));
  const { read } = new TextEncoder().encodeInto(text.slice(0, maxBytes + 1), room);
  if (read === text.length) return text;
  const head = text.slice(0, read);
  const lineEnd = head.lastIndexOf("\n");
  if (lineEnd <= 0) return head;
  return head.slice(0, head[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd);
}
