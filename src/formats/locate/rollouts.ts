// Codex's sessions by day: files at any depth below its folders, which tell their project in their first record alone.
import { type FileHandle, open } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Bytes } from "../../session/index.ts";
import { listed, type Unreadable } from "./listing.ts";

/** What a session's first record says. */
export interface RolloutHeader {
  /** The folder that it was started in; undefined where it does not say. */
  readonly cwd: string | undefined;
  readonly subagent: boolean;
}

/** A first record holds the whole system prompt, mostly behind what is looked for. */
const FIRST: Bytes = 16 * 1024;
const MOST: Bytes = 512 * 1024;
/** Files that are open at one time. */
const AT_ONCE = 32;

/** The session files below these folders. Of copies with one path below them that in the earlier folder counts. */
export async function rolloutsBelow(folders: readonly string[], unreadable?: Unreadable): Promise<string[]> {
  const found = new Map<string, string>();
  for (const folder of folders)
    for (const path of await filesBelow(folder, unreadable)) {
      const place = relative(folder, path);
      if (!found.has(place)) found.set(place, path);
    }
  return [...found.values()];
}

async function filesBelow(folder: string, unreadable: Unreadable | undefined): Promise<string[]> {
  const files: string[] = [];
  for (const each of await listed(folder, unreadable)) {
    const path = join(folder, each.name);
    if (each.isDirectory()) files.push(...(await filesBelow(path, unreadable)));
    else if (each.name.startsWith("rollout-") && each.name.endsWith(".jsonl")) files.push(path);
  }
  return files;
}

/** The header of each file, in order. One that cannot be read says nothing. */
export async function rolloutHeaders(paths: readonly string[]): Promise<RolloutHeader[]> {
  const headers: RolloutHeader[] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) headers.push(...(await Promise.all(paths.slice(from, from + AT_ONCE).map(rolloutHeader))));
  return headers;
}

export async function rolloutHeader(path: string): Promise<RolloutHeader> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const header = headerIn(await start(file, FIRST));
    return header.cwd === undefined ? headerIn(await start(file, MOST)) : header;
  } catch {
    return { cwd: undefined, subagent: false };
  } finally {
    await file?.close();
  }
}

async function start(file: FileHandle, bytes: Bytes): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

/** A quote inside a JSON string is escaped, so a key that is found is one. Older files say the folder in their first message alone. */
function headerIn(text: string): RolloutHeader {
  const cwd = /"cwd"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? /<cwd>((?:[^<"\\]|\\.)*)<\/cwd>/.exec(text)?.[1];
  return {
    cwd: cwd === undefined ? undefined : unescaped(cwd),
    subagent: /"source"\s*:\s*\{\s*"subagent"\s*:/.test(text) || /"thread_source"\s*:\s*"subagent"/.test(text),
  };
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
