// Where Pi, Claude Code, Codex and Gemini CLI keep their sessions on this machine: found by the names of files, of which only Codex's are opened.
import { lstat, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Bytes } from "../../session/index.ts";
import { holdsConversation } from "./conversation.ts";
import { type GeminiProject, geminiFiles, geminiProjects, isAt } from "./gemini-projects.ts";
import { listed, type Unreadable } from "./listing.ts";
import { type FolderAgent, folderLister, namesPath, projectPath } from "./project-folder.ts";
import { type RolloutHeader, rolloutHeader, rolloutHeaders, rolloutsBelow } from "./rollouts.ts";

/** An agent whose sessions are found on this machine. */
type LocatedAgent = FolderAgent | "codex" | "gemini";

interface LocateOptions {
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the user's home folder */
  readonly home?: string;
  /** Told of each folder that cannot be read and is passed over. */
  readonly unreadable?: Unreadable;
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
  /** Folders there that cannot be read, itself or some in it, with the file system's codes; absent where all can. */
  readonly unreadable?: readonly { readonly path: string; readonly code: string }[];
}

/**
 * All sessions of Pi, Claude Code, Codex and Gemini CLI on this machine, newest first. Folders that cannot be read are passed over.
 *
 * ```ts
 * const [newest] = await findSessions();
 * ```
 */
export async function findSessions(options: LocateOptions = {}): Promise<FoundSession[]> {
  const list = folderLister();
  const { unreadable } = options;
  const found = [...(await codexSessions(options)), ...(await geminiSessions(options))];
  for (const { agent, path } of await projectRoots(options))
    for (const folder of await projectFolders(path, unreadable)) {
      const subagents = agent === "claude-code" ? await subagentFiles(folder, unreadable) : [];
      const files = await filesOf([...(await mainFiles(folder, unreadable)), ...subagents]);
      if (files.length === 0) continue;
      const project = await projectPath(agent, basename(folder), list);
      found.push(...files.map((file) => Object.freeze({ ...file, agent, project })));
    }
  return found.sort(newestFirst);
}

/**
 * The newest session with a conversation, subagents' apart, of a folder's project, whichever agent wrote it. Where the folder has none, the
 * nearest one above it that has, up to the root of its git repository; outside a repository the folder alone counts. Where no file holds a
 * conversation, the newest of the nearest folder that is not empty.
 */
export async function newestSession(options: LocateOptions & { readonly cwd: string }): Promise<FoundSession | undefined> {
  const roots = await projectRoots(options);
  const codex = await codexFiles(options);
  const gemini = await allGeminiProjects(options);
  const headers = new Map<string, RolloutHeader>();
  let silent: FoundSession | undefined;
  const folders = await Promise.all(roots.map(async ({ agent, path }) => ({ agent, folders: await projectFolders(path) })));
  for (const spellings of await projectLevels(options.cwd)) {
    const found = await newestOfCodex(codex, spellings, headers);
    for (const project of gemini) {
      const path = spellings.find((each) => isAt(project, each));
      if (path !== undefined) found.push(...(await geminiSessionsOf(project, {}, path)));
    }
    for (const { agent, folders: all } of folders)
      for (const folder of all) {
        const project = spellings.find((each) => namesPath(agent, basename(folder), each));
        if (project !== undefined) found.push(...(await filesOf(await mainFiles(folder))).map((file) => Object.freeze({ ...file, agent, project })));
      }
    const written = found.filter((each) => !each.subagent && each.bytes > 0).sort(newestFirst);
    for (const each of written) if (await holdsConversation(each.path)) return each;
    silent ??= written[0];
  }
  return silent;
}

/** The folders that are searched, whether they exist or not, for a person who wonders why a session is not found. */
export async function sessionFolders(options: LocateOptions = {}): Promise<SessionFolder[]> {
  const folders: SessionFolder[] = [];
  for (const searched of await searchedFolders(options)) {
    const found: { readonly path: string; readonly code: string }[] = [];
    const all = await sessionsIn(searched, (path, code) => found.push({ path, code }));
    const unreadable = found.length > 0 && { unreadable: Object.freeze(found) };
    const sessions = all.filter(({ subagent }) => !subagent).length;
    folders.push(Object.freeze({ ...searched, exists: await isFolder(searched.path), sessions, ...unreadable }));
  }
  return folders;
}

async function sessionsIn({ agent, path }: Searched, unreadable: Unreadable): Promise<readonly { readonly subagent: boolean }[]> {
  if (agent === "codex") return rolloutHeaders(await rolloutsBelow([path], unreadable));
  if (agent === "gemini")
    return (await Promise.all((await geminiProjects(path, unreadable)).map((project) => geminiSessionsOf(project, { unreadable })))).flat();
  return (await Promise.all((await projectFolders(path, unreadable)).map(async (folder) => filesOf(await mainFiles(folder, unreadable))))).flat();
}

type Searched = Pick<SessionFolder, "agent" | "path" | "from">;

/** Each folder once, though several names may lead to it. */
async function searchedFolders({ env = process.env, home = homedir() }: LocateOptions): Promise<Searched[]> {
  const searched = [...(await piFolders(env, home)), ...(await claudeFolders(env, home)), geminiFolder(env, home), ...codexFolders(env, home)];
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

/** The folder of sessions that go on, before that of those put away: of a session in both the first one counts. */
function codexFolders(env: NodeJS.ProcessEnv, home: string): Searched[] {
  const root = env.CODEX_HOME ? absolute(env.CODEX_HOME, home) : join(home, ".codex");
  return ["sessions", "archived_sessions"].map((name) => ({ agent: "codex", path: join(root, name), from: env.CODEX_HOME ? "CODEX_HOME" : "default" }));
}

/** The variable names the home folder to Gemini CLI, not its own one. */
function geminiFolder(env: NodeJS.ProcessEnv, home: string): Searched {
  const root = env.GEMINI_CLI_HOME ? absolute(env.GEMINI_CLI_HOME, home) : home;
  return { agent: "gemini", path: join(root, ".gemini", "tmp"), from: env.GEMINI_CLI_HOME ? "GEMINI_CLI_HOME" : "default" };
}

/** Of the agents that keep a folder of a name made from its path for each project. */
async function projectRoots(options: LocateOptions): Promise<(Searched & { readonly agent: FolderAgent })[]> {
  return (await searchedFolders(options)).flatMap(({ agent, ...rest }) => (agent === "codex" || agent === "gemini" ? [] : [{ agent, ...rest }]));
}

async function allGeminiProjects(options: LocateOptions): Promise<GeminiProject[]> {
  const folders = (await searchedFolders(options)).filter(({ agent }) => agent === "gemini");
  return (await Promise.all(folders.map(({ path }) => geminiProjects(path, options.unreadable)))).flat();
}

async function geminiSessions(options: LocateOptions): Promise<FoundSession[]> {
  return (await Promise.all((await allGeminiProjects(options)).map((project) => geminiSessionsOf(project, options)))).flat();
}

async function geminiSessionsOf(found: GeminiProject, { unreadable }: LocateOptions = {}, project = found.paths[0] ?? found.name): Promise<FoundSession[]> {
  const places = await geminiFiles(found, unreadable);
  const subagents = new Set(places.filter(({ subagent }) => subagent).map(({ path }) => path));
  const files = await filesOf(places.map(({ path }) => path));
  return files.map((file) => Object.freeze({ ...file, agent: "gemini", project, subagent: subagents.has(file.path) }));
}

async function codexFiles(options: LocateOptions): Promise<FoundFile[]> {
  const folders = (await searchedFolders(options)).filter(({ agent }) => agent === "codex").map(({ path }) => path);
  return (await filesOf(await rolloutsBelow(folders, options.unreadable))).sort(newestFirst);
}

async function codexSessions(options: LocateOptions): Promise<FoundSession[]> {
  const files = await codexFiles(options);
  const headers = await rolloutHeaders(files.map(({ path }) => path));
  return files.map((file, index) => codexSession(file, headers[index] as RolloutHeader));
}

function codexSession(file: FoundFile, { cwd, subagent }: RolloutHeader): FoundSession {
  return Object.freeze({ ...file, agent: "codex", project: cwd ?? "unknown", subagent });
}

/** Those that were started in a folder, newest first, up to the newest with a conversation; `files` newest first, `headers` what is known of them. */
async function newestOfCodex(files: readonly FoundFile[], folder: readonly string[], headers: Map<string, RolloutHeader>): Promise<FoundSession[]> {
  const found: FoundSession[] = [];
  for (const file of files) {
    if (file.bytes === 0) continue;
    const header = headers.get(file.path) ?? (await rolloutHeader(file.path));
    headers.set(file.path, header);
    if (header.subagent || header.cwd === undefined || !folder.includes(header.cwd)) continue;
    found.push(codexSession(file, header));
    if (await holdsConversation(file.path)) break;
  }
  return found;
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
async function projectFolders(path: string, unreadable?: Unreadable): Promise<string[]> {
  return (await listed(path, unreadable)).filter((each) => !each.isFile()).map(({ name }) => join(path, name));
}

async function mainFiles(folder: string, unreadable?: Unreadable): Promise<string[]> {
  return (await listed(folder, unreadable)).filter((each) => !each.isDirectory() && each.name.endsWith(".jsonl")).map(({ name }) => join(folder, name));
}

/** `SESSION/subagents/agent-*.jsonl` of every session in the folder, at any depth. */
async function subagentFiles(folder: string, unreadable?: Unreadable): Promise<string[]> {
  const sessions = (await listed(folder)).filter((each) => each.isDirectory());
  return (await Promise.all(sessions.map(({ name }) => agentFiles(join(folder, name, "subagents"), unreadable)))).flat();
}

async function agentFiles(folder: string, unreadable?: Unreadable): Promise<string[]> {
  const files: string[] = [];
  for (const each of await listed(folder, unreadable)) {
    const path = join(folder, each.name);
    if (each.isDirectory()) files.push(...(await agentFiles(path, unreadable)));
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

function newestFirst(a: FoundFile, b: FoundFile): number {
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
