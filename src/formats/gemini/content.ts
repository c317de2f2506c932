// What one message of a Gemini CLI session says, as facts: text, thoughts, calls with their results, usage.
import type { Block, CallFact, Fact, FailureFact, ResultFact, UsageFact } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { countOf, isObject, type JsonObject, jsonText, stringOf } from "../json.ts";
import type { Path, Pointing } from "../pointing.ts";

/** The facts of a message record, in order; undefined where nothing of it was sent. */
export function messageFacts(pointing: Pointing, value: JsonObject): Fact[] | undefined {
  switch (value.type) {
    case "user":
      return userFacts(pointing, value);
    case "gemini":
      return geminiFacts(pointing, value);
    case "error":
      return [failure(pointing, value)];
    default:
      return undefined;
  }
}

/** Begins what the CLI itself tells the model at the start of a session. */
const CONTEXT = "<session_context>";

function userFacts(pointing: Pointing, { content }: JsonObject): Fact[] {
  const results = partsOf(content, ["content"]).flatMap(({ part, path }): ResultFact[] => {
    if (!isObject(part) || !isObject(part.functionResponse)) return [];
    const { id, name, response } = part.functionResponse;
    const status = isObject(response) && response.error !== undefined ? "error" : "ok";
    return [{ kind: "result", callId: stringOf(id) ?? stringOf(name) ?? "", tool: stringOf(name) ?? "", status, blocks: partBlocks(pointing, part, path) }];
  });
  const blocks = blocksAt(pointing, content, ["content"], "functionResponse");
  if (results.length > 0 && blocks.length === 0) return results;
  const first = partsOf(content, ["content"])[0]?.part;
  const opening = typeof first === "string" ? first : isObject(first) ? stringOf(first.text) : undefined;
  return [...results, { kind: "message", role: "user", blocks, ...(opening?.startsWith(CONTEXT) && { mark: "meta" }) }];
}

function geminiFacts(pointing: Pointing, value: JsonObject): Fact[] {
  const { content, thoughts, toolCalls, tokens } = value;
  const calls = partsOf(toolCalls, ["toolCalls"]).flatMap(({ part, path }) => (isObject(part) ? [{ call: part, path }] : []));
  const known = new Set(calls.map(({ call }) => call.id));
  return [
    { kind: "message", role: "assistant", blocks: [...thoughtBlocks(pointing, thoughts), ...blocksAt(pointing, content, ["content"], "functionCall")] },
    ...calls.map(({ call, path }) => callFact(pointing, call, [...path, "args"])),
    ...partsOf(content, ["content"]).flatMap(({ part, path }): CallFact[] => {
      if (!isObject(part) || !isObject(part.functionCall) || known.has(part.functionCall.id)) return [];
      return [callFact(pointing, part.functionCall, [...path, "functionCall", "args"])];
    }),
    ...calls.flatMap(({ call, path }) => resultFact(pointing, call, path)),
    ...(isObject(tokens) ? [usageFact(tokens, stringOf(value.model))] : []),
  ];
}

function callFact(pointing: Pointing, { id, name, args }: JsonObject, path: Path): CallFact {
  const input = args === undefined ? pointing.composed(() => "{}") : typeof args === "string" ? pointing.text(path) : pointing.json(path);
  return { kind: "call", callId: stringOf(id) ?? stringOf(name) ?? "", tool: stringOf(name) ?? "", input };
}

/** A call that was not answered, cancelled ones among them, has no result. */
function resultFact(pointing: Pointing, call: JsonObject, path: Path): ResultFact[] {
  const { id, name, result, status } = call;
  const parts = partsOf(result, [...path, "result"]);
  if (parts.length === 0) return [];
  const failed = status === "error" || status === "cancelled" || (status !== "success" && parts.some(({ part }) => saysError(part)));
  const blocks = parts.flatMap((each) => partBlocks(pointing, each.part, each.path));
  return [{ kind: "result", callId: stringOf(id) ?? stringOf(name) ?? "", tool: stringOf(name) ?? "", status: failed ? "error" : "ok", blocks }];
}

function saysError(part: unknown): boolean {
  return isObject(part) && isObject(part.functionResponse) && isObject(part.functionResponse.response) && part.functionResponse.response.error !== undefined;
}

/** `output` and `thoughts` are both what the model wrote; `input` counts cached tokens, `tool` is input on top of it. */
function usageFact({ input, output, cached, thoughts, tool }: JsonObject, model: string | undefined): UsageFact {
  const cacheRead = Math.min(countOf(cached), countOf(input));
  return {
    kind: "usage",
    input: countOf(input) - cacheRead + countOf(tool),
    cacheRead,
    cacheWrite: 0,
    output: countOf(output) + countOf(thoughts),
    ...(model !== undefined && { model }),
  };
}

function thoughtBlocks(pointing: Pointing, thoughts: unknown): Block[] {
  if (!Array.isArray(thoughts)) return [];
  return thoughts.map((_, index) => ({
    type: "thinking",
    body: pointing.composed((record) => thoughtText((record as { thoughts: unknown[] }).thoughts[index])),
  }));
}

function thoughtText(thought: unknown): string {
  if (!isObject(thought)) return typeof thought === "string" ? thought : jsonText(thought);
  return [thought.subject, thought.description].filter((each) => typeof each === "string" && each !== "").join("\n");
}

interface PlacedPart {
  readonly part: unknown;
  readonly path: Path;
}

/** Content as its parts: it is one text, one part, or a list of both. */
function partsOf(content: unknown, path: Path): PlacedPart[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content.map((part: unknown, index) => ({ part, path: [...path, index] })) : [{ part: content, path }];
}

/** Blocks of a content field, but the parts that make facts of their own. Empty texts are none. */
function blocksAt(pointing: Pointing, content: unknown, path: Path, apart: "functionCall" | "functionResponse"): Block[] {
  return partsOf(content, path).flatMap((each) => (isObject(each.part) && isObject(each.part[apart]) ? [] : partBlocks(pointing, each.part, each.path)));
}

function partBlocks(pointing: Pointing, part: unknown, path: Path): Block[] {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", body: pointing.text(path) }];
  if (!isObject(part)) return [{ type: "other", was: typeof part, raw: pointing.json(path) }];
  const { text, thought, inlineData, fileData, functionResponse } = part;
  if (typeof text === "string") return text === "" ? [] : [{ type: thought === true ? "thinking" : "text", body: pointing.text([...path, "text"]) }];
  if (isObject(functionResponse)) return responseBlocks(pointing, functionResponse, [...path, "functionResponse"]);
  if (isObject(inlineData) && typeof inlineData.data === "string" && isImage(inlineData))
    return [{ type: "image", mediaType: String(inlineData.mimeType), data: pointing.text([...path, "inlineData", "data"]), ...imageSize(inlineData.data) }];
  if (isObject(fileData) && typeof fileData.fileUri === "string" && isImage(fileData))
    return [{ type: "image", mediaType: String(fileData.mimeType), data: pointing.text([...path, "fileData", "fileUri"]) }];
  return [{ type: "other", was: Object.keys(part)[0] ?? "part", raw: pointing.json(path) }];
}

function isImage({ mimeType }: JsonObject): boolean {
  return typeof mimeType === "string" && mimeType.startsWith("image/");
}

/** A tool's answer: the text under `output` or `error`, anything else as JSON; images beside it. */
function responseBlocks(pointing: Pointing, { response, parts }: JsonObject, path: Path): Block[] {
  const fields = isObject(response) ? ["output", "error"].filter((name) => typeof response[name] === "string") : [];
  const texts: Block[] =
    fields.length > 0 || response === undefined
      ? fields.map((name) => ({ type: "text", body: pointing.text([...path, "response", name]) }))
      : [{ type: "text", body: pointing.json([...path, "response"]) }];
  return [...texts, ...partsOf(parts, [...path, "parts"]).flatMap((each) => partBlocks(pointing, each.part, each.path))];
}

const OVERFLOW = /token count.*exceeds|prompt is too long|context (window|length|limit)|input is too long|too many tokens/i;
const TRANSIENT = /overloaded|rate.?limit|quota|exhausted|time[d ]?.?out|unavailable|\b(429|5\d\d)\b|connection|network|fetch failed/i;

function failure(pointing: Pointing, { content }: JsonObject): FailureFact {
  if (typeof content !== "string") return { kind: "failure", class: "other" };
  const kind = OVERFLOW.test(content) ? "overflow" : TRANSIENT.test(content) ? "transient" : /abort|interrupt|cancel/i.test(content) ? "aborted" : "other";
  return { kind: "failure", class: kind, text: pointing.text(["content"]) };
}
