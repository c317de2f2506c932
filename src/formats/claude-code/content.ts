// What one Claude Code record says: facts that depend on it alone, and what ties it to others.
import type { Block, Body, CallFact, FailureFact, RecordRange, ResultFact, UsageFact } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { countOf, isObject, type JsonObject, listOf, stringOf, valueAt } from "../json.ts";
import { type Path, Pointing } from "../pointing.ts";
import type { RawRecord, ReaderContext } from "../reader.ts";
import { type Original, type Originals, stubOrdinal } from "./originals.ts";
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
  | {
      readonly kind: "user";
      readonly blocks: readonly Block[];
      readonly results: readonly Result[];
      readonly meta: boolean;
      /** Results without an original that begin like a stub: the ordinal that each names. It is one where that is its own. */
      readonly claims?: readonly { readonly order: number; readonly ordinal: number }[];
    }
  | { readonly kind: "summary"; readonly text: Body | undefined }
  | { readonly kind: "boundary"; readonly raw: Body }
  | { readonly kind: "microcompact"; readonly callIds: readonly string[]; readonly raw: Body }
  | { readonly kind: "marker"; readonly what: string; readonly raw: Body | undefined };

/** A result without its tool's name, which stands in the call. */
export type Result = Omit<ResultFact, "tool" | "kind"> & {
  /** In a condensed copy: what stands in the record now, while the result is the original. */
  readonly stub?: Stub;
};

export interface Stub {
  /** Of the block in the record's content. */
  readonly index: number;
  readonly blocks: readonly Block[];
  /** The original's line beside the session. */
  readonly original: RecordRange;
}

export function contentOf(record: RawRecord, context: ReaderContext, originals: Originals | undefined): Content {
  const { value } = record;
  if (record.oversized) return { kind: "marker", what: "oversized", raw: undefined };
  const pointing = new Pointing(record);
  if (!isObject(value)) return { kind: "marker", what: typeof value, raw: pointing.whole() };
  const message = isObject(value.message) ? value.message : undefined;
  if (value.isCompactSummary === true && message) return { kind: "summary", text: summaryText(pointing, message) };
  if (value.type === "assistant" && message) return isHostsOwn(value, message) ? failed(pointing, message) : assistant(pointing, value, message);
  if (value.type === "user" && message && value.isVisibleInTranscriptOnly !== true) return user({ pointing, value, context, originals }, message);
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
  const messageId = stringOf(message.id);
  const model = stringOf(message.model);
  return {
    kind: "assistant",
    messageId,
    requestId: stringOf(value.requestId),
    blocks: blocksAt(pointing, content, path, "tool_use"),
    calls: callsAt(pointing, content, path),
    usage: isObject(message.usage) ? usageFact(message.usage, messageId, model === undefined ? undefined : pointing.name(model)) : undefined,
  };
}

function usageFact(usage: JsonObject, messageId: string | undefined, model: string | undefined): UsageFact {
  const fact: UsageFact = {
    kind: "usage",
    input: countOf(usage.input_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    output: countOf(usage.output_tokens),
  };
  return messageId !== undefined && model !== undefined
    ? { ...fact, messageId, model }
    : { ...fact, ...(messageId !== undefined && { messageId }), ...(model !== undefined && { model }) };
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

/** A user's record and what stands beside its file. */
interface UserRecord {
  readonly pointing: Pointing;
  readonly value: JsonObject;
  readonly context: ReaderContext;
  readonly originals: Originals | undefined;
}

function user(record: UserRecord, message: JsonObject): Content {
  const { pointing, value } = record;
  const content: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const path = ["message", "content"];
  const indexes = listOf(content.length, (index) => (isResult(content[index]) ? index : undefined));
  const results = indexes.map((index) => result(record, content[index] as JsonObject, [...path, index], index));
  const claims = results.flatMap(({ stub }, order) => {
    const ordinal = stub ? undefined : claimedOrdinal((content[indexes[order] as number] as JsonObject).content);
    return ordinal === undefined ? [] : [{ order, ordinal }];
  });
  return {
    kind: "user",
    blocks: blocksAt(pointing, message.content, path, "tool_result"),
    results,
    meta: value.isMeta === true,
    ...(claims.length > 0 && { claims }),
  };
}

function isResult(block: unknown): block is JsonObject {
  return isObject(block) && block.type === "tool_result";
}

/** The N of the `tN` that the content of a result begins with, where it looks like a stub of a condensed copy. */
function claimedOrdinal(content: unknown): number | undefined {
  const [first] = Array.isArray(content) ? content : [content];
  const text: unknown = isObject(first) && first.type === "text" ? first.text : first;
  return typeof text === "string" ? stubOrdinal(text) : undefined;
}

function result({ pointing, value, context, originals }: UserRecord, block: JsonObject, path: Path, index: number): Result {
  const original = originals?.find(stringOf(value.uuid) ?? "", index, block.content);
  const shown = blocksAt(pointing, block.content, [...path, "content"]);
  const full = wholeOutput(original ? original.content : block.content, context);
  const made: Result = {
    callId: stringOf(block.tool_use_id) ?? "",
    status: block.is_error === true ? "error" : "ok",
    blocks: original ? originalBlocks(original) : shown,
  };
  return full || original ? { ...made, ...(full && { full }), ...(original && { stub: { index, blocks: shown, original: original.range } }) } : made;
}

function originalBlocks({ pointing, content }: Original): Block[] {
  return blocksAt(pointing, content, ["content"]);
}

/** The blocks of a content field, but those of the type that makes facts of its own. */
function blocksAt(pointing: Pointing, content: unknown, path: Path, apart?: "tool_use" | "tool_result"): Block[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [blockAt(pointing, content, path)];
  return listOf(content.length, (index) => {
    const block: unknown = content[index];
    return apart !== undefined && isObject(block) && block.type === apart ? undefined : blockAt(pointing, block, [...path, index]);
  });
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
  return listOf(content.length, (index): CallFact | undefined => {
    const block: unknown = content[index];
    if (!isObject(block) || block.type !== "tool_use") return undefined;
    const at = [...path, index, "input"];
    return {
      kind: "call",
      callId: stringOf(block.id) ?? "",
      tool: pointing.name(stringOf(block.name) ?? ""),
      input: typeof block.input === "string" ? pointing.text(at) : pointing.json(at),
    };
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

const ASIDE: ReadonlySet<string> = new Set(["at", "full", "usage", "stub"]);

/** JSON text without where texts lie, the whole output behind a preview, what stands in place of an original, and what a response cost. */
function withoutPlaces(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (ASIDE.has(key) ? undefined : inner));
}
