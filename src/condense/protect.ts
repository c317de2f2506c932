// Results that stay verbatim because a person said so: by the tool's name, or by the file that the call was about.
import { posix } from "node:path";
import picomatch from "picomatch";

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
export function protection({ tools, paths }: Protection): IsProtected {
  const names = new Set(tools);
  const globs = paths.map((glob) => picomatch(crossing(forward(glob).replace(/^(?:\.\/)+/, "")), { dot: true, nonegate: true }));
  return (tool, args) => names.has(tool) || (globs.length > 0 && args !== undefined && pathsIn(args).some((path) => globs.some((matches) => matches(path))));
}

/** Keys under which the tools of the hosts name a file, or several. */
const PATH_KEYS = ["path", "file_path", "filePath", "absolute_path", "notebook_path", "file", "paths", "files", "file_paths"];
/** What is longer is no path, and a glob could take long over it. */
const LONGEST_PATH = 1024;

function pathsIn(args: Readonly<Record<string, unknown>>): string[] {
  const values = PATH_KEYS.flatMap((key) => (Object.hasOwn(args, key) ? args[key] : []));
  return values.flatMap((value) =>
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
