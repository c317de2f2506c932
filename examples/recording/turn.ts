// One turn of the scripted model, and short ways to write down its calls.
import type { ToolCall } from "@earendil-works/pi-ai";

export interface Call {
  readonly tool: string;
  readonly input: ToolCall["arguments"];
  /** Only where an id is used a second time; otherwise calls are numbered. */
  readonly id?: string;
}

export interface Turn {
  /** What the results just before must hold, because this turn speaks of it; a recording without it fails. */
  readonly sees?: readonly string[];
  readonly thinks?: string;
  readonly says?: string;
  /** None ends the run. */
  readonly calls?: readonly Call[];
}

export const read = (path: string, range: { offset?: number; limit?: number } = {}): Call => ({ tool: "read", input: { path, ...range } });
export const ls = (path: string): Call => ({ tool: "ls", input: { path } });
export const find = (pattern: string, path = "."): Call => ({ tool: "find", input: { pattern, path } });
export const bash = (command: string): Call => ({ tool: "bash", input: { command } });
export const write = (path: string, content: string): Call => ({ tool: "write", input: { path, content } });

export function grep(pattern: string, options: { path?: string; glob?: string; context?: number; literal?: boolean } = {}): Call {
  return { tool: "grep", input: { pattern, path: ".", ...options } };
}

export function edit(path: string, ...edits: (readonly [oldText: string, newText: string])[]): Call {
  return { tool: "edit", input: { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) } };
}
