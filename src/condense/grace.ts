// What was recalled stays verbatim for a while, so that it is not hidden, recalled and hidden again.
import type { CallFact } from "../session/index.ts";
import { argumentsOf } from "./ledger.ts";

/** The tool by which an agent reads an original back. */
export const RECALL_TOOL = "context_tree_query";

/** Whether a tool is the recall tool, also under the name that a host makes of a server's tool. */
export function isRecallTool(tool: string): boolean {
  return tool === RECALL_TOOL || tool.endsWith(`__${RECALL_TOOL}`);
}

/** Keys under which the shells of the hosts take a command, as a text or as its words. */
const COMMAND_KEYS = ["command", "cmd", "script"];
/** By its name, by its path, or by the file that `node` runs. */
const SHELL_RECALL = /(?:^|[\s/\\"'`(])palimpsest(?:\.js)?["']?\s+recall\s/;

/** Whether a call reads an original back: by the tool, or by the command in a shell. */
export function isRecall(tool: string, call: CallFact | undefined): boolean {
  if (isRecallTool(tool)) return true;
  const args = argumentsOf(call);
  return COMMAND_KEYS.some((key) => {
    const value = args && Object.hasOwn(args, key) ? args[key] : undefined;
    return SHELL_RECALL.test(Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : typeof value === "string" ? value : "");
  });
}

/** Whether what was recalled for the user's message number `asked` is in grace when the user typed `users` messages. 0 messages of grace are none. */
export function isInGrace(asked: number, users: number, grace: number): boolean {
  return grace > 0 && users - asked <= grace;
}
