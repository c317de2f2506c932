// Tables in text: comma- and tab-separated, Markdown's, a database shell's, and columns aligned by blanks.
import { type Document, isNumbered, type Piece, type Proposal, splitNumber } from "../document.ts";
import type { Line } from "../normalise.ts";
import { outputStart } from "../output.ts";
import { languageOf } from "./declarations.ts";
import { fitting } from "./paths.ts";
import { columnNotes, profile, rowsByWeight, type Table, wholeTable, wrongRows } from "./table.ts";

/** Rows from which on a text is a table. */
const LEAST_ROWS = 4;
/** Rows by which its form is told. */
const SNIFFED = 30;
/** Looked at of each row. */
const LOOKED_AT = 2000;
/** Part of the budget for verbatim lines, at least. */
const LINES = 0.6;
/** Of the whole budget, for all rows in their shortest form. */
const WHOLE = 0.9;
/** Of the lines' part, for what the columns hold. */
const NOTES = 0.35;

interface Found {
  readonly table: Table;
  /** Index of the line of each row, and of the one with the columns' names. */
  readonly at: readonly number[];
  readonly head: number;
  /** Whether a file reader numbered the lines. */
  readonly numbered: boolean;
}

type Split = (text: string) => readonly string[] | undefined;

export function rows(document: Document): Proposal | undefined {
  const found = tableOf(document);
  if (!found) return undefined;
  const { table, at: places, head, numbered } = found;
  const profiled = profile(table);
  const aside = asideOf(document.lines, found);
  const near = [...aside.slice(0, 3), ...aside.slice(3).slice(-3)];
  const whole = wholeTable(table, profiled, document.budget * WHOLE);
  if (whole !== undefined && aside.length <= 6)
    return { ...KIND, required: [], preferred: [...near, { at: head, made: whole }], holds: ["path", "code", "value", "identifier", "quoted"] };
  const notes = fitting(columnNotes(profiled), document.budget * LINES * NOTES).kept;
  const title = `${table.rows.length} rows${notes.length > 0 ? `; ${notes.join("; ")}` : ""}`;
  const ordered: Piece[] = rowsByWeight(table, profiled).map((row) => ({ at: places[row] as number }));
  return {
    ...KIND,
    required: wrongRows(table).map((row) => ({ at: places[row] as number, what: "rows that tell of errors" })),
    preferred: [{ at: head, note: title }, ...near, ...ordered],
    lines: LINES,
    numbered,
  };
}

/** Lines that are no rows. */
function asideOf(lines: readonly Line[], { at: places, head }: Found): readonly Piece[] {
  const aside: Piece[] = [];
  let row = 0;
  for (let at = 0; at < lines.length; at++) {
    if (places[row] === at) {
      row += 1;
      continue;
    }
    const { text } = lines[at] as Line;
    if (at !== head && text.trim() !== "" && !isRule(text)) aside.push({ at });
  }
  return aside;
}

const KIND = { kind: "table", share: 1, ends: false, fill: false } as const;

function tableOf(document: Document): Found | undefined {
  const { lines, path, command } = document;
  const named = /\.(csv|tsv|tab)\b/i.exec(path === "" ? command.slice(0, LOOKED_AT) : path)?.[1]?.toLowerCase();
  if (named === undefined && languageOf(path) !== undefined) return undefined;
  const numbered = isNumbered(lines) && /^ *\d+[→\t]/.test((lines[0]?.text ?? "").slice(0, 20));
  const plain = ({ text }: Line): string => (numbered ? (splitNumber(text)?.rest ?? text) : text);
  let head = outputStart(lines);
  while (head < lines.length && ((lines[head] as Line).text.trim() === "" || isRule(plain(lines[head] as Line)))) head += 1;
  const first = lines[head];
  if (!first || lines.length - head < LEAST_ROWS) return undefined;
  const next = lines.slice(head + 1, head + 1 + SNIFFED).map((line) => plain(line).slice(0, LOOKED_AT));
  const split = splitOf(plain(first).slice(0, LOOKED_AT), next, named);
  if (!split) return undefined;
  const columns = split(plain(first).slice(0, LOOKED_AT)) ?? [];
  const table: (readonly string[])[] = [];
  const at: number[] = [];
  let others = 0;
  for (let place = head + 1; place < lines.length; place++) {
    const whole = plain(lines[place] as Line);
    const text = whole.length > LOOKED_AT ? whole.slice(0, LOOKED_AT) : whole;
    const cells = isRule(text) ? undefined : split(text);
    if (cells && cells.length > 1) {
      table.push(cells);
      at.push(place);
    } else if (text.trim() !== "" && !isRule(text)) others += 1;
  }
  return table.length >= LEAST_ROWS && others * 8 <= table.length ? { table: { columns, rows: table }, at, head, numbered } : undefined;
}

/** A line that only separates: `|---|---|`, `----+----`. */
function isRule(text: string): boolean {
  const first = text.charCodeAt(0) | 32;
  // Letters and digits begin most rows.
  if ((first >= 97 && first <= 122) || (first >= 48 && first <= 57)) return false;
  return /^[\s|+:=-]{3,}$/.test(text.slice(0, LOOKED_AT)) && /[-=]{2}/.test(text.slice(0, LOOKED_AT));
}

/** How the rows are told apart into cells; `undefined` where most of the first ones do not follow. */
function splitOf(head: string, rest: readonly string[], named: string | undefined): Split | undefined {
  const sample = rest.filter((text) => text.trim() !== "" && !isRule(text));
  for (const split of splitsOf(head, rest, named)) {
    const width = split(head)?.length ?? 0;
    if (width < 2) continue;
    const same = sample.filter((text) => split(text)?.length === width).length;
    if (same >= LEAST_ROWS - 1 && same * 10 >= sample.length * 9) return split;
  }
  return undefined;
}

function splitsOf(head: string, rest: readonly string[], named: string | undefined): readonly Split[] {
  const ruled = isRule(rest[0] ?? "");
  if (head.includes("|")) return ruled ? [byBar] : [];
  if (named === "csv") return [bySeparator(","), bySeparator(";"), bySeparator("\t")];
  if (named === "tsv" || named === "tab" || (head.includes("\t") && !/^\s|[({};,]\s*$|^\d+[:-]/.test(head))) return [bySeparator("\t")];
  const separated = [",", ";"].filter((sign) => head.split(sign).length >= 3 && looksSeparated(head, rest, sign)).map(bySeparator);
  if (separated.length > 0) return separated;
  return isHeading(head) ? [byGaps(head), byBlanks(head)] : [];
}

function byBar(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.includes("|")) return undefined;
  const inner = trimmed.slice(trimmed.startsWith("|") ? 1 : 0, trimmed.endsWith("|") ? -1 : undefined);
  return inner.split("|").map((cell) => cell.trim());
}

/** Cells between separators; one in quotes may hold them. */
function bySeparator(sign: string): Split {
  return (text) => {
    if (!text.includes('"')) return text.split(sign);
    const cells: string[] = [];
    let from = 0;
    let quoted = false;
    for (let at = 0; at <= text.length; at++) {
      const char = text.charAt(at);
      if (char === '"') quoted = !quoted;
      if (at < text.length && (quoted || char !== sign)) continue;
      cells.push(text.slice(from, at).replace(/^"(.*)"$/, "$1"));
      from = at + 1;
    }
    return cells;
  };
}

/** Unannounced, rows are data: no code, no sentences. */
function looksSeparated(head: string, rest: readonly string[], sign: string): boolean {
  if (/[;{}()=>]\s*$|^\s|, [a-z]+ [a-z]+ /.test(head) || rest.length < LEAST_ROWS) return false;
  const cells = head.split(sign);
  return cells.every((cell) => cell.length < 40 && /^\s?["\w]/.test(cell)) && cells.some((cell) => !/^-?[\d.]+$/.test(cell));
}

/** Names of columns in capitals, or after each other with wide gaps: `NAME   READY   STATUS`. */
function isHeading(head: string): boolean {
  const words = head.trim().split(/\s+/);
  if (words.length < 3 || /^\s/.test(head)) return false;
  const capitals = words.filter((word) => /^[%#]?[A-Z][A-Z0-9%()/_.-]*$/.test(word)).length;
  return (
    capitals * 10 >= words.length * 9 ||
    /^Filesystem\s|^Proto\s|^PID\s/.test(head) ||
    (head.split(/\s{2,}/).length >= 3 && words.every((word) => /^[A-Z%(]/.test(word)))
  );
}

/** Columns begin where the heading's names begin, behind two blanks or more. */
function byGaps(head: string): Split {
  const starts = [...head.matchAll(/(?:^|\s{2,})(?=\S)/g)].map((match) => (match.index ?? 0) + match[0].length);
  return (text) => {
    if (starts.length < 3) return undefined;
    // A cell that runs over its column breaks the columns behind it: then gaps tell them apart.
    const cells = starts.map((start, column) => text.slice(start, starts[column + 1]));
    const aligned = starts.every((start) => start === 0 || start > text.length || /\s/.test(text.charAt(start - 1)));
    if (aligned) return cells.map((cell) => cell.trim());
    const parts = text.trim().split(/\s{2,}/);
    return parts.length === starts.length ? parts : undefined;
  };
}

/** As many columns as the heading has words, the last with what is left. */
function byBlanks(head: string): Split {
  const width = head.trim().replace(/ on$/, "").split(/\s+/).length;
  return (text) => {
    const parts = text.trim().split(/\s+/);
    if (parts.length < width) return undefined;
    return [...parts.slice(0, width - 1), parts.slice(width - 1).join(" ")];
  };
}
