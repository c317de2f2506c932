// Lists of paths under a budget: what they share is written once.
import { estimate } from "../../tokens/index.ts";

/** Tokens that one match or path takes at least: what cannot fit is not tried. */
export const LEAST_COST = 4;
/** Tokens of the line that says what does not fit. */
const TAIL = 30;

/**
 * All paths; the names by directory where that is too long; of these those that fit into the budget, and where the others are.
 * `what` says what they are: `paths`.
 */
export function pathList(what: string, paths: readonly string[], budget: number): string {
  return wholePathList(what, paths, budget) ?? somePaths(what, paths, budget);
}

/** All paths, or their names by directory; `undefined` where neither fits. */
export function wholePathList(what: string, paths: readonly string[], budget: number): string | undefined {
  const { title, names } = titled(what, paths);
  if (names.length * LEAST_COST > budget) return undefined;
  const list = `${title}\n${names.join("\n")}`;
  if (size(list) <= budget) return list;
  const groups = `${title}\n${[...byDirectory(names)].map(([place, inside]) => `${place} ${inside.join(" ")}`).join("\n")}`;
  return size(groups) <= budget ? groups : undefined;
}

function somePaths(what: string, paths: readonly string[], budget: number): string {
  const { title, names } = titled(what, paths);
  return `${title}\n${fittingDirectories(byDirectory(names), budget - size(title) - TAIL).join("\n")}`;
}

function titled(what: string, paths: readonly string[]): { readonly title: string; readonly names: readonly string[] } {
  const base = commonDirectory(paths);
  const title = `${paths.length} ${what}${base === "" ? "" : ` below ${base}`}:`;
  return { title, names: paths.map((path) => path.slice(base.length)) };
}

function byDirectory(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const directories = new Map<string, string[]>();
  for (const name of names) {
    // A separator at the end marks a directory.
    const cut = Math.max(name.lastIndexOf("/", name.length - 2), name.lastIndexOf("\\", name.length - 2)) + 1;
    const place = cut === 0 ? "./" : name.slice(0, cut);
    const inside = directories.get(place);
    if (inside) inside.push(name.slice(cut));
    else directories.set(place, [name.slice(cut)]);
  }
  return directories;
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

/** Tokens of lines that stand indented below a title. */
export function size(text: string): number {
  return estimate(`\n  ${text.replaceAll("\n", "\n  ")}`);
}

/** The first of several lines that fit into a budget. */
export function fitting(parts: readonly string[], budget: number): { readonly kept: readonly string[]; readonly left: number } {
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
export function commonDirectory(paths: readonly string[]): string {
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
