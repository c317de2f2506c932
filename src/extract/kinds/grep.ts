// Results of searches: matches grouped by file, each path written once, and lists of paths under what they share.
import { estimate } from "../../tokens/index.ts";
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { isErrorLine } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { type Hit, hitsOf, isBarePath, splitHit } from "./hits.ts";

const TOOLS = /^(?:grep|glob|rg|ripgrep|search|find|search_files|find_files|codebase_search|grep_search|file_search|list_files)$/;
const PROGRAMS = new Set(["grep", "rg", "egrep", "fgrep", "ag", "ack", "find", "fd", "ls"]);
/** Lines by which an unannounced result is recognized. */
const SNIFFED = 40;
/** Matches shown of one file, most first; beyond them their line numbers are listed. */
const PER_FILE = [Number.POSITIVE_INFINITY, 10, 5, 3, 2, 1, 0];
/** Line numbers listed of one file. */
const NUMBERS = 40;
/** Tokens that one match or path takes at least: what cannot fit is not tried. */
const LEAST_COST = 4;
/** Characters of a match that are shown. */
const SHOWN = 160;
/** Tokens of the line that says what does not fit. */
const TAIL = 30;
/** Of the whole budget, for matches: their text holds only some of the names; and for paths. */
const FOR_MATCHES = 0.74;
const FOR_PATHS = 0.92;

export function grep(document: Document): Proposal | undefined {
  const { lines } = document;
  if (document.status === "error") return undefined;
  const asked = isSearch(document);
  if (!asked && !looksLikeSearch(lines)) return undefined;
  const bare = lines.filter(({ text }) => isBarePath(text)).length;
  if (bare * 3 > lines.length * 2) return proposal(pathList(lines, document.budget * FOR_PATHS), notPaths(lines));
  const { hits, others: aside } = hitsOf(lines, asked);
  if (hits.length * 2 < lines.length || hits.length < 3) return undefined;
  return proposal(grouped(hits, document.budget * FOR_MATCHES), aside);
}

function proposal(made: string, aside: readonly number[]): Proposal {
  const kept = aside.length > 6 ? [...aside.slice(0, 3), ...aside.slice(-3)] : aside;
  const preferred: Piece[] = [...kept.map((at) => ({ at })), { at: 0, made }];
  return { kind: "search", required: [], preferred, share: 1, ends: false, fill: false, holds: "path" };
}

function isSearch({ tool, command }: Document): boolean {
  if (TOOLS.test(tool)) return true;
  const run = programs(command);
  return (
    run.length > 0 &&
    run.every(({ name, args }) => PROGRAMS.has(name) || name === "echo" || (name === "git" && /^(?:grep|ls-files|diff --name-only)/.test(args.join(" "))))
  );
}

/** Most lines are places in files, and they do not report errors, as a compiler's do. */
function looksLikeSearch(lines: readonly Line[]): boolean {
  const head = lines.slice(0, SNIFFED).filter(({ text }) => text !== "" && text !== "--");
  const hits = head.filter(({ text }) => splitHit(text) !== undefined);
  return head.length >= 5 && hits.length * 5 > head.length * 4 && hits.filter(({ text }) => isErrorLine(text, false)).length * 4 < hits.length;
}

/** The largest grouping that fits: fewer matches of each file first, then fewer files. */
function grouped(hits: readonly Hit[], budget: number): string {
  const files = new Map<string, Hit[]>();
  for (const hit of hits) {
    const file = files.get(hit.path);
    if (file) file.push(hit);
    else files.set(hit.path, [hit]);
  }
  const matches = hits.filter(({ context }) => !context).length;
  const head = `${matches} ${matches === 1 ? "match" : "matches"} in ${files.size} ${files.size === 1 ? "file" : "files"}`;
  const base = commonDirectory([...files.keys()]);
  const title = base === "" ? `${head}:` : `${head} below ${base}`;
  const from = base.length;
  let blocks: string[] = [];
  for (const most of PER_FILE) {
    if (Math.min(hits.length, most * files.size) * LEAST_COST > budget) continue;
    blocks = [...files].map(([path, found]) => fileBlock(path.slice(from), found, most));
    if (size(blocks.join("\n")) + 12 <= budget) return `${title}\n${blocks.join("\n")}`;
  }
  const { kept, left } = fitting(blocks, budget - 24);
  return `${title}\n${kept.join("\n")}\nand ${left} more files, not shown`;
}

function fileBlock(path: string, found: readonly Hit[], most: number): string {
  const shown = (most === Number.POSITIVE_INFINITY ? found : found.filter(({ context }) => !context)).slice(0, most);
  const lines = shown.map(({ line, text, context }) => ` ${line === 0 ? "" : `${line}${context ? "-" : ":"} `}${cut(text.trim())}`);
  const seen = new Set(shown);
  const rest = others(found.filter((hit) => !hit.context && !seen.has(hit)));
  const name = path === "" ? "lines" : path;
  if (shown.length === 0) return `${name}: ${rest}`;
  return [name, ...lines, ...(rest === "" ? [] : [` also ${rest}`])].join("\n");
}

/** The line numbers of matches that are not shown. */
function others(hits: readonly Hit[]): string {
  if (hits[0]?.line === 0) return `${hits.length} more`;
  const numbers = hits.map(({ line }) => line);
  return numbers.length > NUMBERS ? `${numbers.slice(0, NUMBERS).join(", ")} … ${numbers.at(-1)} (${numbers.length})` : numbers.join(", ");
}

/** All paths; the names by directory where that is too long; of these those that fit. */
function pathList(lines: readonly Line[], budget: number): string {
  const paths = lines.map(({ text }) => text).filter(isBarePath);
  const base = commonDirectory(paths);
  const title = `${paths.length} paths${base === "" ? "" : ` below ${base}`}:`;
  const names = paths.map((path) => path.slice(base.length));
  if (names.length * LEAST_COST <= budget && size(`${title}\n${names.join("\n")}`) <= budget) return `${title}\n${names.join("\n")}`;
  const directories = new Map<string, string[]>();
  for (const name of names) {
    const cut = Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1;
    const place = cut === 0 ? "./" : name.slice(0, cut);
    const inside = directories.get(place);
    if (inside) inside.push(name.slice(cut));
    else directories.set(place, [name.slice(cut)]);
  }
  const groups = [...directories].map(([place, inside]) => `${place} ${inside.join(" ")}`);
  if (size(`${title}\n${groups.join("\n")}`) <= budget) return `${title}\n${groups.join("\n")}`;
  return `${title}\n${fittingDirectories(directories, budget - size(title) - TAIL).join("\n")}`;
}

/** The directories that fit, one of the others in part, and where the rest is. */
function fittingDirectories(directories: ReadonlyMap<string, readonly string[]>, budget: number): readonly string[] {
  const lines: string[] = [];
  const left: (readonly [string, readonly string[]])[] = [];
  let spent = 0;
  for (const [place, inside] of directories) {
    const line = `${place} ${inside.join(" ")}`;
    const cost = inside.length * LEAST_COST > budget - spent ? Number.POSITIVE_INFINITY : size(line);
    if (spent + cost > budget) left.push([place, inside]);
    else {
      lines.push(line);
      spent += cost;
    }
  }
  const [first, ...others] = left;
  if (first === undefined) return lines;
  const { kept, left: cut } = fitting(first[1], budget - spent);
  const missing = cut + others.reduce((sum, [, inside]) => sum + inside.length, 0);
  const places = [[first[0], cut] as const, ...others.map(([place, inside]) => [place, inside.length] as const)].slice(0, 3);
  const where = places.map(([place, count]) => `${count} in ${place}`).join(", ");
  return [...lines, ...(kept.length > 0 ? [`${first[0]} ${kept.join(" ")}`] : []), `and ${missing} more: ${where}${left.length > places.length ? ", …" : ""}`];
}

function notPaths(lines: readonly Line[]): readonly number[] {
  return lines.flatMap(({ text }, at) => (text === "" || isBarePath(text) ? [] : [at]));
}

/** Tokens of lines that stand indented below a title. */
function size(text: string): number {
  return estimate(`\n  ${text.replaceAll("\n", "\n  ")}`);
}

function fitting(parts: readonly string[], budget: number): { readonly kept: readonly string[]; readonly left: number } {
  let spent = 0;
  let count = 0;
  for (; count < parts.length; count++) {
    spent += size(parts[count] as string);
    if (spent > budget) break;
  }
  return { kept: parts.slice(0, count), left: parts.length - count };
}

/** Segments that stay in each path, as far as it has them: by these it is recognized. */
const KEPT_SEGMENTS = 2;

/** The directory far above several paths that they share, with its last separator; empty where taking it out would save little. */
function commonDirectory(paths: readonly string[]): string {
  const first = paths[0];
  if (first === undefined || paths.length < 2) return "";
  let shared = first.length;
  for (const path of paths) {
    let at = 0;
    while (at < shared && path.charCodeAt(at) === first.charCodeAt(at)) at += 1;
    shared = at;
  }
  let cut = shared;
  for (let segment = 0; segment <= KEPT_SEGMENTS && cut > 0; segment++) cut = Math.max(first.lastIndexOf("/", cut - 1), first.lastIndexOf("\\", cut - 1));
  return cut >= 8 ? first.slice(0, cut + 1) : "";
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
