// Rows under columns: which rows matter, what the columns hold, and the shortest way to write all of them.
import { isErrorLine } from "../errors.ts";
import { size } from "./paths.ts";

export interface Table {
  readonly columns: readonly string[];
  /** Cells by column; empty where a row has none. */
  readonly rows: readonly (readonly string[])[];
}

/** A value that comes at most so often is rare. */
const RARE = 2;
/** Rows beyond this many standard deviations are shown. */
const DEVIATIONS = 2;
/** Values of a column that are counted one by one. */
const COUNTED = 6;
/** A column of more distinct values than this has too many to be counted. */
const DISTINCT = COUNTED * 2;
/** Rows of each sort that are put in order: more never fit. */
const ORDERED = 2000;
/** From so many rows on, columns are summed up. */
const SUMMED = 6;
/** Characters of a counted value. */
const VALUE = 40;
/** Columns that are looked at. */
const COLUMNS = 60;

/** A column that says how a row went. */
const STATE =
  /^(?:"?(?:error|errors|err|exception|stderr|failure|failures|failed)"?|.*(?:status|state|conclusion|exit_?code|result|health|severity|level|ready|ok|success).*)$/i;
const WRONG =
  /\b(?:error|err|fail(?:ed|ure|ing)?|fatal|critical|exited \((?!0\))|dead|crashloopbackoff|imagepullbackoff|errimagepull|oomkilled|evicted|unhealthy|unknown|timed?_?out|cancell?ed|rejected|denied|down|offline|lost|unavailable)\b/i;

interface Column {
  readonly name: string;
  /** How often each distinct value comes; where there are too many, the first of them with counts that mean nothing. */
  readonly counts: ReadonlyMap<string, number>;
  /** Where nearly all values are numbers. */
  readonly numbers?: { readonly least: number; readonly most: number; readonly mean: number; readonly deviation: number };
}

interface Profile {
  readonly columns: readonly Column[];
  readonly size: number;
}

export function profile({ columns, rows }: Table): Profile {
  return { columns: columns.slice(0, COLUMNS).map((name, at) => columnOf(name, rows, at)), size: rows.length };
}

function columnOf(name: string, rows: Table["rows"], at: number): Column {
  const counts = new Map<string, number>();
  let [numbers, least, most, mean, squares] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const row of rows) {
    const cell = row[at] ?? "";
    if (counts.size <= DISTINCT) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    const value = numberOf(cell);
    if (value === undefined) continue;
    numbers += 1;
    least = Math.min(least, value);
    most = Math.max(most, value);
    const step = value - mean;
    mean += step / numbers;
    squares += step * (value - mean);
  }
  const numeric = numbers >= 3 && numbers * 10 >= rows.length * 9;
  return { name, counts, ...(numeric && { numbers: { least, most, mean, deviation: Math.sqrt(squares / numbers) } }) };
}

const NUMBER = /^[-+]?\d{1,15}(?:\.\d{1,9})?(?:e[-+]?\d{1,3})?(?=$|[ %a-zA-Z]{1,4}$)/;
/** Longer cells are no number with a unit. */
const NUMBER_LENGTH = 40;
const WHOLE_LENGTH = 15;

/** The number that a cell begins with, without its unit; `undefined` where there is none. */
function numberOf(cell: string): number | undefined {
  const first = cell.charCodeAt(0);
  if (first !== 43 && first !== 45 && !(first >= 48 && first <= 57)) return undefined;
  if (cell.length <= WHOLE_LENGTH) {
    const whole = wholeNumber(cell);
    if (whole >= 0) return whole;
  }
  return cell.length <= NUMBER_LENGTH && NUMBER.test(cell) ? Number.parseFloat(cell) : undefined;
}

/** The value of a text of digits alone; -1 for any other. */
function wholeNumber(cell: string): number {
  let value = 0;
  for (let at = 0; at < cell.length; at++) {
    const code = cell.charCodeAt(at);
    if (code < 48 || code > 57) return -1;
    value = value * 10 + (code - 48);
  }
  return value;
}

/** Rows that tell of an error: by a column that says how it went, or by their words. */
export function wrongRows({ columns, rows }: Table): readonly number[] {
  const states = columns.slice(0, COLUMNS).flatMap((name, at) => (STATE.test(name.slice(0, VALUE)) ? [at] : []));
  const wrong: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as readonly string[];
    const told = states.some((column) => isWrong(columns[column] as string, (row[column] ?? "").slice(0, 200)));
    if (told || isErrorLine(row.join(" "), false)) wrong.push(at);
  }
  return wrong;
}

function isWrong(name: string, cell: string): boolean {
  if (WRONG.test(cell)) return true;
  if (/^(?:0\/[1-9])/.test(cell)) return /ready/i.test(name);
  if (/^(?:false|no)$/i.test(cell)) return /ok|success|ready|health/i.test(name);
  if (/exit_?code/i.test(name)) return /^-?[1-9]/.test(cell);
  if (/status/i.test(name) && /^[45]\d\d$/.test(cell)) return true;
  return /^"?(?:err|exception|stderr|fail)/i.test(name) && !/^(?:|null|""|0|\[\]|\{\}|false|none|-)$/i.test(cell);
}

/** Rows in the order of their weight: the ends, those with a rare value, outliers, one with each common value, then the first of the others. */
export function rowsByWeight({ rows }: Table, { columns }: Profile): readonly number[] {
  const seen = new Set<string>();
  const outliers: number[] = [];
  const rare: number[] = [];
  const common: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as readonly string[];
    columns.forEach(({ counts, numbers }, column) => {
      const cell = row[column] ?? "";
      const value = numbers && numbers.deviation > 0 ? numberOf(cell) : undefined;
      if (numbers && value !== undefined && Math.abs(value - numbers.mean) > DEVIATIONS * numbers.deviation) outliers.push(at);
      if (counts.size < 2 || counts.size > DISTINCT || rows.length < counts.size * 2) return;
      const key = `${column} ${cell}`;
      if ((counts.get(cell) ?? 0) <= RARE) rare.push(at);
      else if (!seen.has(key)) common.push(at);
      seen.add(key);
    });
  }
  const last = rows.length - 1;
  const others = Array.from({ length: Math.min(rows.length, ORDERED) }, (_, at) => at);
  const order = new Set([0, 1, last, ...rare.slice(0, ORDERED), ...outliers.slice(0, ORDERED), 2, last - 1, ...common, ...others]);
  return [...order].filter((at) => at >= 0 && at <= last);
}

/** What the columns hold, the most telling first: few values with their counts, a range of numbers, the same value everywhere. */
export function columnNotes({ columns, size: total }: Profile): readonly string[] {
  if (total < SUMMED) return [];
  const notes: [string[], string[], string[]] = [[], [], []];
  for (const { name, counts, numbers } of columns) {
    if (counts.size === 1) notes[2].push(`${name}: ${shown([...counts.keys()][0] ?? "")} in all`);
    else if (counts.size <= COUNTED && total >= counts.size * 2) {
      const ranked = [...counts].sort((a, b) => b[1] - a[1]);
      notes[0].push(`${name}: ${ranked.map(([value, count]) => `${shown(value)} ×${count}`).join(", ")}`);
    } else if (numbers) notes[1].push(`${name}: ${numbers.least} to ${numbers.most}, mean ${round(numbers.mean)}`);
  }
  return notes.flat();
}

/** All rows separated by tabs, columns of one value said once above; `undefined` where that does not fit. */
export function wholeTable({ columns, rows }: Table, { columns: profiled }: Profile, budget: number): string | undefined {
  // A cell and its separator take two tokens at least.
  const varied = columns.flatMap((_, at) => (rows.length < SUMMED || profiled[at]?.counts.size !== 1 ? [at] : []));
  if (rows.length * varied.length * 1.5 > budget) return undefined;
  const same = columns.flatMap((name, at) => (varied.includes(at) ? [] : [`${name} ${rows[0]?.[at] || "empty"}`]));
  const head = [varied.map((at) => columns[at]).join("\t"), ...(same.length > 0 ? [`in all rows: ${same.join(", ")}`] : [])];
  const text = [...head, ...rows.map((row) => rowText(row, varied))].join("\n");
  return size(text) <= budget ? text : undefined;
}

function rowText(row: readonly string[], columns: readonly number[]): string {
  return columns.map((at) => (row[at] ?? "").replace(/[\t\r\n]+/g, " ")).join("\t");
}

function shown(value: string): string {
  if (value === "") return "empty";
  return value.length > VALUE ? `${value.slice(0, VALUE)}…` : value;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
