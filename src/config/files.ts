// The files that a configuration is read from, and where they are looked for.
import { lstat, readFile } from "node:fs/promises";
import { posix, win32 } from "node:path";
import { ConfigError, type ConfigFault } from "./error.ts";
import { jsonValue } from "./text.ts";

/** Where a configuration is read from. */
export interface ConfigPlaces {
  /** The folder that the command was started in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** @default process.platform */
  readonly platform?: NodeJS.Platform;
  /** A file named for this run alone; it stands above the environment. */
  readonly policyFile?: string;
}

/** A file that was looked for. */
export interface ConfigFile {
  readonly kind: "user" | "project" | "named";
  readonly path: string;
  readonly exists: boolean;
}

/** What one file holds. */
export interface ReadFile {
  readonly file: ConfigFile;
  /** The JSON value; absent where there is none. */
  readonly value?: unknown;
  readonly faults: readonly ConfigFault[];
}

const PROJECT_FILE = ".palimpsest.json";
/** Names the user's file. */
export const FILE_VARIABLE = "PALIMPSEST_CONFIG";

/** The user's file. A file that `PALIMPSEST_CONFIG` names must exist. */
export async function userFile({ cwd, env, home, platform = process.platform }: ConfigPlaces): Promise<ReadFile> {
  const path = platform === "win32" ? win32 : posix;
  const named = env[FILE_VARIABLE];
  if (named)
    return readConfigFile(
      "user",
      path.resolve(
        cwd,
        named.replace(/^~(?=$|[/\\])/, () => home),
      ),
      "must-exist",
    );
  const folder =
    platform === "win32"
      ? env.APPDATA || path.join(home, "AppData", "Roaming")
      : env.XDG_CONFIG_HOME && path.isAbsolute(env.XDG_CONFIG_HOME)
        ? env.XDG_CONFIG_HOME
        : path.join(home, ".config");
  return readConfigFile("user", path.join(folder, "palimpsest", "config.json"), "may-exist");
}

/** The project's file: in the folder, or the nearest one above it up to the root of its git repository; outside a repository in the folder alone. */
export async function projectFile({ cwd, platform = process.platform }: ConfigPlaces): Promise<ReadFile> {
  const path = platform === "win32" ? win32 : posix;
  const folders = await upToGitRoot(path.resolve(cwd), path);
  for (const folder of folders) {
    const read = await readConfigFile("project", path.join(folder, PROJECT_FILE), "may-exist");
    if (read.file.exists) return read;
  }
  return { file: { kind: "project", path: path.join(path.resolve(cwd), PROJECT_FILE), exists: false }, faults: [] };
}

/** The file named for this run; none where none is named. */
export async function namedFile({ cwd, policyFile, platform = process.platform }: ConfigPlaces): Promise<readonly ReadFile[]> {
  if (policyFile === undefined) return [];
  return [await readConfigFile("named", (platform === "win32" ? win32 : posix).resolve(cwd, policyFile), "must-exist")];
}

async function upToGitRoot(cwd: string, path: typeof posix): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let at = cwd; ; at = path.dirname(at)) {
    folders.push(at);
    // A worktree's `.git` is a file.
    if (await exists(path.join(at, ".git"))) return folders;
    if (path.dirname(at) === at) return [cwd];
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readConfigFile(kind: ConfigFile["kind"], path: string, absent: "may-exist" | "must-exist"): Promise<ReadFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const gone = code === "ENOENT" || code === "ENOTDIR";
    return { file: { kind, path, exists: !gone }, faults: gone && absent === "may-exist" ? [] : [unreadable(path, code)] };
  }
  const file: ConfigFile = { kind, path, exists: true };
  try {
    return { file, value: jsonValue(text, path), faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file, faults: error.faults.map((fault) => ({ ...fault, place: path })) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "a folder",
  EACCES: "one that may not be read",
  EPERM: "one that may not be read",
};

function unreadable(place: string, code: string): ConfigFault {
  return {
    code: "config-unreadable",
    place,
    path: "",
    expected: "a configuration file",
    found: REASONS[code] ?? code,
    remedy: "Name another one, or mend its permissions.",
  };
}
