// Which format a file has, by its values alone: never by its name or folder.
import { claudeCodeReader, looksLikeClaudeCode } from "./claude-code/reader.ts";
import { isObject, type JsonObject } from "./json.ts";
import { isNativeHeader } from "./native/entry-line.ts";
import { nativeReader } from "./native/log.ts";
import { looksLikePi, piReader } from "./pi/reader.ts";
import type { FormatReader, ReaderContext } from "./reader.ts";

/** A format that is read. */
export interface Format {
  readonly name: string;
  /** Whether a parsed value can only be a record of this format. */
  looksLike(value: unknown): boolean;
  reader(context: ReaderContext): FormatReader;
}

const FORMATS: readonly Format[] = [
  { name: "palimpsest", looksLike: isNativeHeader, reader: nativeReader },
  { name: "pi", looksLike: looksLikePi, reader: piReader },
  { name: "claude-code", looksLike: looksLikeClaudeCode, reader: claudeCodeReader },
];

const CODEX_RECORDS: ReadonlySet<unknown> = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"]);
const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);

/** Formats that are known and not read, by what a person calls their sessions. */
const KNOWN: readonly { readonly sessions: string; looksLike(value: unknown): boolean }[] = [
  { sessions: "Codex sessions", looksLike: (value) => isObject(value) && (isCodexRecord(value) || isOldCodexHeader(value)) },
  { sessions: "Gemini CLI sessions", looksLike: (value) => isObject(value) && isGemini(value) },
  { sessions: "SWE-agent trajectories", looksLike: (value) => isObject(value) && (Array.isArray(value.trajectory) || "trajectory_format" in value) },
  { sessions: "plain chat files", looksLike: (value) => isChat(isObject(value) ? value.messages : value) },
];

/** What a value shows of its file's format. */
export type Detected = { readonly format: Format } | { readonly unread: string };

/** What one value shows; undefined where it could be anything, as the first value of a damaged file may. */
export function detect(value: unknown): Detected | undefined {
  const format = FORMATS.find(({ looksLike }) => looksLike(value));
  if (format) return { format };
  const known = KNOWN.find(({ looksLike }) => looksLike(value));
  return known && { unread: known.sessions };
}

function isCodexRecord(value: JsonObject): boolean {
  return CODEX_RECORDS.has(value.type) && isObject(value.payload);
}

/** The first line of files from before records had an envelope. */
function isOldCodexHeader(value: JsonObject): boolean {
  return typeof value.id === "string" && "instructions" in value && typeof value.timestamp === "string" && !("type" in value);
}

function isGemini(value: JsonObject): boolean {
  if ("$set" in value || "$rewindTo" in value || value.type === "gemini") return true;
  return typeof value.sessionId === "string" && typeof value.startTime === "string" && typeof value.lastUpdated === "string";
}

function isChat(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && ROLES.has(each.role));
}
