// Outputs that Claude Code gave the model as a preview and kept whole in a file beside the session.
import type { Body } from "../../session/index.ts";
import { bodyOfFile } from "../companion.ts";
import { isObject, stringOf } from "../json.ts";
import type { ReaderContext } from "../reader.ts";

const SAVED_TO = /^Full output saved to:\s*(.+)$|Full output saved to:\s*(\S.*)$/m;

/**
 * The whole output behind a `<persisted-output>` preview. Of the path in it only the file's name is believed: the file is looked for in
 * the session's own folder, `SESSION/tool-results/NAME`, and nowhere else.
 */
export function wholeOutput(content: unknown, context: ReaderContext): Body | undefined {
  const text = typeof content === "string" ? content : Array.isArray(content) && isObject(content[0]) ? stringOf(content[0].text) : undefined;
  if (!text?.startsWith("<persisted-output>")) return undefined;
  const match = SAVED_TO.exec(text.slice(0, 4096));
  const name = (match?.[1] ?? match?.[2])?.trim().split(/[\\/]/).at(-1);
  const folder = context.source.name
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.jsonl$/, "");
  if (!name || !folder || name === "." || name === "..") return undefined;
  const companion = context.companion(`${folder}/tool-results/${name}`);
  return companion && bodyOfFile(companion);
}
