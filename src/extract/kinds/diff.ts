// Differences between files: each file with its exact counts and places, of what changed as much as fits, no context.
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { outputStart } from "../output.ts";
import { type FileChange, isStat, opensFile, type Patch, readPatch, splitStat } from "./patch.ts";
import { pathList, wholePathList } from "./paths.ts";

/** Lines by which a difference is recognized: where one was asked for, and where not. */
const SNIFFED = 200;
const SNIFFED_UNASKED = 40;
/** Places of changes that are named of one file. */
const PLACES = 12;
/** Part of the budget for verbatim lines, at least: what changed is what a difference is for. */
const LINES = 0.5;
/** Of these, what the names of files may take before they are written as one list. */
const FOR_FILES = 0.7;
/** Tokens that a file with a line and a note of its own takes. */
const FILE_COST = 28;
/** Of the whole budget, for a summary alone. */
const FOR_STATS = 0.9;

export function diff(document: Document): Proposal | undefined {
  if (!isDiff(document)) return undefined;
  const { lines, status, budget } = document;
  const patch = readPatch(lines);
  if (patch.files.length === 0 && patch.stats.length === 0) return undefined;
  const silent = new Set(patch.quiet);
  for (let at = 0; at < outputStart(lines); at++) silent.add(at);
  const told = new Set([...silent, ...patch.context, ...patch.stats, ...patch.files.map(({ at }) => at)]);
  for (const at of patch.changed) if (!/\w\w/.test((lines[at]?.text ?? "").slice(0, 200))) told.add(at);
  const required = [...patch.totals.map((at) => ({ at, what: "totals" })), ...(status === "error" ? errorPieces(lines, true) : [])];
  const commits = patch.commits.map((at) => ({ at }));
  const summary = patch.files.length === 0 ? statPiece(lines, patch, budget * FOR_STATS) : undefined;
  if (summary) return { ...SUMMARY, required, preferred: [summary, ...commits] };
  const forFiles = budget * LINES * FOR_FILES;
  const files = patch.files.length * FILE_COST > forFiles ? [filesPiece(lines, patch, forFiles)] : patch.files.map(filePiece);
  return { kind: "diff", required, preferred: [...files, ...commits], share: 1, ends: false, fill: true, told, silent, lines: LINES };
}

const SUMMARY = { kind: "diff", share: 1, ends: false, fill: false, holds: ["path"] } as const;

/** `+12 -3, new file, at line 1, 40, 112` */
function filePiece({ at, plus, minus, places, about }: FileChange): Piece {
  const more = places.length > PLACES ? ` … ${places.at(-1)} (${places.length})` : "";
  const where = places.length > 0 && !about.has("new file") && !about.has("deleted") ? [`at line ${places.slice(0, PLACES).join(", ")}${more}`] : [];
  return { at, note: [`+${plus} -${minus}`, ...about, ...where].join(", ") };
}

/** All files in one list, where each with a line of its own would take too much. */
function filesPiece(lines: readonly Line[], { files }: Patch, budget: number): Piece {
  const names = files.map(
    ({ at, plus, minus, about }) => `${nameOf((lines[at] as Line).text)} +${plus} -${minus}${about.size > 0 ? ` (${[...about].join(", ")})` : ""}`,
  );
  return { at: (files[0] as FileChange).at, made: pathList("files", names, budget) };
}

/** The path in a line that names a file. */
function nameOf(text: string): string {
  return text
    .slice(0, 400)
    .replace(/^(?:\+\+\+|---|diff --\w+) (?:"?[ab]\/)?/, "")
    .replace(/\t.*$|"$/, "")
    .replace(/^(.{1,200}) "?b\/\1$/, "$1");
}

/** The files of a summary without the bars, with their counts where that fits; `undefined` where not even the names fit. */
function statPiece(lines: readonly Line[], { stats }: Patch, budget: number): Piece | undefined {
  const files = stats.map((at) => splitStat((lines[at] as Line).text));
  const counted = wholePathList(
    "files and their changed lines",
    files.map(({ path, count }) => `${path} ${count}`),
    budget,
  );
  const made =
    counted ??
    wholePathList(
      "files",
      files.map(({ path }) => path),
      budget,
    );
  return made === undefined ? undefined : { at: stats[0] as number, made };
}

function isDiff({ path, command, lines }: Document): boolean {
  const asked =
    /\.(?:diff|patch)$/.test(path) ||
    programs(command).some(({ name, args }) => name === "diff" || (name === "git" && /\b(?:diff|show|log|format-patch|stash)\b/.test(args.join(" "))));
  const end = Math.min(lines.length, asked ? SNIFFED : SNIFFED_UNASKED);
  for (let at = 0; at < end; at++) if (opensFile(lines, at) || (asked && isStat((lines[at] as Line).text))) return true;
  return false;
}
