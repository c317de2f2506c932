// Long listings of directories: the names alone, directories marked, in their order.
import type { Document, Piece, Proposal } from "../document.ts";
import { pathList } from "./paths.ts";

/** Mode, links, owner, group, size, date; what follows is the name. */
const LONG = /^[dlcbps-][rwxsStT-]{9}[@+.]? +\d+ +\S+ +\S+ +(?:\d+, +)?[\d.]+[KMGTP]? +(?:\S+ +\d+ +[\d:]+|[\d-]+ [\d:.]+(?: [+-]\d{4})?) (.+)$/;
/** Looked at of each line. */
const LOOKED_AT = 500;
/** Of the whole budget. */
const SHARE = 0.9;

export function listing({ lines, budget }: Document): Proposal | undefined {
  const names: string[] = [];
  const aside: Piece[] = [];
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at]?.text ?? "").slice(0, LOOKED_AT);
    const name = LONG.exec(text)?.[1];
    if (name === "." || name === "..") continue;
    if (name !== undefined) names.push(text.startsWith("d") ? `${name}/` : name);
    else if (text !== "" && !/^total \d/.test(text)) aside.push({ at });
  }
  if (names.length < 5 || aside.length * 4 > names.length) return undefined;
  const made = pathList("entries", names, budget * SHARE);
  return { kind: "listing", required: [], preferred: [{ at: 0, made }, ...aside.slice(0, 6)], share: 1, ends: false, fill: false, holds: ["path", "value"] };
}
