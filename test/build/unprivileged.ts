// Permissions mean nothing to root: work is then done as a user without rights.
import { chmodSync } from "node:fs";

const NOBODY = 65534;

/** Runs `work` as somebody whom permissions bind. `folder` is opened to read for everybody. */
export async function unprivileged<T>(folder: string, work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  chmodSync(folder, 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
