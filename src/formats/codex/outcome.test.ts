import { expect, test } from "vitest";
import { isFailure } from "./outcome.ts";

const report = (exit_code: number, output = "text") => JSON.stringify({ output, metadata: { exit_code, duration_seconds: 0.1 } });
const header = (line: string, body = "text") => `Chunk ID: 3a2a79\nWall time: 0.0000 seconds\n${line}\nOriginal token count: 9\nOutput:\n${body}`;

test.each<[boolean, string, unknown]>([
  [false, "plain text", "text"],
  [false, "no text", ""],
  [false, "a report of success", report(0)],
  [true, "a report of an exit code", report(2)],
  [false, "a report that names another one in its text", report(0, '{"metadata":{"exit_code":1}}')],
  [false, "a header with exit code 0", header("Process exited with code 0")],
  [true, "a header with another one", header("Process exited with code 1")],
  [true, "a header with a signal's", header("Process exited with code -9")],
  [false, "a header of what still runs", header("Process running with session ID 7")],
  [false, "an exit code in the text alone", header("Process exited with code 0", "Process exited with code 1\nExit code: 1")],
  [false, "an exit code behind text", "done\nExit code: 1\n"],
  [true, "the header of shell_command", "Exit code: 127\nWall time: 0.1 seconds\nOutput:\nnot found"],
  [true, "the same with CRLF", "Exit code: 127\r\nWall time: 0.1 seconds\r\nOutput:\r\nnot found"],
  [false, "the same with 0", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1"],
  [true, "an object that says so", { content: "no", success: false }],
  [false, "an object that says the contrary", { content: "Exit code: 1", success: true }],
  [true, "an object with a header", { content: "Exit code: 1\nOutput:\n" }],
  [true, "the answer of a tool server", '{"content":[],"isError":true}'],
  [false, "data of a tool that speaks of success", '{"success":false,"rows":[]}'],
  [false, "text that only begins like JSON", '{"output": torn'],
  [true, "words of Codex: arguments", "failed to parse function arguments: missing field `cmd`"],
  [true, "words of Codex: a patch", "apply_patch verification failed: Failed to find expected lines"],
  [true, "words of Codex: an interruption", "aborted by user after 3.2s"],
  [true, "words of Codex: a tool that is not there", "unsupported call: foo"],
  [false, "a list of parts", [{ type: "input_text", text: "Exit code: 1" }]],
  [false, "nothing", null],
])("%s: %s", (failed, _, given) => {
  expect(isFailure(given)).toBe(failed);
});
