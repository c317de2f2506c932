// Which format a file has, by its values alone: never by its name or folder.
import { CHAT_PARTS, chatReader, looksLikeChat } from "./chat/reader.ts";
import { looksLikeSweAgent, SWE_AGENT_PARTS, sweAgentReader } from "./chat/swe-agent.ts";
import { claudeCodeReader, looksLikeClaudeCode } from "./claude-code/reader.ts";
import { codexReader, looksLikeCodex } from "./codex/reader.ts";
import { GEMINI_PARTS, geminiReader, looksLikeGemini } from "./gemini/reader.ts";
import { isNativeHeader } from "./native/entry-line.ts";
import { nativeReader } from "./native/log.ts";
import { looksLikePi, piReader } from "./pi/reader.ts";
import type { FormatReader, ReaderContext } from "./reader.ts";
import type { Parts } from "./scan/sink.ts";

/** A format that is read. */
export interface Format {
  readonly name: string;
  /** Whether a parsed value can only be a record of this format. */
  looksLike(value: unknown): boolean;
  reader(context: ReaderContext): FormatReader;
  /** What of a value is records of its own, which the reader gets before the value. */
  readonly parts?: Parts;
}

export const FORMATS: readonly Format[] = [
  { name: "palimpsest", looksLike: isNativeHeader, reader: nativeReader },
  { name: "pi", looksLike: looksLikePi, reader: piReader },
  { name: "claude-code", looksLike: looksLikeClaudeCode, reader: claudeCodeReader },
  { name: "codex", looksLike: looksLikeCodex, reader: codexReader },
  { name: "gemini", looksLike: looksLikeGemini, reader: geminiReader, parts: GEMINI_PARTS },
  { name: "swe-agent", looksLike: looksLikeSweAgent, reader: sweAgentReader, parts: SWE_AGENT_PARTS },
  { name: "chat", looksLike: looksLikeChat, reader: chatReader, parts: CHAT_PARTS },
];

/** The parts of a value in any format, for one that shows none yet. */
export const ALL_PARTS: Parts = {
  lists: [...new Set(FORMATS.flatMap(({ parts }) => parts?.lists ?? []))],
  members: [...new Set(FORMATS.flatMap(({ parts }) => parts?.members ?? []))],
};

/** The format that a value shows; undefined where it could be anything, as the first value of a damaged file may. */
export function detect(value: unknown): Format | undefined {
  return FORMATS.find(({ looksLike }) => looksLike(value));
}
