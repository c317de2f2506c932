// What was recalled stays verbatim for a while, so that it is not hidden, recalled and hidden again.

/** The tool by which an agent reads an original back. */
export const RECALL_TOOL = "context_tree_query";

/** Whether a tool is the recall tool, also under the name that a host makes of a server's tool. */
export function isRecallTool(tool: string): boolean {
  return tool === RECALL_TOOL || tool.endsWith(`__${RECALL_TOOL}`);
}

/** Whether what was recalled for the user's message number `asked` is in grace when the user typed `users` messages. 0 messages of grace are none. */
export function isInGrace(asked: number, users: number, grace: number): boolean {
  return grace > 0 && users - asked <= grace;
}
