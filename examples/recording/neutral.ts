// What of this machine may not stand in the written session, and what stands there instead.
import { homedir, hostname, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Workspace } from "./workspace.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const HOST_PACKAGES = "/usr/lib/node_modules";

/** Puts neutral paths in place of real ones. Fails, and says which, if anything of the machine is left. */
export function neutralText(text: string, { base, root }: Pick<Workspace, "base" | "root">): string {
  const replaced = [
    [root, "/home/dev/inventory"],
    [base, "/home/dev"],
    [`${PROJECT}/node_modules`, HOST_PACKAGES],
  ].reduce((left, [real = "", neutral = ""]) => left.replaceAll(real, neutral), text);
  const names = [PROJECT, base, tmpdir(), homedir(), hostname()].filter((name) => name.length > 3 && !"/home/dev".startsWith(name));
  const left = names.filter((name) => new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`).test(replaced));
  if (left.length > 0) throw new Error(`the recording still names ${left.join(", ")}; add a neutral text for it`);
  return replaced;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
