// Gemini CLI's folders, one a project: named by a slug or by the SHA-256 of the project's path; the path is in a file beside or inside.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject } from "../json.ts";
import { listed, type Unreadable } from "./listing.ts";

/** A folder that holds the sessions of one project. */
export interface GeminiProject {
  readonly folder: string;
  /** Paths by which it is known; the first one is for people. None where nothing tells. */
  readonly paths: readonly string[];
  readonly name: string;
}

/** A file that may be a session's, by its place. */
export interface GeminiFile {
  readonly path: string;
  readonly subagent: boolean;
}

/** The projects below `.gemini/tmp`. */
export async function geminiProjects(root: string, unreadable?: Unreadable): Promise<GeminiProject[]> {
  const registered = await registeredProjects(join(dirname(root), "projects.json"));
  const names = (await listed(root, unreadable)).filter((each) => !each.isFile()).map(({ name }) => name);
  return Promise.all(
    names.map(async (name): Promise<GeminiProject> => {
      const folder = join(root, name);
      const own = (await textOf(join(folder, ".project_root")))?.trim();
      const known = registered.filter(({ path, slug }) => slug === name || hashOf(path) === name).map(({ path }) => path);
      return { folder, name, paths: [...(own ? [own] : []), ...known] };
    }),
  );
}

/** Whether a project is the one at a path. */
export function isAt({ name, paths }: GeminiProject, path: string): boolean {
  return paths.includes(path) || name === hashOf(path);
}

/** `chats/session-*`, and a folder there for the subagents of each session. What is half written or put aside is none. */
export async function geminiFiles({ folder }: GeminiProject, unreadable?: Unreadable): Promise<GeminiFile[]> {
  const chats = join(folder, "chats");
  const files: GeminiFile[] = [];
  for (const each of await listed(chats, unreadable)) {
    const path = join(chats, each.name);
    if (each.isDirectory())
      files.push(...(await listed(path, unreadable)).filter(({ name }) => isSessionName(name)).map(({ name }) => ({ path: join(path, name), subagent: true })));
    else if (each.name.startsWith("session-") && isSessionName(each.name)) files.push({ path, subagent: false });
  }
  return files;
}

function isSessionName(name: string): boolean {
  return /\.jsonl?$/.test(name) && !/\.(tmp|unreadable)-/.test(name);
}

/** `{"projects": {PATH: SLUG}}`. */
async function registeredProjects(path: string): Promise<{ readonly path: string; readonly slug: unknown }[]> {
  const text = await textOf(path);
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isObject(value) && isObject(value.projects) ? Object.entries(value.projects).map(([each, slug]) => ({ path: each, slug })) : [];
  } catch {
    return [];
  }
}

function hashOf(path: string): string {
  return createHash("sha256").update(path).digest("hex");
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
