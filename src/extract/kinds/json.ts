// JSON, one value or one to a line: whole without its blanks where that fits, else an outline, with every error it tells of.
import { stripVTControlCharacters } from "node:util";
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";
import { outputStart } from "../output.ts";
import { minified, outline } from "./json-outline.ts";
import { type JsonNode, type Scan, scanJson } from "./json-scan.ts";
import { size } from "./paths.ts";

/** Of the whole budget, for the outline; the rest lists names that it does not hold. */
const SHARE = 0.6;
/** Of the whole budget, for the value itself. */
const WHOLE = 0.95;
/** Errors that are told of beside the outline, and characters of each. */
const ERRORS = 12;
const ERROR_LENGTH = 300;

const ERROR_KEY = /^(?:error|errors|err|exception|error_?message|stderr|failures?|traceback|exit_?code|fatal)$/i;
const NOTHING = /^(?:null|""|0|\[\s*\]|\{\s*\}|false)$/;

export function json(document: Document): Proposal | undefined {
  const start = outputStart(document.lines);
  const text = textFrom(document, start);
  const from = text.search(/\S/);
  const first = text.charAt(from);
  if (first !== "{" && first !== "[") return undefined;
  const scan = scanJson(text, from);
  if (!scan || !isTelling(scan)) return undefined;
  const value = scan.broken === undefined ? withFollowing(text, scan) : scan;
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
function withFollowing(text: string, first: Scan): Scan {
  const values: JsonNode[] = [first.value];
  let { end } = first;
  for (;;) {
    const next = text.slice(end, end + 400).search(/[^\s,]/);
    if (next < 0 || !/[{[]/.test(text.charAt(end + next)) || text.slice(end, end + next).includes(",")) break;
    const scan = scanJson(text, end + next);
    if (!scan || scan.broken !== undefined) break;
    values.push(scan.value);
    end = scan.end;
  }
  if (values.length < 3) return first;
  return { value: { kind: "array", start: first.value.start, end, values, cut: false }, end };
}

function titleOf({ broken }: Scan, text: string): string {
  const where = broken === undefined ? "" : broken >= text.length ? ", cut at its end" : `, broken at line ${text.slice(0, broken).split("\n").length}`;
  return `JSON${where} `;
}

/** What keys of errors hold, each with its path; those that hold nothing are left out. */
function errorsOf(text: string, root: JsonNode): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  let more = 0;
  const open: { readonly node: JsonNode; readonly path: string }[] = [{ node: root, path: "" }];
  for (let at = 0; at < open.length; at++) {
    const { node, path } = open[at] as (typeof open)[number];
    if (!("values" in node)) continue;
    node.values.forEach((value, place) => {
      const key = node.kind === "object" ? (node.keys[place] as string) : `${place}`;
      const here = path === "" ? key : `${path}.${key}`;
      if (node.kind === "object" && ERROR_KEY.test(key)) {
        const raw = minified(text, value, ERROR_LENGTH * 4) ?? text.slice(value.start, value.start + ERROR_LENGTH * 4);
        if (NOTHING.test(raw) || isWord(raw)) return;
        const same = `${key} ${raw.replace(/\d+/g, "*")}`;
        if (seen.has(same)) more += 1;
        else if (found.length >= ERRORS) more += 1;
        else found.push(`${here}: ${raw.length > ERROR_LENGTH ? `${raw.slice(0, ERROR_LENGTH)}…` : raw}`);
        seen.add(same);
        return;
      }
      if ("values" in value) open.push({ node: value, path: here });
    });
  }
  return more > 0 ? [...found, `${more} more errors, like these or not shown`] : found;
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
