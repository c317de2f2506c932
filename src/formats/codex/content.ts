// What one record of a Codex session says, whatever stands around it.
import type { Block, Body, FailureFact, MarkerFact, PromptFact, Role, UsageFact } from "../../session/index.ts";
import { countOf, isObject, type JsonObject, jsonText, stringOf } from "../json.ts";
import { type Path, Pointing } from "../pointing.ts";
import type { RawRecord } from "../reader.ts";
import { type Item, itemAt, shownAt } from "./items.ts";

/** Whose words an event repeats. */
export type Lane = "user" | "assistant" | "thinking";

/** A record by what it means for the session; its texts stay in the file. */
export type Content =
  | Item
  | { readonly kind: "header"; readonly header: Header; readonly prompt: PromptFact | undefined; readonly raw: Body }
  /** `total`: what the session used so far, as text: two reports with one total are one. */
  | { readonly kind: "usage"; readonly usage: UsageFact; readonly total: string | undefined; readonly raw: Body }
  | { readonly kind: "failure"; readonly failure: FailureFact }
  /** `shows`: the list that replaces the history, where the record holds it. */
  | { readonly kind: "compacted"; readonly summary: Body | null; readonly shows: readonly Shown[] | undefined; readonly raw: Body }
  /** The user took back so many turns. */
  | { readonly kind: "rollback"; readonly turns: number; readonly marker: MarkerFact }
  /** Words that a history item mostly holds too. */
  | { readonly kind: "event"; readonly lane: Lane; readonly blocks: readonly Block[]; readonly marker: MarkerFact }
  /** `turn`: a turn begins with it; `model`: the one that answers from here on. */
  | { readonly kind: "marker"; readonly marker: MarkerFact; readonly turn?: true; readonly model?: string };

interface Shown {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

/** What a session says of itself. */
export interface Header {
  readonly id?: string;
  readonly cwd?: string;
  readonly version?: string;
  /** The session that it was forked from, or that started it. */
  readonly parent?: string;
}

const ENVELOPES: ReadonlySet<unknown> = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"]);

/** Whether a parsed record can only be Codex's. */
export function looksLikeCodex(value: unknown): boolean {
  return isObject(value) && ((ENVELOPES.has(value.type) && isObject(value.payload)) || isOldHeader(value));
}

/** The first line of files from before records had an envelope. */
function isOldHeader(value: JsonObject): boolean {
  return typeof value.id === "string" && "instructions" in value && typeof value.timestamp === "string" && !("type" in value);
}

export function contentOf(record: RawRecord): Content {
  const { value, oversized } = record;
  if (oversized) return { kind: "marker", marker: { kind: "marker", what: "oversized" } };
  const pointing = new Pointing(record);
  if (!isObject(value)) return marker(pointing, typeof value);
  if (isOldHeader(value)) return header(pointing, value, [], "instructions");
  const { type, payload } = value;
  // Without an envelope the record itself is the item.
  if (!("payload" in value)) return itemAt(pointing, value, []) ?? marker(pointing, stringOf(type) ?? stringOf(value.record_type) ?? "record");
  if (!isObject(payload)) return marker(pointing, stringOf(type) ?? "record");
  switch (type) {
    case "session_meta":
      return header(pointing, payload, ["payload"], "base_instructions");
    case "turn_context":
      return { ...marker(pointing, type), turn: true, ...(typeof payload.model === "string" && { model: payload.model }) };
    case "response_item":
      return itemAt(pointing, payload, ["payload"]) ?? marker(pointing, nested(type, payload));
    case "compacted":
      return compacted(pointing, payload);
    case "event_msg":
      return eventOf(pointing, payload, nested(type, payload));
    default:
      return marker(pointing, stringOf(type) ?? "record");
  }
}

type Marker = Extract<Content, { readonly kind: "marker" }>;

function marker(pointing: Pointing, what: string): Marker {
  return { kind: "marker", marker: { kind: "marker", what, raw: pointing.whole() } };
}

function nested(type: string, payload: JsonObject): string {
  const inner = stringOf(payload.type);
  const role = inner === "message" ? stringOf(payload.role) : undefined;
  return [type, inner, role].filter((each) => each !== undefined).join("/");
}

/** `instructions`: the key of the system prompt. In files with an envelope a plain `instructions` repeats a message. */
function header(pointing: Pointing, meta: JsonObject, path: Path, instructions: "instructions" | "base_instructions"): Content {
  const id = stringOf(meta.id);
  const cwd = stringOf(meta.cwd);
  const version = stringOf(meta.cli_version);
  const parent = stringOf(meta.forked_from_id) ?? starterOf(meta.source);
  const found = {
    ...(id !== undefined && { id }),
    ...(cwd !== undefined && { cwd }),
    ...(version !== undefined && { version }),
    ...(parent !== undefined && { parent }),
  };
  return { kind: "header", header: found, prompt: promptOf(pointing, meta, path, instructions), raw: pointing.whole() };
}

/** The session that started this one as its subagent. */
function starterOf(source: unknown): string | undefined {
  const subagent = isObject(source) ? source.subagent : undefined;
  const spawn = isObject(subagent) ? subagent.thread_spawn : undefined;
  return isObject(spawn) ? stringOf(spawn.parent_thread_id) : undefined;
}

function promptOf(pointing: Pointing, meta: JsonObject, path: Path, key: string): PromptFact | undefined {
  const given = meta[key];
  const at = isObject(given) ? [...path, key, "text"] : [...path, key];
  const text = isObject(given) ? given.text : given;
  const sections = typeof text === "string" && text !== "" ? [{ name: key, body: pointing.text(at) }] : [];
  const declared = Array.isArray(meta.dynamic_tools) ? meta.dynamic_tools : [];
  const tools = declared.flatMap((tool: unknown, index) =>
    isObject(tool) && typeof tool.name === "string" ? [{ name: tool.name, body: pointing.json([...path, "dynamic_tools", index]) }] : [],
  );
  return sections.length + tools.length > 0 ? { kind: "prompt", sections, tools } : undefined;
}

function compacted(pointing: Pointing, payload: JsonObject): Content {
  const { message, replacement_history: list } = payload;
  return {
    kind: "compacted",
    summary: typeof message === "string" && message !== "" ? pointing.text(["payload", "message"]) : null,
    shows: Array.isArray(list) ? list.map((item: unknown, index) => shownAt(pointing, item, ["payload", "replacement_history", index])) : undefined,
    raw: pointing.whole(),
  };
}

const LANES: Readonly<Record<string, { readonly lane: Lane; readonly key: string }>> = {
  user_message: { lane: "user", key: "message" },
  agent_message: { lane: "assistant", key: "message" },
  agent_reasoning: { lane: "thinking", key: "text" },
};

function eventOf(pointing: Pointing, payload: JsonObject, what: string): Content {
  const type = stringOf(payload.type) ?? "";
  const plain = marker(pointing, what);
  const repeated = LANES[type];
  if (repeated && typeof payload[repeated.key] === "string") {
    const body = pointing.text(["payload", repeated.key]);
    const blocks: Block[] = [{ type: repeated.lane === "thinking" ? "thinking" : "text", body }];
    return { kind: "event", lane: repeated.lane, blocks, marker: plain.marker };
  }
  switch (type) {
    case "task_started":
    case "turn_started":
      return { ...plain, turn: true };
    case "token_count":
      return usageOf(payload, plain);
    case "turn_aborted":
      return { kind: "failure", failure: { kind: "failure", class: "aborted", ...saidAt(pointing, payload, "reason") } };
    case "error":
    case "stream_error":
      return { kind: "failure", failure: { kind: "failure", class: classOf(type, stringOf(payload.message) ?? ""), ...saidAt(pointing, payload, "message") } };
    case "thread_rolled_back":
      return { kind: "rollback", turns: countOf(payload.num_turns), marker: plain.marker };
    default:
      return plain;
  }
}

function saidAt(pointing: Pointing, payload: JsonObject, key: string): { readonly text?: Body } {
  return typeof payload[key] === "string" ? { text: pointing.text(["payload", key]) } : {};
}

const OVERFLOW = /context[ _-]?(length|window|limit)|ran out of room|too many tokens|input is too long/i;
const TRANSIENT = /overloaded|rate.?limit|usage limit|time[d ]?.?out|unavailable|at capacity|\b(429|5\d\d)\b|disconnected|connection|network/i;

function classOf(type: string, message: string): FailureFact["class"] {
  if (OVERFLOW.test(message)) return "overflow";
  return type === "stream_error" || TRANSIENT.test(message) ? "transient" : "other";
}

function usageOf({ info }: JsonObject, plain: Marker): Content {
  const last = isObject(info) ? info.last_token_usage : undefined;
  if (!isObject(info) || !isObject(last)) return plain;
  const cached = countOf(last.cached_input_tokens);
  const window = countOf(info.model_context_window);
  return {
    kind: "usage",
    usage: {
      kind: "usage",
      input: Math.max(0, countOf(last.input_tokens) - cached),
      cacheRead: cached,
      cacheWrite: 0,
      // Thoughts are counted in it already.
      output: countOf(last.output_tokens),
      ...(window > 0 && { window }),
    },
    total: isObject(info.total_token_usage) ? jsonText(info.total_token_usage) : undefined,
    raw: plain.marker.raw as Body,
  };
}
