// Builds Codex session files by hand: records with the fields that carry meaning, one a line.
import { Readable } from "node:stream";
import { type Opened, openSession } from "../../src/formats/index.ts";

export { story, told } from "./claude-records.ts";

export type CodexRecord = Readonly<Record<string, unknown>>;

function enveloped(type: string, payload: CodexRecord): CodexRecord {
  return { timestamp: "2026-03-02T09:00:00.000Z", type, payload };
}

export const meta = (more: CodexRecord = {}) => enveloped("session_meta", { id: "s1", cwd: "/srv/app", cli_version: "0.125.0", ...more });
export const turn = (id: string) => enveloped("turn_context", { turn_id: id, model: "gpt-5.5" });
export const item = (type: string, payload: CodexRecord) => enveloped("response_item", { type, ...payload });
export const event = (type: string, payload: CodexRecord = {}) => enveloped("event_msg", { type, ...payload });
export const compacted = (payload: CodexRecord) => enveloped("compacted", payload);

export const message = (role: string, ...texts: readonly string[]) =>
  item("message", { role, content: texts.map((text) => ({ type: role === "assistant" ? "output_text" : "input_text", text })) });
export const user = (...texts: readonly string[]) => message("user", ...texts);
export const assistant = (...texts: readonly string[]) => message("assistant", ...texts);
export const thoughts = (...parts: readonly string[]) => item("reasoning", { summary: parts.map((text) => ({ type: "summary_text", text })) });
export const call = (id: string, more: CodexRecord = {}) => item("function_call", { name: "exec_command", arguments: "{}", call_id: id, ...more });
export const output = (id: string, given: unknown = `of ${id}`) => item("function_call_output", { call_id: id, output: given });
/** `last` and `total`: tokens of input, of those cached, of output. */
export function tokens(last: readonly [number, number, number], total: readonly [number, number, number] = last): CodexRecord {
  const usage = ([input_tokens, cached_input_tokens, output_tokens]: readonly [number, number, number]) => ({
    input_tokens,
    cached_input_tokens,
    output_tokens,
  });
  return event("token_count", { info: { last_token_usage: usage(last), total_token_usage: usage(total), model_context_window: 1000 } });
}

export function lines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** What comes of records that stand in a file in this order. */
export function read(...records: readonly unknown[]): Promise<Opened> {
  return openSession("-", { input: Readable.from([lines(records)]) });
}
