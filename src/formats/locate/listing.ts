// Folders as they are listed on the way to sessions: one that is not there holds nothing, one that may not be read is told of.
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

/** Told of each folder that is there and cannot be read, with the file system's code. */
export type Unreadable = (folder: string, code: string) => void;

/** What a folder holds; nothing where it cannot be read. */
export async function listed(folder: string, unreadable?: Unreadable): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code !== "ENOENT" && code !== "ENOTDIR") unreadable?.(folder, code);
    return [];
  }
}
