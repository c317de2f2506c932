// Files that were read: an outline of their declarations, with the lines' own numbers.
import { programs } from "../command.ts";
import { describe } from "../describe.ts";
import { type Document, type Piece, type Proposal, splitNumber } from "../document.ts";
import { declares, type Language, languageOf } from "./declarations.ts";

const READERS = new Set([
  "read",
  "view",
  "cat",
  "read_file",
  "readfile",
  "view_file",
  "open_file",
  "open",
  "fs_read",
  "read_text_file",
  "notebookread",
  "str_replace_editor",
]);
const PRINTERS = new Set(["cat", "sed", "head", "tail", "nl", "bat", "less", "more"]);
/** What a reader says below a part of a file. */
const NOTE = /^\s*[[(<].*\b(?:truncated|offset|more lines|showing lines|lines? omitted|to continue)\b/i;
/** Declarations are outlined in lines of at most this many characters. */
const LONGEST = 400;

export function source(document: Document): Proposal | undefined {
  const read = fileRead(document);
  if (!read || /\.(?:csv|tsv|tab)$/i.test(read.path)) return undefined;
  const { lines } = document;
  const language = languageOf(read.path) ?? guessed(document);
  const outline = language === undefined ? [] : outlineOf(document, language);
  const preferred: Piece[] =
    read.from > 1 && splitNumber(lines[0]?.text ?? "") === undefined ? [{ at: 0, made: `line 1 here is line ${read.from} of the file` }] : [];
  for (let at = Math.max(0, lines.length - 3); at < lines.length; at++) if (NOTE.test((lines[at]?.text ?? "").slice(0, LONGEST))) preferred.push({ at });
  return { kind: "source", required: [], preferred: [...preferred, ...outline], share: 0.6, ends: false, fill: true };
}

/** The file whose text a result is, and its first line; `undefined` where it is something else. */
/** Whether a call reads one file, by its tool or its command. */
export function isRead(input: { readonly tool: string; readonly args?: unknown }): boolean {
  return fileRead(describe({ ...input, text: "", status: "ok" }, [], 0)) !== undefined;
}

function fileRead(document: Document): { readonly path: string; readonly from: number } | undefined {
  if (document.status === "error") return undefined;
  if (READERS.has(document.tool) && document.path !== "") return { path: document.path, from: document.from };
  if (document.command === "") return looksNumbered(document) ? { path: document.path, from: document.from } : undefined;
  const printing = programs(document.command);
  const only = printing[0];
  if (printing.length !== 1 || !only || !PRINTERS.has(only.name)) return undefined;
  const files = only.args.filter((arg) => /\.\w{1,8}$/.test(arg) && !arg.startsWith("-") && !/^[|<>&]/.test(arg));
  if (files.length !== 1 || only.args.some((arg) => /^\d?>/.test(arg) && !arg.startsWith("2>"))) return undefined;
  const path = files[0] as string;
  if (/\.(?:log|out|err)$/.test(path)) return undefined;
  const range = only.name === "sed" ? only.args.map((arg) => /^(\d+),(?:\d+|\$)p$/.exec(arg)?.[1]).find((start) => start !== undefined) : undefined;
  return { path, from: range === undefined ? 1 : Number(range) };
}

function looksNumbered({ lines }: Document): boolean {
  const head = lines.slice(0, 8);
  let previous = -1;
  for (const { text } of head) {
    const numbered = splitNumber(text);
    if (!numbered || !/^\s*\d+[→\t]/.test(text) || (previous >= 0 && numbered.number !== previous + 1)) return false;
    previous = numbered.number;
  }
  return head.length >= 3;
}

/** The language of a file without a telling name, by its first lines. */
function guessed({ lines }: Document): Language | undefined {
  const head = lines
    .slice(0, 40)
    .map(({ text }) => (splitNumber(text)?.rest ?? text).slice(0, LONGEST))
    .join("\n");
  if (/^#!.*\bpython/.test(head) || /^(?:from [\w.]+ import |def \w+\(|import \w+$)/m.test(head)) return "python";
  if (/^#!.*\b(?:ba|z|da)?sh\b/.test(head)) return "shell";
  if (/^#!.*\bnode\b/.test(head) || /^(?:import .* from ["']|export (?:const|function|class|default) )/m.test(head)) return "script";
  if (/^#!.*\bruby\b/.test(head)) return "ruby";
  if (/^package \w+$/m.test(head)) return "go";
  return /^#{1,3} \w/m.test(head) ? "markdown" : undefined;
}

/** Declarations in the order of their weight: outer ones before inner ones. */
function outlineOf({ lines }: Document, language: Language): readonly Piece[] {
  const levels: Piece[][] = [[], [], []];
  let fenced = false;
  for (let at = 0; at < lines.length; at++) {
    const whole = (lines[at] as (typeof lines)[number]).text;
    const text = splitNumber(whole)?.rest ?? whole;
    if (text.length > LONGEST || text === "") continue;
    if (language === "markdown" && /^\s*(?:```|~~~)/.test(text)) fenced = !fenced;
    if (fenced) continue;
    const level = declares(text, language);
    if (level !== undefined) (levels[level] as Piece[]).push({ at });
  }
  return levels.flat();
}
