// Whether a tool's output says that the tool failed: Codex records it in the text, as an exit code or in words of its own.
import { isObject } from "../json.ts";

/** What stands above the output of a command that ran in a terminal; the output itself follows behind the line `Output:`. */
const HEADER = /^(?:Chunk ID|Wall time|Exit code|Process exited|Session ID|Total output lines|Original token count|Warning)\b/;
const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)\r?$/;
/** A header has a few lines; more are none. */
const HEADER_LINES = 12;

/** Codex's own words in the place of an output. */
const FAILURES =
  /^(?:exec_command failed|write_stdin failed|failed to parse function arguments|execution error|apply_patch verification failed|unsupported (?:custom tool )?call|aborted|tool call error)/;

/** `output`: a result's as it was recorded. */
export function isFailure(output: unknown): boolean {
  if (typeof output === "string") return saysFailure(output);
  if (!isObject(output)) return false;
  if (typeof output.success === "boolean") return !output.success;
  return typeof output.content === "string" && saysFailure(output.content);
}

function saysFailure(text: string): boolean {
  if (text.startsWith("{")) return isFailedReport(parsed(text));
  return FAILURES.test(text) || (exitCode(text) ?? 0) !== 0;
}

/** JSON in which older versions wrap an output, or that a tool server answers with. */
function isFailedReport(report: unknown): boolean {
  if (!isObject(report)) return false;
  const { metadata, isError } = report;
  return isError === true || (isObject(metadata) && typeof metadata.exit_code === "number" && metadata.exit_code !== 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The exit code in the header of a command's output. */
function exitCode(text: string): number | undefined {
  let from = 0;
  for (let line = 0; line < HEADER_LINES; line++) {
    const newline = text.indexOf("\n", from);
    const words = text.slice(from, newline < 0 ? text.length : newline);
    const code = EXIT.exec(words)?.[1];
    if (code !== undefined) return Number(code);
    if (newline < 0 || !HEADER.test(words)) return undefined;
    from = newline + 1;
  }
  return undefined;
}
