// Results of searches: matches grouped by file, each path written once, and lists of paths under what they share.
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { isErrorLine } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { type Hit, hitsOf, isBarePath, splitHit } from "./hits.ts";
import { commonDirectory, fitting, LEAST_COST, pathList, size } from "./paths.ts";

const TOOLS = /^(?:grep|glob|rg|ripgrep|search|find|search_files|find_files|codebase_search|grep_search|file_search|list_files)$/;
const PROGRAMS = new Set(["grep", "rg", "egrep", "fgrep", "ag", "ack", "find", "fd", "ls"]);
/** Lines by which an unannounced result is recognized. */
const SNIFFED = 40;
/** Matches shown of one file, most first; beyond them their line numbers are listed. */
const PER_FILE = [Number.POSITIVE_INFINITY, 10, 5, 3, 2, 1, 0];
/** Line numbers listed of one file. */
const NUMBERS = 40;
/** Characters of a match that are shown. */
const SHOWN = 160;
/** Of the whole budget, for matches: their text holds only some of the names; and for paths. */
const FOR_MATCHES = 0.74;
const FOR_PATHS = 0.92;

export function grep(document: Document): Proposal | undefined {
  const { lines } = document;
  if (document.status === "error") return undefined;
  const asked = isSearch(document);
  if (!asked && !looksLikeSearch(lines)) return undefined;
  const bare = lines.filter(({ text }) => isBarePath(text)).length;
  if (bare * 3 > lines.length * 2)
    return proposal(pathList("paths", lines.map(({ text }) => text).filter(isBarePath), document.budget * FOR_PATHS), notPaths(lines));
  const { hits, others: aside } = hitsOf(lines, asked);
  if (hits.length * 2 < lines.length || hits.length < 3) return undefined;
  return proposal(grouped(hits, document.budget * FOR_MATCHES), aside);
}

function proposal(made: string, aside: readonly number[]): Proposal {
  const kept = aside.length > 6 ? [...aside.slice(0, 3), ...aside.slice(-3)] : aside;
  const preferred: Piece[] = [...kept.map((at) => ({ at })), { at: 0, made }];
  return { kind: "search", required: [], preferred, share: 1, ends: false, fill: false, holds: ["path"] };
}

/** Whether a call searches: what it prints is the text of others. */
export function isSearch({ tool, command }: Document): boolean {
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
  for (const most of PER_FILE) {
    if (Math.min(hits.length, Math.max(1, most) * files.size) * LEAST_COST > budget) continue;
    const blocks = [...files].map(([path, found]) => fileBlock(path.slice(from), found, most));
    if (size(blocks.join("\n")) + 12 <= budget) return `${title}\n${blocks.join("\n")}`;
  }
  const first = [...files].slice(0, Math.ceil(budget / LEAST_COST));
  const { kept } = fitting(
    first.map(([path, found]) => fileBlock(path.slice(from), found, 0)),
    budget - 24,
  );
  return `${title}\n${kept.join("\n")}\nand ${files.size - kept.length} more files, not shown`;
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

function notPaths(lines: readonly Line[]): readonly number[] {
  return lines.flatMap(({ text }, at) => (text === "" || isBarePath(text) ? [] : [at]));
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
