// Lines of search tools: `path:12:text`, `path-12-text` around it, headings, and bare paths, on any system.
import type { Line } from "../normalise.ts";

export interface Hit {
  /** Empty where the tool named no file. */
  readonly path: string;
  /** 0 where the tool gave none. */
  readonly line: number;
  readonly text: string;
  /** A line around a match. */
  readonly context: boolean;
  /** Index of the line in the document. */
  readonly at: number;
}

/** Where a path or a line number is looked for. */
const LOOKED_AT = 400;

const DRIVE = /^[A-Za-z]:[\\/]/;

/** `path:12:text` or `path:12` split into its parts; a drive's colon separates nothing. */
export function splitHit(text: string): { readonly path: string; readonly line: number; readonly text: string } | undefined {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  for (let colon = head.indexOf(":", DRIVE.test(head) ? 2 : 0); colon >= 0; colon = head.indexOf(":", colon + 1)) {
    const end = numberEnd(head, colon + 1);
    if (end === colon + 1) continue;
    const path = head.slice(0, colon);
    if (!mayBePath(path)) return undefined;
    return { path, line: Number(head.slice(colon + 1, end)), text: text.slice(end + 1) };
  }
  return undefined;
}

/** Where a number of up to eight digits ends that a colon or the end follows; `from` where there is none. */
function numberEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end - from <= 8 && (end === text.length || text.charCodeAt(end) === 58) ? end : from;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `path:text`, where the path is told by a separator or an extension. */
function splitUnnumbered(text: string): { readonly path: string; readonly line: number; readonly text: string } | undefined {
  const head = text.slice(0, LOOKED_AT);
  const colon = head.indexOf(":", DRIVE.test(head) ? 2 : 0);
  const path = head.slice(0, Math.max(colon, 0));
  return mayBePath(path) && /[\\/]|\.\w{1,8}$/.test(path) ? { path, line: 0, text: text.slice(colon + 1) } : undefined;
}

function mayBePath(path: string): boolean {
  if (path === "" || path.includes("://") || /^[\s"'`{[(<]/.test(path)) return false;
  if (/[\\/]/.test(path)) return !/\s[\s:]|: /.test(path);
  return /^[A-Za-z_.@][\w.@+-]*$/.test(path);
}

/** Whether a line is nothing but a path. */
export function isBarePath(text: string): boolean {
  if (text.length < 3 || text.length > LOOKED_AT || /^\s|[\s:]$|[<>"|*?={};]|: |, |\s{2}/.test(text)) return false;
  if (text.indexOf(":", DRIVE.test(text) ? 2 : 0) >= 0) return false;
  if (/\s/.test(text)) return /^(?:\.{0,2}[\\/]|[A-Za-z]:[\\/]|~\/)/.test(text) && /\.\w{1,8}$/.test(text);
  return /[\\/]./.test(text) || /^[\w@+-][\w.@+-]*\.\w{1,8}$/.test(text);
}

/** All hits of a document, and the lines that are none. `asked`: it is a search's, so that places without a line number are hits too. */
export function hitsOf(lines: readonly Line[], asked: boolean): { readonly hits: readonly Hit[]; readonly others: readonly number[] } {
  const hits: Hit[] = [];
  const open: number[] = [];
  // Each path once, so that its matches share one string.
  const paths = new Map<string, string>();
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at] as Line).text;
    const hit = isDigit(text.charCodeAt(0)) && /^\d{1,2}:\d\d:\d\d/.test(text) ? undefined : (splitHit(text) ?? (asked ? splitUnnumbered(text) : undefined));
    if (hit) {
      let path = paths.get(hit.path);
      if (path === undefined) {
        path = hit.path;
        paths.set(path, path);
      }
      hits.push({ path, line: hit.line, text: hit.text, context: false, at });
    } else open.push(at);
  }
  if (open.length === 0) return { hits, others: open };
  const others: number[] = [];
  let heading = "";
  for (const at of open) {
    const text = (lines[at] as Line).text;
    const around = splitContext(text, paths);
    const bare = /^(\d{1,8})([:-])(.*)$/s.exec(text.length > 4000 ? text.slice(0, 4000) : text);
    if (around) hits.push({ ...around, context: true, at });
    else if (bare && !/^\d{1,2}:\d\d:\d\d/.test(text) && !/^\d{4}-\d\d-/.test(text))
      hits.push({ path: heading, line: Number(bare[1]), text: bare[3] as string, context: bare[2] === "-", at });
    else if (text !== "" && text !== "--") {
      if (isBarePath(text) && /^\d{1,8}[:-]/.test(lines[at + 1]?.text ?? "")) heading = text;
      else others.push(at);
    }
  }
  return { hits: hits.sort((a, b) => a.at - b.at), others };
}

/** `path-12-text` of a path that a match has named, be it from another root: then the path is the match's. */
function splitContext(text: string, paths: ReadonlyMap<string, string>): { readonly path: string; readonly line: number; readonly text: string } | undefined {
  if (paths.size === 0) return undefined;
  const head = text.slice(0, LOOKED_AT);
  for (const match of head.matchAll(/-(\d{1,8})-/g)) {
    const path = namedBefore(head.slice(0, match.index), paths);
    if (path !== undefined) return { path, line: Number(match[1]), text: text.slice(match.index + match[0].length) };
  }
  return undefined;
}

function namedBefore(path: string, paths: ReadonlyMap<string, string>): string | undefined {
  for (let from = 0; from < path.length; ) {
    const rest = path.slice(from);
    if (rest !== "" && paths.has(rest)) return rest;
    const next = rest.search(/[\\/]/);
    if (next < 0) return undefined;
    from += next + 1;
  }
  return undefined;
}
