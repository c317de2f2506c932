// Where a command's own output begins: some hosts write lines of theirs above it.
import type { Line } from "./normalise.ts";

/** Lines in which a host's head is looked for. */
const LOOKED_AT = 8;
const HEAD =
  /^(?:Chunk ID: |Exit code:? ?\d|Wall time: |Process (?:exited|running) with |Original token count: |Total output lines: |Session ID: |Output:\s*$)/;

/** Index of the first line that the host did not write; `lines.length` where there is none. */
export function outputStart(lines: readonly Line[]): number {
  let start = 0;
  for (let at = 0; at < Math.min(lines.length, LOOKED_AT); at++) {
    const { text } = lines[at] as Line;
    if (HEAD.test(text.slice(0, 100))) start = at + 1;
    else if (text.trim() !== "") break;
  }
  return start;
}
