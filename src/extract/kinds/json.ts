// JSON, one value or one to a line: whole without its blanks where that fits, else an outline, with every error it tells of.
import { stripVTControlCharacters } from "node:util";
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";
import { outputStart } from "../output.ts";
import { minified, outline } from "./json-outline.ts";
import { type Container, type JsonNode, newScanner, type Scan, type Scanner, scanJson } from "./json-scan.ts";
import { size } from "./paths.ts";

/** Of the whole budget, for the outline; the rest lists names that it does not hold. */
const SHARE = 0.6;
/** Of the whole budget, for the value itself. */
const WHOLE = 0.95;
/** Errors that are told of beside the outline, and characters of each. */
const ERRORS = 12;
const ERROR_LENGTH = 300;

/** Blanks between values that follow each other. */
const APART = 400;

const ERROR_KEY = /^(?:error|errors|err|exception|error_?message|stderr|failures?|traceback|exit_?code|fatal)$/i;
const NOTHING = /^(?:null|""|0|\[\s*\]|\{\s*\}|false)$/;

export function json(document: Document): Proposal | undefined {
  const start = outputStart(document.lines);
  const text = textFrom(document, start);
  const from = text.search(/\S/);
  const first = text.charAt(from);
  if (first !== "{" && first !== "[") return undefined;
  const scanner = newScanner();
  const scan = scanJson(text, from, scanner);
  if (!scan || !isTelling(scan)) return undefined;
  const value = scan.broken === undefined ? withFollowing(text, scan, scanner) : scan;
  const rest = text.slice(value.end).trim();
  if (rest !== "" && rest.length > value.end - from) return undefined;
  const errors = errorsOf(text, value.value);
  const required: Piece[] = errors.length > 0 ? [{ at: start, made: errors.join("\n") }] : [];
  const whole = value.broken === undefined ? minified(text, value.value, document.budget * 6) : undefined;
  const title = titleOf(value, text);
  if (whole !== undefined && rest === "" && size(whole) <= document.budget * WHOLE)
    return { ...KIND, required: [], preferred: [{ at: start, made: whole }], holds: ["path", "code", "value", "identifier", "quoted"] };
  const lines = outline(text, value.value, document.budget * SHARE - size(title));
  const made = [`${title}${lines[0] ?? ""}`, ...lines.slice(1)].join("\n");
  const trailer = rest === "" ? [] : trailerPieces(document, text, value.end);
  const told = document.status === "error" && rest !== "" ? errorPieces(document.lines, true) : [];
  return { ...KIND, required: [...required, ...told], preferred: [{ at: start, made }, ...trailer], holds: [] };
}

const KIND = { kind: "json", share: 1, ends: false, fill: false } as const;

/** The text without control sequences, behind what the host wrote above. */
function textFrom({ text, lines }: Document, start: number): string {
  let from = 0;
  for (let number = 1; number < (lines[start]?.number ?? 1); number++) from = text.indexOf("\n", from) + 1;
  const own = from === 0 ? text : text.slice(from);
  return own.includes("\u001b") ? stripVTControlCharacters(own) : own;
}

/** Brackets open many texts: some of it must have been read. */
function isTelling({ value, broken, end }: Scan): boolean {
  if (broken === undefined) return true;
  if (!("values" in value)) return false;
  return (value.values.length >= 2 || (value.values[0] !== undefined && "values" in value.values[0])) && (end - value.start) * 2 > 40;
}

/** Values that follow each other, one to a line, are read as one array. */
function withFollowing(text: string, first: Scan, scanner: Scanner): Scan {
  const values: JsonNode[] = [first.value];
  let { end } = first;
  for (;;) {
    const next = nextValue(text, end);
    if (next < 0) break;
    const scan = scanJson(text, next, scanner);
    if (!scan || scan.broken !== undefined) break;
    values.push(scan.value);
    end = scan.end;
  }
  if (values.length < 3) return first;
  return { value: { kind: "array", start: first.value.start, end, values, cut: false }, end };
}

/** Where a container begins behind blanks; -1 where something else does. */
function nextValue(text: string, from: number): number {
  for (let at = from; at < from + APART; at++) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 91) return at;
    if (!isBlank(text, at, code)) return -1;
  }
  return -1;
}

function isBlank(text: string, at: number, code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code >= 128 && /\s/.test(text.charAt(at)));
}

function titleOf({ broken }: Scan, text: string): string {
  const where = broken === undefined ? "" : broken >= text.length ? ", cut at its end" : `, broken at line ${text.slice(0, broken).split("\n").length}`;
  return `JSON${where} `;
}

/** A container that errors are looked for in: where it stands in the one that holds it. */
interface Holder {
  readonly node: Container;
  readonly parent: Holder | undefined;
  readonly place: number;
}

/** What keys of errors hold, each with its path; those that hold nothing are left out. */
function errorsOf(text: string, root: JsonNode): readonly string[] {
  if (!("values" in root)) return [];
  const found: string[] = [];
  const seen = new Set<string>();
  let more = 0;
  const open: Holder[] = [{ node: root, parent: undefined, place: 0 }];
  for (let at = 0; at < open.length; at++) {
    const holder = open[at] as Holder;
    const { node } = holder;
    for (let place = 0; place < node.values.length; place++) {
      const value = node.values[place] as JsonNode;
      if (node.kind === "object" && isErrorKey(node.keys[place] as string)) {
        const raw = minified(text, value, ERROR_LENGTH * 4) ?? text.slice(value.start, value.start + ERROR_LENGTH * 4);
        if (NOTHING.test(raw) || isWord(raw)) continue;
        const same = `${node.keys[place]} ${raw.replace(/\d+/g, "*")}`;
        if (seen.has(same)) more += 1;
        else if (found.length >= ERRORS) more += 1;
        else found.push(`${pathTo(holder, place)}: ${raw.length > ERROR_LENGTH ? `${raw.slice(0, ERROR_LENGTH)}…` : raw}`);
        seen.add(same);
      } else if ("values" in value) open.push({ node: value, parent: holder, place });
    }
  }
  return more > 0 ? [...found, `${more} more errors, like these or not shown`] : found;
}

function isErrorKey(key: string): boolean {
  const first = key.charCodeAt(0) | 32;
  return (first === 101 || first === 115 || first === 102 || first === 116) && ERROR_KEY.test(key);
}

/** `results.12.error`: the keys and places that lead to a value of a container. */
function pathTo(holder: Holder, place: number): string {
  const { node, parent } = holder;
  const key = node.kind === "object" ? (node.keys[place] as string) : `${place}`;
  const before = parent === undefined ? "" : pathTo(parent, holder.place);
  return before === "" ? key : `${before}.${key}`;
}

/** One short word is a name: of a colour, a level, a column. */
function isWord(raw: string): boolean {
  return /^"[\w#.-]{0,16}"$/.test(raw) && !/fail|err|denied|timeout/i.test(raw);
}

/** The first and the last lines of what follows the value. */
function trailerPieces({ lines }: Document, text: string, end: number): readonly Piece[] {
  const count = text.slice(end).trim().split("\n").length;
  const last: number[] = [];
  for (let at = lines.length - 1; at >= 0 && last.length < Math.min(count, 40); at--) if ((lines[at]?.text ?? "").trim() !== "") last.unshift(at);
  return [...last.slice(-3), ...last.slice(0, 3)].map((at) => ({ at }));
}
