// What one Claude Code record says: facts that depend on it alone, and what ties it to others.
import type { Block, Body, CallFact, FailureFact, ResultFact, UsageFact } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { countOf, isObject, type JsonObject, stringOf, valueAt } from "../json.ts";
import { type Path, Pointing } from "../pointing.ts";
import type { RawRecord, ReaderContext } from "../reader.ts";
import { wholeOutput } from "./spill.ts";

/** A record by what it means for the tree; its texts stay in the file. */
export type Content =
  | {
      readonly kind: "assistant";
      /** The provider's id of the response, by which its records are found. */
      readonly messageId: string | undefined;
      readonly requestId: string | undefined;
      readonly blocks: readonly Block[];
      readonly calls: readonly CallFact[];
      readonly usage: UsageFact | undefined;
    }
  | { readonly kind: "failure"; readonly failure: FailureFact }
  | { readonly kind: "user"; readonly blocks: readonly Block[]; readonly results: readonly Result[]; readonly meta: boolean }
  | { readonly kind: "summary"; readonly text: Body | undefined }
  | { readonly kind: "boundary"; readonly raw: Body }
  | { readonly kind: "microcompact"; readonly callIds: readonly string[]; readonly raw: Body }
  | { readonly kind: "marker"; readonly what: string; readonly raw: Body | undefined };

/** A result without its tool's name, which stands in the call. */
export type Result = Omit<ResultFact, "tool" | "kind">;

export function contentOf(record: RawRecord, context: ReaderContext): Content {
  const { value } = record;
  if (record.oversized) return { kind: "marker", what: "oversized", raw: undefined };
  const pointing = new Pointing(record);
  if (!isObject(value)) return { kind: "marker", what: typeof value, raw: pointing.whole() };
  const message = isObject(value.message) ? value.message : undefined;
  if (value.isCompactSummary === true && message) return { kind: "summary", text: summaryText(pointing, message) };
  if (value.type === "assistant" && message) return isHostsOwn(value, message) ? failed(pointing, message) : assistant(pointing, value, message);
  if (value.type === "user" && message && value.isVisibleInTranscriptOnly !== true) return user(pointing, value, message, context);
  if (value.type === "system" && value.subtype === "compact_boundary") return { kind: "boundary", raw: pointing.whole() };
  if (value.type === "system" && value.subtype === "microcompact_boundary")
    return { kind: "microcompact", callIds: stringsAt(value, ["microcompactMetadata", "compactedToolIds"]), raw: pointing.whole() };
  return { kind: "marker", what: markerName(value), raw: pointing.whole() };
}

/** Claude Code's own words in the place of a response: nothing came from a model. */
function isHostsOwn(value: JsonObject, { model, content }: JsonObject): boolean {
  const calls = Array.isArray(content) && content.some((block) => isObject(block) && block.type === "tool_use");
  return value.isApiErrorMessage === true || (model === "<synthetic>" && !calls);
}

function markerName(value: JsonObject): string {
  const type = stringOf(value.type) ?? "record";
  const inner = stringOf(value.subtype) ?? stringOf(valueAt(value, [type, "type"])) ?? stringOf(valueAt(value, ["data", "type"]));
  return inner === undefined ? type : `${type}/${inner}`;
}

function stringsAt(value: unknown, path: Path): string[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

function assistant(pointing: Pointing, value: JsonObject, message: JsonObject): Content {
  const { content } = message;
  const path = ["message", "content"];
  const usage = isObject(message.usage) ? usageFact(message.usage, stringOf(message.id), stringOf(message.model)) : undefined;
  return {
    kind: "assistant",
    messageId: stringOf(message.id),
    requestId: stringOf(value.requestId),
    blocks: blocksAt(pointing, content, path, "tool_use"),
    calls: callsAt(pointing, content, path),
    usage,
  };
}

function usageFact(usage: JsonObject, messageId: string | undefined, model: string | undefined): UsageFact {
  return {
    kind: "usage",
    input: countOf(usage.input_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    output: countOf(usage.output_tokens),
    ...(messageId !== undefined && { messageId }),
    ...(model !== undefined && { model }),
  };
}

const OVERFLOW = /prompt is too long|context (window|length|limit)|input is too long|too many tokens/i;
const TRANSIENT = /overloaded|rate.?limit|time[d ]?.?out|unavailable|\b(429|5\d\d)\b|connection|network|fetch failed/i;

function failed(pointing: Pointing, message: JsonObject): Content {
  const first = typeof message.content === "string" ? ["message", "content"] : ["message", "content", 0, "text"];
  const text = stringOf(valueAt({ message }, first));
  if (text === undefined) return { kind: "failure", failure: { kind: "failure", class: "other" } };
  const failure = OVERFLOW.test(text) ? "overflow" : TRANSIENT.test(text) ? "transient" : /abort|interrupt|cancel/i.test(text) ? "aborted" : "other";
  return { kind: "failure", failure: { kind: "failure", class: failure, text: pointing.text(first) } };
}

function summaryText(pointing: Pointing, message: JsonObject): Body | undefined {
  const { content } = message;
  if (typeof content === "string") return pointing.text(["message", "content"]);
  if (!Array.isArray(content)) return undefined;
  return pointing.composed((record) => {
    const blocks = valueAt(record, ["message", "content"]);
    return Array.isArray(blocks) ? blocks.flatMap((block) => stringOf(isObject(block) ? block.text : block) ?? []).join("\n") : "";
  });
}

function user(pointing: Pointing, value: JsonObject, message: JsonObject, context: ReaderContext): Content {
  const { content } = message;
  const path = ["message", "content"];
  const results = Array.isArray(content)
    ? content.flatMap((block: unknown, index) => (isObject(block) && block.type === "tool_result" ? [result(pointing, block, [...path, index], context)] : []))
    : [];
  return { kind: "user", blocks: blocksAt(pointing, content, path, "tool_result"), results, meta: value.isMeta === true };
}

function result(pointing: Pointing, block: JsonObject, path: Path, context: ReaderContext): Result {
  const full = wholeOutput(block.content, context);
  return {
    callId: stringOf(block.tool_use_id) ?? "",
    status: block.is_error === true ? "error" : "ok",
    blocks: blocksAt(pointing, block.content, [...path, "content"]),
    ...(full && { full }),
  };
}

/** The blocks of a content field, but those of the type that makes facts of its own. */
function blocksAt(pointing: Pointing, content: unknown, path: Path, apart?: "tool_use" | "tool_result"): Block[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [blockAt(pointing, content, path)];
  return content.flatMap((block: unknown, index) =>
    apart !== undefined && isObject(block) && block.type === apart ? [] : [blockAt(pointing, block, [...path, index])],
  );
}

function blockAt(pointing: Pointing, block: unknown, path: Path): Block {
  if (typeof block === "string") return { type: "text", body: pointing.text(path) };
  if (!isObject(block)) return { type: "other", was: typeof block, raw: pointing.json(path) };
  if (block.type === "text" && typeof block.text === "string") return { type: "text", body: pointing.text([...path, "text"]) };
  if (block.type === "thinking" && typeof block.thinking === "string")
    return {
      type: "thinking",
      body: pointing.text([...path, "thinking"]),
      ...(typeof block.signature === "string" && { signature: pointing.text([...path, "signature"]) }),
    };
  if (block.type === "image" && isObject(block.source)) {
    const { data, url, media_type } = block.source;
    if (typeof data === "string")
      return { type: "image", mediaType: stringOf(media_type) ?? "image", data: pointing.text([...path, "source", "data"]), ...imageSize(data) };
    if (typeof url === "string") return { type: "image", mediaType: stringOf(media_type) ?? "image", data: pointing.text([...path, "source", "url"]) };
  }
  return { type: "other", was: stringOf(block.type) ?? "object", raw: pointing.json(path) };
}

function callsAt(pointing: Pointing, content: unknown, path: Path): CallFact[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown, index): CallFact[] => {
    if (!isObject(block) || block.type !== "tool_use") return [];
    const at = [...path, index, "input"];
    return [
      {
        kind: "call",
        callId: stringOf(block.id) ?? "",
        tool: stringOf(block.name) ?? "",
        input: typeof block.input === "string" ? pointing.text(at) : pointing.json(at),
      },
    ];
  });
}

/** Whether two records say the same, whatever differs around it. */
export function sayTheSame(a: Content, b: Content): boolean {
  return a.kind === b.kind && withoutPlaces(a) === withoutPlaces(b);
}

/** What a response or results alone say, piece by piece: equal strings say the same. Other records have none. */
export function wordsOf(content: Content): string[] {
  if (content.kind === "assistant" && content.messageId !== undefined)
    return ["response", ...content.blocks, ...content.calls].map((word) => withoutPlaces([content.messageId, word]));
  if (content.kind === "user" && content.blocks.length === 0 && content.results.every(({ callId }) => callId !== "")) return content.results.map(withoutPlaces);
  return [];
}

/** JSON text without where texts lie, the whole output behind a preview, and what a response cost. */
function withoutPlaces(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "at" || key === "full" || key === "usage" ? undefined : inner));
}
