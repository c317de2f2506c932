// Everything without a kind of its own: errors first, then the lines that bring most anchors.
import type { Document, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";

export function plain({ lines, status }: Document): Proposal {
  return { kind: "text", required: errorPieces(lines, status === "error"), preferred: [], share: 0, ends: true, fill: true };
}
