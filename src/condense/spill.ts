// Results too large to be shown whole even once.

/** Whether a text of this many UTF-16 code units is spilled: from `threshold` on. */
export function isSpilled(chars: number, threshold: number): boolean {
  return chars >= threshold;
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
