// Reads differences, unified, context or git's, combined ones too: which line is what.
import type { Line } from "../normalise.ts";

/** One file's part of a difference. */
export interface FileChange {
  /** Index of the line that names the file. */
  at: number;
  plus: number;
  minus: number;
  /** First line of each hunk in the new file. */
  readonly places: number[];
  /** `new file`, `rename from a.ts`, … */
  readonly about: Set<string>;
}

export interface Patch {
  readonly files: readonly FileChange[];
  /** Indices of lines: `3 files changed, …`; a file's share of it; what names a commit, and its subject. */
  readonly totals: readonly number[];
  readonly stats: readonly number[];
  readonly commits: readonly number[];
  /** Lines that were added or taken out. */
  readonly changed: ReadonlySet<number>;
  /** Lines that only the tool needs. */
  readonly quiet: ReadonlySet<number>;
  /** Heads of hunks, and lines in them that did not change. */
  readonly context: ReadonlySet<number>;
}

type Growing = { readonly [Key in keyof Patch]: Patch[Key] extends ReadonlySet<number> ? Set<number> : Patch[Key][number & keyof Patch[Key]][] };

/** Looked at of each line that is no change. */
const LOOKED_AT = 400;

const HUNK = /^@@+ (?:-\d{1,9}(?:,(\d{1,9}))? )+\+(\d{1,9})(?:,(\d{1,9}))? @@/;
const FILE = /^diff (?:--git|--cc|--combined|-\w+) /;
const ABOUT = /^(?:new file mode|deleted file mode|rename (?:from|to) |copy (?:from|to) |Binary files |GIT binary patch|old mode |new mode )/;
/** ` src/a.ts | 12 +++---` and the line below all of them. */
const STAT = /^ \S.{0,300} \| +(?:\d+(?: [+-]+)?|Bin .{1,60})$/;
const TOTAL = /^ ?\d+ files? changed\b/;
const COMMIT = /^(?:commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} )/;
const QUIET = /^(?:index [0-9a-f]|similarity index|dissimilarity index|Author: |AuthorDate: |Commit: |CommitDate: |Date: |Merge: |\\ No newline)/;

/** Whether a line opens the difference of a file. */
export function opensFile(lines: readonly Line[], at: number): boolean {
  const { text } = lines[at] as Line;
  return FILE.test(text.slice(0, LOOKED_AT)) || isNamePair(lines, at);
}

/** Whether a line belongs to a summary of differences. */
export function isStat(text: string): boolean {
  const head = text.slice(0, LOOKED_AT);
  return STAT.test(head) || TOTAL.test(head);
}

/** A file's line of a summary: its path and the count of its changed lines, `Bin …` for others. */
export function splitStat(text: string): { readonly path: string; readonly count: string } {
  const bar = text.lastIndexOf(" | ");
  return {
    path: text.slice(0, bar).trim(),
    count: text
      .slice(bar + 3)
      .replace(/ [+-]+$/, "")
      .trim(),
  };
}

export function readPatch(lines: readonly Line[]): Patch {
  const patch: Growing = { files: [], totals: [], stats: [], commits: [], changed: new Set(), quiet: new Set(), context: new Set() };
  let file: FileChange | undefined;
  let named = false;
  let untitled = false;
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at] as Line).text.slice(0, LOOKED_AT);
    const hunk = file && HUNK.exec(text);
    if (file && hunk) {
      file.places.push(Number(hunk[2]));
      patch.context.add(at);
      at = readHunk(lines, at, hunk, file, patch);
    } else if (FILE.test(text)) {
      file = { at, plus: 0, minus: 0, places: [], about: new Set() };
      patch.files.push(file);
      named = false;
    } else if (isNamePair(lines, at)) {
      if (!file || named) {
        file = { at, plus: 0, minus: 0, places: [], about: new Set() };
        patch.files.push(file);
      }
      patch.quiet
        .add(file.at)
        .add(at)
        .add(at + 1);
      nameFile(file, lines, at);
      named = true;
      at += 1;
    } else if (file && ABOUT.test(text)) {
      file.about.add(aboutOf(text));
      patch.quiet.add(at);
    } else if (COMMIT.test(text)) {
      patch.commits.push(at);
      file = undefined;
      untitled = true;
    } else if (TOTAL.test(text)) patch.totals.push(at);
    else if (STAT.test(text)) patch.stats.push(at);
    else if (QUIET.test(text)) patch.quiet.add(at);
    else if (untitled && text.trim() !== "") {
      patch.commits.push(at);
      untitled = false;
    }
  }
  return patch;
}

/** Reads the lines that a hunk's head promises; returns the index of the last. */
function readHunk(lines: readonly Line[], head: number, hunk: RegExpExecArray, file: FileChange, patch: Growing): number {
  const signs = hunk[0].indexOf(" ") - 1;
  let old = Number(hunk[1] ?? 1);
  let now = Number(hunk[3] ?? 1);
  let at = head + 1;
  for (; at < lines.length && (old > 0 || now > 0); at++) {
    const line = lines[at] as Line;
    const marks = line.text.slice(0, signs);
    if (marks.startsWith("\\")) continue;
    const times = line.last - line.number + 1;
    const [added, removed] = [marks.includes("+"), marks.includes("-")];
    if (added) file.plus += times;
    if (removed) file.minus += times;
    if (!removed) now -= times;
    if (!added) old -= times;
    if (added || removed) patch.changed.add(at);
    else patch.context.add(at);
  }
  return at - 1;
}

function isNamePair(lines: readonly Line[], at: number): boolean {
  return (lines[at] as Line).text.startsWith("--- ") && (lines[at + 1]?.text ?? "").startsWith("+++ ");
}

/** The file is named by its new name, one that is gone by its old one. */
function nameFile(file: FileChange, lines: readonly Line[], at: number): void {
  const gone = /^\+\+\+ \/dev\/null\b/.test((lines[at + 1] as Line).text);
  file.at = gone ? at : at + 1;
  if (gone) file.about.add("deleted");
  if (/^--- \/dev\/null\b/.test((lines[at] as Line).text)) file.about.add("new file");
}

function aboutOf(text: string): string {
  if (text.startsWith("new file")) return "new file";
  if (text.startsWith("deleted")) return "deleted";
  if (/^(?:Binary|GIT binary)/.test(text)) return "binary";
  return text.trimEnd();
}
