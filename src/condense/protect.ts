// Results that stay verbatim because a person said so: by the tool's name, or by a file that the call names, as an argument or in its command.
import { posix } from "node:path";
import picomatch from "picomatch";
import { commandPaths } from "./command-paths.ts";

export interface Protection {
  /** Exact names. */
  readonly tools: readonly string[];
  /** Globs of whole paths: `*` and `?` stay inside a segment, `**` crosses, case counts, `\` is read as `/`. */
  readonly paths: readonly string[];
}

/** Whether a call's result is protected. `args`: its parsed arguments, undefined where they are no object. */
export type IsProtected = (tool: string, args: Readonly<Record<string, unknown>> | undefined) => boolean;

/**
 * ```ts
 * const isProtected = protection({ tools: [], paths: ["**" + "/skills/**" + "/*.md"] });
 * isProtected("read", { path: "/home/ada/.pi/skills/review/SKILL.md" }); // true
 * ```
 */
export function protection(rules: Protection): IsProtected {
  const rule = protectionRule(rules);
  return (tool, args) => rule(tool, args) !== undefined;
}

/** The tool's name or the glob that protects a call's result; undefined where none does. */
export function protectionRule({ tools, paths }: Protection): (tool: string, args: Readonly<Record<string, unknown>> | undefined) => string | undefined {
  const names = new Set(tools);
  // Made with the first path: a start that reads no result does not wait for it.
  let globs: readonly Glob[] | undefined;
  return (tool, args) => {
    if (names.has(tool)) return tool;
    const named = args === undefined || paths.length === 0 ? [] : pathsIn(args);
    if (named.length === 0) return undefined;
    globs ??= paths.map(globOf);
    return globs.find(({ matches }) => named.some((path) => matches(path)))?.glob;
  };
}

interface Glob {
  readonly glob: string;
  readonly matches: (path: string) => boolean;
}

function globOf(glob: string): Glob {
  return { glob, matches: picomatch(crossing(forward(glob).replace(/^(?:\.\/)+/, "")), { dot: true, nonegate: true }) };
}

/** Keys under which the tools of the hosts name a file, or several. */
const PATH_KEYS = ["path", "file_path", "filePath", "absolute_path", "notebook_path", "file", "filename", "target_file", "paths", "files", "file_paths"];
/** What is longer is no path, and a glob could take long over it. */
const LONGEST_PATH = 1024;

function pathsIn(args: Readonly<Record<string, unknown>>): string[] {
  const values = PATH_KEYS.flatMap((key) => (Object.hasOwn(args, key) ? args[key] : []));
  return [...values, ...commandPaths(args)].flatMap((value) =>
    typeof value === "string" && value !== "" && value.length <= LONGEST_PATH ? [forward(posix.normalize(value.replaceAll("\\", "/")))] : [],
  );
}

/** With `/` between segments, and with a segment in place of each `..` that `**` can cross. */
function forward(path: string): string {
  return path.replaceAll("\\", "/").replace(/(?<![^/])\.\.(?![^/])/g, "‥");
}

/** A glob in which each `**` crosses segments, also where it does not fill one. */
function crossing(glob: string): string {
  return glob
    .split("/")
    .map((segment) => (/^\*{2,}$/.test(segment) ? "**" : segment.replace(/\*{2,}/g, (_, at: number) => (at === 0 ? "**/*" : "{*,*/**/*}"))))
    .join("/");
}
