// What the arguments of a call say about its result.

import type { Tokens } from "../session/index.ts";
import type { Document, ExtractInput } from "./document.ts";
import type { Line } from "./normalise.ts";

const PATH_KEYS = ["file_path", "path", "filePath", "absolute_path", "target_file", "notebook_path", "file", "filename"];
const COMMAND_KEYS = ["command", "cmd", "script"];
const FROM_KEYS = ["offset", "start_line", "startLine", "line_start"];

/** The document of a result: its lines with what its call was about. */
export function describe(input: ExtractInput, lines: readonly Line[], budget: Tokens): Document {
  const args = typeof input.args === "object" && input.args !== null ? (input.args as Readonly<Record<string, unknown>>) : {};
  const from = FROM_KEYS.map((key) => args[key]).find((value) => typeof value === "number");
  return {
    tool: input.tool.toLowerCase(),
    path: firstText(args, PATH_KEYS),
    command: firstText(args, COMMAND_KEYS),
    from: typeof from === "number" && from > 1 ? Math.floor(from) : 1,
    status: input.status,
    text: input.text,
    lines,
    budget,
  };
}

function firstText(args: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  for (const key of keys) {
    const value = args[key];
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join(" ");
  }
  return "";
}
