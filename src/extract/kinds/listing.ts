// Listings of directories, long, recursive or as a tree, and of sizes: every name below its folder, what is largest, the totals.
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import type { Line } from "../normalise.ts";
import { pathList } from "./paths.ts";

/** Mode, links, owner, group, size, date; what follows is the name. */
const LONG =
  /^([dlcbps-])[rwxsStT-]{9}[@+.]? +\d+ +\S+ +\S+ +(?:\d+, +)?([\d.,]+[KMGTP]?) +(?:\S+ +\d+ +[\d:]+|\d{1,2} \S+ +[\d:]+|[\d-]+ [\d:.]+(?: [+-]\d{4})?) (.+)$/;
/** `│   ├── name`, and its form in plain characters. */
const BRANCH = /^((?:[│|](?: |\u00a0){2,3}|(?: |\u00a0){4})*)(?:[├└|`+\\](?:──|--|─|-){1,2}) ?(.+)$/;
const TREE_TOTAL = /^\d+ director(?:y|ies)(?:, \d+ files?)?$/;
/** `4.0K\t./src` */
const USAGE = /^\s*(\d+(?:[.,]\d+)?[KMGTP]?i?B?)\t+(\S.*)$/;
/** A folder's head in a recursive listing. */
const FOLDER = /^(\.{0,2}[\w~/\\.@+ -]*):$/;
/** Looked at of each line. */
const LOOKED_AT = 500;
/** Of the whole budget. */
const SHARE = 0.9;
const LEAST = 5;
/** Files named as the largest. */
const LARGEST = 3;

interface Entry {
  readonly path: string;
  /** As it stands in the listing. */
  readonly size?: string;
}

/** Of all lines, those that may stand aside in a listing: where more do, the rest is not read. */
const ASIDE = 0.2;

interface Listed {
  readonly entries: readonly Entry[];
  readonly aside: readonly Piece[];
  /** Lines that count. */
  readonly totals: readonly Piece[];
}

export function listing({ lines, budget, command }: Document): Proposal | undefined {
  const usage = programs(command).some(({ name }) => name === "du");
  for (const read of [readTree, readLong, ...(usage ? [readUsage] : [])]) {
    const { entries, aside, totals } = read(lines);
    if (entries.length < LEAST || aside.length * 4 > entries.length) continue;
    const largest = largestOf(entries);
    const made = pathList(
      "entries",
      entries.map(({ path, size }) => (usage && size !== undefined ? `${path} ${size}` : path)),
      budget * SHARE,
    );
    const preferred = [{ at: 0, made }, ...(largest === "" ? [] : [{ at: 0, made: largest }]), ...aside.slice(0, 6)];
    return { kind: "listing", required: totals, preferred, share: 1, ends: false, fill: false, holds: ["path", "value"] };
  }
  return undefined;
}

const NONE: Listed = { entries: [], aside: [], totals: [] };

function readLong(lines: readonly Line[]): Listed {
  const entries: Entry[] = [];
  const aside: Piece[] = [];
  let folder = "";
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at]?.text ?? "").slice(0, LOOKED_AT);
    const [, mode, size, name] = LONG.exec(text) ?? [];
    if (name === "." || name === "..") continue;
    if (name !== undefined)
      entries.push(mode === "d" ? { path: `${folder}${name}/` } : { path: `${folder}${name}`, ...(mode === "-" && { size: size as string }) });
    else if (FOLDER.test(text) && opensFolder(lines, at)) folder = `${text.slice(0, -1).replace(/\/$/, "")}/`;
    else if (text !== "" && !/^total \d/.test(text)) {
      aside.push({ at });
      if (aside.length > lines.length * ASIDE) return NONE;
    }
  }
  return { entries, aside, totals: [] };
}

function opensFolder(lines: readonly Line[], at: number): boolean {
  const next = (lines[at + 1]?.text ?? "").slice(0, LOOKED_AT);
  return next === "" || /^total \d/.test(next) || LONG.test(next);
}

/** Folders are told by what stands beneath them, or by a slash. */
function readTree(lines: readonly Line[]): Listed {
  const aside: Piece[] = [];
  const totals: Piece[] = [];
  const found: { readonly depth: number; readonly name: string }[] = [];
  let root = "";
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at]?.text ?? "").slice(0, LOOKED_AT);
    const [, before, name] = BRANCH.exec(text) ?? [];
    if (name !== undefined) found.push({ depth: Math.round((before ?? "").length / 4), name: name.trim() });
    else if (TREE_TOTAL.test(text)) totals.push({ at, what: "totals" });
    else if (found.length === 0 && /^[\w~/\\.@+-]+$/.test(text)) root = text === "." ? "" : `${text.replace(/\/$/, "")}/`;
    else if (text.trim() !== "") {
      aside.push({ at });
      if (aside.length > lines.length * ASIDE) return NONE;
    }
  }
  const above: string[] = [];
  const entries: Entry[] = [];
  found.forEach(({ depth, name }, at) => {
    above.length = Math.min(above.length, depth);
    const next = found[at + 1];
    const holds = next !== undefined && next.depth > depth;
    // A folder that holds something is named by what it holds.
    if (!holds) entries.push({ path: `${root}${[...above, name].join("/")}` });
    else above[depth] = name.replace(/\/$/, "");
  });
  return { entries, aside, totals };
}

function readUsage(lines: readonly Line[]): Listed {
  const entries: Entry[] = [];
  const aside: Piece[] = [];
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at]?.text ?? "").slice(0, LOOKED_AT);
    const [, size, path] = USAGE.exec(text) ?? [];
    if (size !== undefined && path !== undefined) entries.push({ path, size });
    else if (text.trim() !== "") aside.push({ at });
  }
  return { entries, aside, totals: [] };
}

/** Files whose sizes stand in the listing: the largest of them. */
function largestOf(entries: readonly Entry[]): string {
  const sized = entries.flatMap(({ path, size }) => (size === undefined ? [] : [{ path, size, bytes: bytesOf(size) }]));
  const sorted = sized.sort((a, b) => b.bytes - a.bytes);
  if (sorted.length < LEAST || sorted[0]?.bytes === sorted.at(-1)?.bytes) return "";
  const ranked = sorted.slice(0, LARGEST);
  return `largest: ${ranked.map(({ path, size }) => `${path.split(/[\\/]/).slice(-2).join("/")} ${size}`).join(", ")}`;
}

function bytesOf(size: string): number {
  const power = "KMGTP".indexOf(/[KMGTP]/.exec(size)?.[0] ?? "-") + 1;
  return Number.parseFloat(size.replace(",", ".")) * 1024 ** power;
}
