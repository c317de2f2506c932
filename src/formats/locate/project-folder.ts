// How agents name the folder that holds a project's sessions, and which project such a name stands for.
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** An agent that keeps a folder for each project. */
export type FolderAgent = "pi" | "claude-code";

/** Claude Code cuts longer names to this many UTF-16 units and adds `-` and a hash of the whole path. */
const CLAUDE_NAME = 200;

/** The folder's name for an absolute path, POSIX or Windows: `--srv-app--` of Pi, `-srv-app` of Claude Code. */
export function folderName(agent: FolderAgent, path: string): string {
  return agent === "pi" ? `--${encoded(agent, path.replace(/^[/\\]/, ""))}--` : encoded(agent, path);
}

/** Whether a folder's name is the one of this path. For a name that Claude Code cut, the part before its hash decides. */
export function namesPath(agent: FolderAgent, name: string, path: string): boolean {
  const whole = folderName(agent, path);
  if (agent === "pi" || whole.length <= CLAUDE_NAME) return name === whole;
  return name.startsWith(`${whole.slice(0, CLAUDE_NAME)}-`);
}

/** Names of the folders in a folder; none where it cannot be read. */
type ListFolders = (path: string) => Promise<readonly string[]>;

/** Lists each folder once. */
export function folderLister(): ListFolders {
  const known = new Map<string, Promise<readonly string[]>>();
  return (path) => {
    const names = known.get(path) ?? foldersIn(path);
    known.set(path, names);
    return names;
  };
}

async function foldersIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path, { withFileTypes: true })).filter((each) => each.isDirectory() || each.isSymbolicLink()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/**
 * The path that a folder's name stands for. Names of different paths can be the same: the one path that exists here wins,
 * and without exactly one each `-` is taken for a separator. A name that no path gives is returned as it is.
 */
export async function projectPath(agent: FolderAgent, name: string, list: ListFolders): Promise<string> {
  const code = agent === "pi" ? /^--(.*)--$/s.exec(name)?.[1] : name;
  if (code === undefined) return name;
  const drive = /^([A-Za-z])--(.*)$/s.exec(code);
  const root = drive ? `${drive[1]}:\\` : "/";
  const rest = drive ? drive[2] : agent === "pi" ? code : /^-(.*)$/s.exec(code)?.[1];
  if (rest === undefined) return name;
  if (rest === "") return root;
  const existing = await pathsBelow(root, rest, agent, list);
  return existing.length === 1 ? (existing[0] as string) : separated(agent, rest, root);
}

async function pathsBelow(folder: string, rest: string, agent: FolderAgent, list: ListFolders): Promise<string[]> {
  const found: string[] = [];
  for (const name of await list(folder)) {
    const code = encoded(agent, name);
    if (code === rest) found.push(join(folder, name));
    else if (rest.startsWith(`${code}-`)) found.push(...(await pathsBelow(join(folder, name), rest.slice(code.length + 1), agent, list)));
  }
  return found;
}

/** `--` of Claude Code is mostly a hidden folder, as a point gives a `-` too; Pi keeps points. */
function separated(agent: FolderAgent, rest: string, root: string): string {
  const separator = root === "/" ? "/" : "\\";
  const doubled = `${separator}${agent === "pi" ? "-" : "."}`;
  return root.slice(0, -1) + `-${rest}`.replace(/--?/g, (dashes) => (dashes.length === 1 ? separator : doubled));
}

function encoded(agent: FolderAgent, path: string): string {
  return path.replace(agent === "pi" ? /[/\\:]/g : /[^A-Za-z0-9]/g, "-");
}
