// An outline of a JSON value under a budget: keys and short values, arrays by their rows, their ends and what they hold.

import { estimate } from "../../tokens/index.ts";
import type { JsonNode } from "./json-scan.ts";
import { fitting, LEAST_COST, size } from "./paths.ts";
import { columnNotes, profile, rowsByWeight, type Table, wholeTable, wrongRows } from "./table.ts";

/** Characters of a value that is shown in the outline. */
const VALUE = 160;
/** Characters of a value that stands on one line with others, and tokens that any other takes at least. */
const SHORT = 48;
const LONG_COST = 12;
/** Tokens of the count of what is left out. */
const COUNT_COST = 5;
/** Characters of a value in a row. */
const CELL = 64;
/** A column is shown where at least one row in so many has it. */
const FILLED = 4;
/** Keys of an object in a row that become columns. */
const PARTS = 12;
/** Below so many tokens a container is named with its keys or its length only. */
const LEAST = 8;
/** Members from which on an object may be a list of records by name. */
const RECORDS = 6;
/** Columns of an array's rows. */
const COLUMNS = 40;
/** Elements of a mixed array that are tried. */
const ELEMENTS = 200;
/** Values of an array that are counted. */
const COUNTED = 8;

/** The value's text without the blanks between its parts; `undefined` where it would be longer than `limit` characters. */
export function minified(text: string, { start, end }: JsonNode, limit: number): string | undefined {
  const parts: string[] = [];
  let length = 0;
  for (let at = start; at < end && length <= limit; ) {
    const from = at;
    while (at < end && !isBlank(text.charCodeAt(at))) {
      if (text.charCodeAt(at) === 34) {
        for (at += 1; at < end && text.charCodeAt(at) !== 34; at++) if (text.charCodeAt(at) === 92) at += 1;
        if (at - from > limit) return undefined;
      }
      at += 1;
    }
    parts.push(text.slice(from, Math.min(at, end)));
    length += at - from;
    while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  }
  return length <= limit ? parts.join("") : undefined;
}

/** The outline's lines. */
export function outline(text: string, node: JsonNode, budget: number): readonly string[] {
  return block(text, "", node, budget);
}

/** One named value: on one line where it is short, else with what it holds beneath. */
function block(text: string, name: string, node: JsonNode, budget: number): readonly string[] {
  const label = name === "" ? "" : `${name}: `;
  if (!("values" in node)) return [`${label}${scalar(text, node, VALUE)}`];
  const short = minified(text, node, VALUE);
  if (short !== undefined && !node.cut && size(short) <= Math.max(budget, LEAST)) return [`${label}${short}`];
  const title = `${label}${countOf(node)}`;
  const left = budget - size(title);
  if (left < LEAST) return [title];
  const inner = node.kind === "object" ? members(text, node, left) : elements(text, node, left);
  return [title, ...inner.map((line) => ` ${line}`)];
}

function countOf(node: JsonNode): string {
  if (!("values" in node)) return "";
  const more = node.cut ? ", cut" : "";
  return node.kind === "object" ? `{${node.keys.length} ${node.keys.length === 1 ? "key" : "keys"}${more}}` : `[${node.values.length}${more}]`;
}

/** Short values on one line, then each of the others with its share of what is left. */
function members(text: string, node: Extract<JsonNode, { kind: "object" }>, budget: number): readonly string[] {
  const names = node.keys.map(keyText);
  if (areRecords(node)) return rowLines(tableOf(text, node.values, names), budget);
  const short: string[] = [];
  const shortNames: string[] = [];
  const long: number[] = [];
  node.values.forEach((value, at) => {
    const shown = value.cut ? undefined : minified(text, value, SHORT);
    if (shown === undefined) long.push(at);
    else {
      short.push(`${names[at]}: ${shown}`);
      shortNames.push(names[at] as string);
    }
  });
  const lines = packed(short, shortNames, long.length === 0 ? budget : Math.max(budget / 3, budget - long.length * LONG_COST));
  let left = budget - size(lines.join("\n"));
  const missed: string[] = [];
  long.forEach((at, place) => {
    const found = block(text, names[at] as string, node.values[at] as JsonNode, left / (long.length - place));
    const cost = size(found.join("\n"));
    if (cost > left) missed.push(names[at] as string);
    else {
      lines.push(...found);
      left -= cost;
    }
  });
  return missed.length === 0 ? lines : [...lines, ...packed([], missed, left)];
}

/** Whether an object is a list of records by name: all have much the same keys. */
function areRecords({ values }: Extract<JsonNode, { kind: "object" }>): boolean {
  if (values.length < RECORDS) return false;
  const keys = new Set<string>();
  let total = 0;
  for (const value of values) {
    if (value.kind !== "object") return false;
    total += value.keys.length;
    for (const key of value.keys.slice(0, COLUMNS)) keys.add(key);
  }
  return keys.size * values.length <= total * 3;
}

/** Members on one line: the first with their values, as far as the names of all others fit beside them; else names, then their count. */
function packed(members: readonly string[], names: readonly string[], budget: number): string[] {
  if (names.length === 0) return [];
  if (members.length === names.length && members.length * LEAST_COST <= budget * 2 && size(members.join(", ")) <= budget) return [members.join(", ")];
  const costs = names.map(inLine);
  let spent = costs.reduce((sum, cost) => sum + cost, 0);
  if (spent > budget) {
    let named = 0;
    for (let left = budget - COUNT_COST - (costs[0] ?? 0); left >= 0 && named < names.length; left -= costs[named] ?? 0) named += 1;
    // How many there are stands above.
    return named === 0 ? [] : [`${names.slice(0, named).join(" ")} … ${names.length - named} more`];
  }
  let kept = 0;
  for (; kept < members.length; kept++) {
    spent += inLine(members[kept] as string) - (costs[kept] as number);
    if (spent > budget) break;
  }
  const others = names.slice(kept).join(" ");
  return kept === 0 ? [others] : [members.slice(0, kept).join(", "), ...(others === "" ? [] : [`and ${others}`])];
}

/** Tokens of a text that stands among others on one line. */
function inLine(text: string): number {
  return estimate(` ${text}`) + 1;
}

function elements(text: string, { values }: Extract<JsonNode, { kind: "array" }>, budget: number): readonly string[] {
  const objects = values.filter(({ kind }) => kind === "object").length;
  if (objects >= 3 && objects * 10 >= values.length * 9) return rowLines(tableOf(text, values), budget);
  if (values.every((value) => !("values" in value))) return scalarLines(text, values, budget);
  const lines: string[] = [];
  let left = budget;
  let shown = 0;
  for (const at of new Set([0, values.length - 1, ...Array.from({ length: Math.min(values.length, ELEMENTS) }, (_, place) => place)])) {
    const value = values[at];
    if (!value || left < LEAST) break;
    const found = block(text, `#${at}`, value, left / 2);
    const cost = size(found.join("\n"));
    if (cost > left) continue;
    left -= cost;
    lines.push(...found);
    shown += 1;
  }
  return shown < values.length ? [...lines, `${values.length - shown} more`] : lines;
}

function scalarLines(text: string, values: readonly JsonNode[], budget: number): readonly string[] {
  const cells = values.map((value) => scalar(text, value, CELL));
  const table: Table = { columns: ["values"], rows: cells.map((cell) => [cell]) };
  const profiled = profile(table);
  const whole = cells.join(", ");
  if (cells.length * 2 <= budget && size(whole) <= budget) return [whole];
  const distinct = profiled.columns[0]?.counts.size ?? 0;
  const notes = distinct <= COUNTED ? columnNotes(profiled) : columnNotes(profiled).slice(0, 1);
  const { kept } = fitting(
    rowsByWeight(table, profiled)
      .slice(0, Math.ceil(budget))
      .map((at) => cells[at] as string),
    budget - size(notes.join("\n")) - 8,
  );
  const last = cells.at(-1) as string;
  return [...notes, ...(kept.length > 0 ? [`${kept.join(", ")}${kept.includes(last) ? "" : ` … ${last}`}`] : [])];
}

/** What a key of rows becomes. */
interface KeyColumn {
  readonly name: string;
  /** Its column; -1 until a row has a value for it. */
  at: number;
  /** The columns of the keys within, where these become columns of their own. */
  readonly parts: Map<string, number> | undefined;
}

/** The columns of rows, in order of their first value. */
interface Columns {
  /** Each column by its name. */
  readonly places: Map<string, number>;
  readonly keys: Map<string, KeyColumn>;
  /** Keys whose objects are divided into columns. */
  readonly divided: ReadonlySet<string>;
}

type Put = (column: number, node: JsonNode) => void;

/** Objects as rows, each with its name where it has one; what they all hold in objects of their own becomes columns, too. */
function tableOf(text: string, values: readonly JsonNode[], names?: readonly string[]): Table {
  const columns: Columns = { places: new Map(names ? [["key", 0]] : []), keys: new Map(), divided: partsOf(values) };
  const filled: number[] = names ? [values.length] : [];
  const count: Put = (column) => {
    filled[column] = (filled[column] ?? 0) + 1;
  };
  for (const value of values) visitCells(value, columns, count);
  const kept = filled.flatMap((times, column) => (times * FILLED >= values.length ? [column] : [])).slice(0, COLUMNS);
  const places = new Map(kept.map((column, place) => [column, place]));
  const shownAt = filled.map((_, column) => places.get(column) ?? -1);
  let row: string[] = [];
  const fill: Put = (column, node) => {
    const place = shownAt[column] as number;
    if (place >= 0) row[place] = cell(text, node);
  };
  const rows = values.map((value, number) => {
    row = kept.map(() => "");
    if (names && shownAt[0] === 0) row[0] = names[number] as string;
    visitCells(value, columns, fill);
    return row;
  });
  const all = [...columns.places.keys()];
  return { columns: kept.map((column) => all[column] as string), rows };
}

/** Puts what a row holds into its columns; one that is no object has a column for itself. */
function visitCells(value: JsonNode, columns: Columns, put: Put): void {
  if (value.kind !== "object") {
    put(placeOf(columns, "value"), value);
    return;
  }
  for (let place = 0; place < value.values.length; place++) {
    const inner = value.values[place] as JsonNode;
    const column = columnOf(columns, value.keys[place] as string);
    if (inner.kind === "object" && column.parts) visitParts(inner, column.name, column.parts, columns, put);
    else {
      if (column.at < 0) column.at = placeOf(columns, column.name);
      put(column.at, inner);
    }
  }
}

/** Puts each value of an object within a row into a column of its own. */
function visitParts({ keys, values }: Extract<JsonNode, { kind: "object" }>, name: string, parts: Map<string, number>, columns: Columns, put: Put): void {
  for (let place = 0; place < values.length; place++) {
    const key = keys[place] as string;
    let at = parts.get(key);
    if (at === undefined) {
      at = placeOf(columns, `${name}.${key}`);
      parts.set(key, at);
    }
    put(at, values[place] as JsonNode);
  }
}

function placeOf({ places }: Columns, name: string): number {
  const at = places.get(name) ?? places.size;
  places.set(name, at);
  return at;
}

function columnOf({ keys, divided }: Columns, key: string): KeyColumn {
  const known = keys.get(key);
  if (known) return known;
  const made = { name: keyText(key), at: -1, parts: divided.has(key) ? new Map<string, number>() : undefined };
  keys.set(key, made);
  return made;
}

/** Keys whose values are objects of the same few keys in all rows. */
function partsOf(values: readonly JsonNode[]): ReadonlySet<string> {
  const inner = new Map<string, Set<string>>();
  for (const value of values) {
    if (value.kind !== "object") continue;
    value.values.forEach((node, at) => {
      if (node.kind !== "object") return;
      const key = value.keys[at] as string;
      let keys = inner.get(key);
      if (!keys) {
        keys = new Set();
        inner.set(key, keys);
      }
      for (let place = 0; place < Math.min(node.keys.length, PARTS + 1) && keys.size <= PARTS; place++) keys.add(node.keys[place] as string);
    });
  }
  return new Set([...inner].flatMap(([key, keys]) => (keys.size > 0 && keys.size <= PARTS ? [key] : [])));
}

function cell(text: string, node: JsonNode): string {
  if (node.kind === "string" && !node.cut && isWord(text, node.start + 1, node.end - 1)) return text.slice(node.start + 1, node.end - 1);
  return "values" in node ? (minified(text, node, CELL / 2) ?? countOf(node)) : bare(scalar(text, node, CELL));
}

/** A short name that is no word of JSON: most cells are, and each goes without its quotes. */
function isWord(text: string, start: number, end: number): boolean {
  if (end - start < 6 || end - start > CELL - 2) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const letter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (!letter && (at === start || !(code === 45 || code === 95 || (code >= 48 && code <= 57)))) return false;
  }
  return true;
}

/** All rows where they fit, else what the columns hold and the rows that matter. */
function rowLines(table: Table, budget: number): readonly string[] {
  const profiled = profile(table);
  const whole = wholeTable(table, profiled, budget);
  if (whole !== undefined) return whole.split("\n");
  const notes = fitting(columnNotes(profiled), budget * 0.4).kept;
  const varied = table.columns.flatMap((_, at) => (profiled.columns[at]?.counts.size === 1 ? [] : [at]));
  const head = varied.map((at) => table.columns[at]).join("\t");
  let left = budget - size([...notes, head].join("\n")) - 8;
  const chosen: { readonly at: number; readonly line: string }[] = [];
  let misses = 0;
  for (const at of new Set([...wrongRows(table), ...rowsByWeight(table, profiled)])) {
    const line = `#${at}\t${varied.map((column) => (table.rows[at]?.[column] ?? "").replace(/[\t\r\n]+/g, " ")).join("\t")}`;
    const cost = size(line);
    if (cost > left && ++misses > 8) break;
    if (cost > left) continue;
    left -= cost;
    chosen.push({ at, line });
  }
  const rows = chosen.sort((a, b) => a.at - b.at).map(({ line }) => line);
  const hidden = table.rows.length - rows.length;
  return [
    ...notes,
    ...(rows.length > 0 ? [head] : [`columns: ${table.columns.slice(0, 12).join(" ")}`]),
    ...rows,
    ...(hidden > 0 ? [`${hidden} more rows`] : []),
  ];
}

function scalar(text: string, { start, end, cut }: JsonNode, limit: number): string {
  const raw = text.slice(start, Math.min(end, start + limit));
  const more = end - start > limit ? `… (${end - start} characters)` : cut ? " (cut)" : "";
  const line = raw.includes("\n") || raw.includes("\r") ? raw.replace(/[\r\n]+/g, " ") : raw;
  return more === "" ? line : `${line}${more}`;
}

/** A string that cannot be taken for anything else goes without its quotes. */
function bare(value: string): string {
  if (value.charCodeAt(0) !== 34) return value;
  return /^"[^"\\\t]*"$/.test(value) && !/^"(?:[-+.\d][^ ]*|true|false|null| .*|.* |[{[].*)?"$/.test(value) ? value.slice(1, -1) : value;
}

/** A key that is no plain word stands in quotes, so that it stays one word. */
function keyText(key: string): string {
  const shown = key.length > CELL ? `${key.slice(0, CELL)}…` : key;
  return /^[\w$@./-]+$/.test(shown) ? shown : JSON.stringify(shown);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
