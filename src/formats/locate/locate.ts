// Where Pi and Claude Code keep their sessions on this machine: found by the names of files, none of which is opened.
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Bytes } from "../../session/index.ts";
import { folderLister, type LocatedAgent, namesPath, projectPath } from "./project-folder.ts";

interface LocateOptions {
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the user's home folder */
  readonly home?: string;
}

/** A session file, known by its place alone. */
export interface FoundSession {
  readonly path: string;
  readonly agent: LocatedAgent;
  /** When it was last written: milliseconds since 1970. */
  readonly modified: number;
  readonly bytes: Bytes;
  /** The project's folder, for people: a file's place does not always tell it exactly. */
  readonly project: string;
  /** The session of a subagent that another session started. */
  readonly subagent: boolean;
}

/** A folder that is searched for sessions. */
interface SessionFolder {
  readonly agent: LocatedAgent;
  readonly path: string;
  /** The environment variable that names it, or `default`. */
  readonly from: string;
  readonly exists: boolean;
  /** Sessions in it, those of subagents not counted. */
  readonly sessions: number;
}

/**
 * All sessions of Pi and Claude Code on this machine, newest first. Folders that cannot be read are passed over.
 *
 * ```ts
 * const [newest] = await findSessions();
 * ```
 */
export async function findSessions(options: LocateOptions = {}): Promise<FoundSession[]> {
  const list = folderLister();
  const found: FoundSession[] = [];
  for (const { agent, path } of await searchedFolders(options))
    for (const folder of await projectFolders(path)) {
      const files = await filesOf([...(await mainFiles(folder)), ...(agent === "claude-code" ? await subagentFiles(folder) : [])]);
      if (files.length === 0) continue;
      const project = await projectPath(agent, basename(folder), list);
      found.push(...files.map((file) => Object.freeze({ ...file, agent, project })));
    }
  return found.sort(newestFirst);
}

/**
 * The newest session, subagents' and empty files apart, of a folder's project, whichever agent wrote it. Where the folder has none, the nearest
 * one above it that has, up to the root of its git repository; outside a repository the folder alone counts.
 */
export async function newestSession(options: LocateOptions & { readonly cwd: string }): Promise<FoundSession | undefined> {
  const roots = await searchedFolders(options);
  const folders = await Promise.all(roots.map(async ({ agent, path }) => ({ agent, folders: await projectFolders(path) })));
  for (const spellings of await projectLevels(options.cwd)) {
    const found: FoundSession[] = [];
    for (const { agent, folders: all } of folders)
      for (const folder of all) {
        const project = spellings.find((each) => namesPath(agent, basename(folder), each));
        if (project !== undefined) found.push(...(await filesOf(await mainFiles(folder))).map((file) => Object.freeze({ ...file, agent, project })));
      }
    const [newest] = found.filter((each) => !each.subagent && each.bytes > 0).sort(newestFirst);
    if (newest) return newest;
  }
  return undefined;
}

/** The folders that are searched, whether they exist or not, for a person who wonders why a session is not found. */
export async function sessionFolders(options: LocateOptions = {}): Promise<SessionFolder[]> {
  const folders: SessionFolder[] = [];
  for (const { agent, path, from } of await searchedFolders(options)) {
    const files = await Promise.all((await projectFolders(path)).map(async (folder) => filesOf(await mainFiles(folder))));
    folders.push(Object.freeze({ agent, path, from, exists: await isFolder(path), sessions: files.flat().filter((each) => !each.subagent).length }));
  }
  return folders;
}

type Searched = Pick<SessionFolder, "agent" | "path" | "from">;

/** Each folder once, though several names may lead to it. */
async function searchedFolders({ env = process.env, home = homedir() }: LocateOptions): Promise<Searched[]> {
  const searched = [...(await piFolders(env, home)), ...(await claudeFolders(env, home))];
  const unique = new Map<string, Searched>();
  for (const each of searched) {
    const key = `${each.agent} ${await realPath(each.path)}`;
    if (!unique.has(key)) unique.set(key, each);
  }
  return [...unique.values()];
}

/** The first variable is Pi's own, the others are what tools that read its sessions go by: of the folder itself or the one above. */
async function piFolders(env: NodeJS.ProcessEnv, home: string): Promise<Searched[]> {
  const agent = "pi";
  const found: Searched[] = [];
  if (env.PI_CODING_AGENT_DIR) found.push({ agent, path: join(absolute(env.PI_CODING_AGENT_DIR, home), "sessions"), from: "PI_CODING_AGENT_DIR" });
  for (const from of ["PI_DIR", "PI_AGENT_DIR"]) {
    const value = env[from];
    if (value) found.push({ agent, path: await insideOrSelf(absolute(value, home), "sessions"), from });
  }
  return found.length > 0 ? found : [{ agent, path: join(home, ".pi", "agent", "sessions"), from: "default" }];
}

async function claudeFolders(env: NodeJS.ProcessEnv, home: string): Promise<Searched[]> {
  const agent = "claude-code";
  const named = (env.CLAUDE_CONFIG_DIR ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  if (named.length > 0)
    return Promise.all(named.map(async (each) => ({ agent, path: await insideOrSelf(absolute(each, home), "projects"), from: "CLAUDE_CONFIG_DIR" })));
  const config = env.XDG_CONFIG_HOME ? absolute(env.XDG_CONFIG_HOME, home) : join(home, ".config");
  return [
    { agent, path: join(config, "claude", "projects"), from: env.XDG_CONFIG_HOME ? "XDG_CONFIG_HOME" : "default" },
    { agent, path: join(home, ".claude", "projects"), from: "default" },
  ];
}

/** The folder of that name inside, unless the folder that was named is the one meant. */
async function insideOrSelf(path: string, name: string): Promise<string> {
  const inside = join(path, name);
  if (await isFolder(inside)) return inside;
  return basename(path) === name || (await isFolder(path)) ? path : inside;
}

function absolute(path: string, home: string): string {
  return resolve(path.replace(/^~(?=$|[/\\])/, () => home));
}

/** Every folder in one that is searched. */
async function projectFolders(path: string): Promise<string[]> {
  return (await listed(path)).filter((each) => !each.isFile()).map(({ name }) => join(path, name));
}

async function mainFiles(folder: string): Promise<string[]> {
  return (await listed(folder)).filter((each) => !each.isDirectory() && each.name.endsWith(".jsonl")).map(({ name }) => join(folder, name));
}

/** `SESSION/subagents/agent-*.jsonl` of every session in the folder, at any depth. */
async function subagentFiles(folder: string): Promise<string[]> {
  const sessions = (await listed(folder)).filter((each) => each.isDirectory());
  return (await Promise.all(sessions.map(({ name }) => agentFiles(join(folder, name, "subagents"))))).flat();
}

async function agentFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const each of await listed(folder)) {
    const path = join(folder, each.name);
    if (each.isDirectory()) files.push(...(await agentFiles(path)));
    else if (isAgentFile(each.name)) files.push(path);
  }
  return files;
}

/** Older versions of Claude Code kept subagents' files beside the session's own. */
function isAgentFile(name: string): boolean {
  return name.startsWith("agent-") && name.endsWith(".jsonl");
}

type FoundFile = Pick<FoundSession, "path" | "modified" | "bytes" | "subagent">;

/** What the file system says of each; one that is gone meanwhile or is no file is left out. */
async function filesOf(paths: readonly string[]): Promise<FoundFile[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path).catch(() => undefined);
      return stats?.isFile() ? [{ path, modified: stats.mtimeMs, bytes: stats.size, subagent: isAgentFile(basename(path)) }] : [];
    }),
  );
  return files.flat();
}

async function listed(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function newestFirst(a: FoundSession, b: FoundSession): number {
  return b.modified - a.modified || (a.path < b.path ? -1 : 1);
}

/** The folder and those above it up to the git root, nearest first, each in every spelling that an agent may have recorded. */
async function projectLevels(cwd: string): Promise<string[][]> {
  const chains = await Promise.all((await spellings(resolve(cwd))).map(upToGitRoot));
  const deepest = Math.max(...chains.map((chain) => chain.length));
  return Array.from({ length: deepest }, (_, level) => chains.flatMap((chain) => chain[level] ?? []));
}

/** The path as given, with its links followed, and without the `/private` under which macOS keeps `/tmp`, `/var` and `/etc`. */
async function spellings(path: string): Promise<string[]> {
  const real = await realPath(path);
  const short = /^\/private(\/.+)$/s.exec(real)?.[1];
  const same = short !== undefined && (await realPath(short)) === real;
  return [...new Set([path, real, ...(same ? [short] : [])])];
}

async function upToGitRoot(path: string): Promise<string[]> {
  const chain = [path];
  for (let at = path; ; at = dirname(at)) {
    if (at !== path) chain.push(at);
    // A worktree's `.git` is a file.
    if (await exists(join(at, ".git"))) return chain;
    if (dirname(at) === at) return [path];
  }
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
