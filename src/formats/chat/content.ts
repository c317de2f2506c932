// What one message of a chat says, in the shapes of OpenAI and Anthropic: blocks, calls, results, usage.
import type { Block, CallFact, Fact, MessageFact, ResultFact, UsageFact } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { countOf, isObject, type JsonObject, jsonText, shownText, stringOf, valueAt } from "../json.ts";
import type { Path, Pointing } from "../pointing.ts";

export type ChatRole = "system" | "user" | "assistant" | "result";

const ROLES: Readonly<Record<string, ChatRole>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "result",
  function: "result",
};

/** What part a message's author plays; undefined for no message, or one of a role that nobody knows. */
export function roleOf(value: unknown): ChatRole | undefined {
  return isObject(value) && typeof value.role === "string" && Object.hasOwn(ROLES, value.role) ? ROLES[value.role] : undefined;
}

/** Facts of one message. A result's tool stands in its call, which another record holds: `toolOf` finds it by the call's id. */
export function messageFacts(pointing: Pointing, value: JsonObject, toolOf: (callId: string) => string): Fact[] {
  switch (roleOf(value)) {
    case "assistant":
      return assistantFacts(pointing, value);
    case "result":
      return [toolResult(pointing, value, toolOf)];
    case "system":
      return [{ kind: "message", role: "system", blocks: blocksAt(pointing, value.content, ["content"]) }];
    default:
      return userFacts(pointing, value, toolOf);
  }
}

/** The text of a system message, blocks joined by blank lines. */
export function systemText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : shownText(content);
  return content.map((block: unknown) => (isObject(block) ? (stringOf(block.text) ?? jsonText(block)) : shownText(block))).join("\n\n");
}

function assistantFacts(pointing: Pointing, value: JsonObject): Fact[] {
  const { content, id, refusal } = value;
  const messageId = stringOf(id);
  const usage = usageOf(value);
  const refused: Block[] = typeof refusal === "string" && refusal !== "" ? [{ type: "text", body: pointing.text(["refusal"]) }] : [];
  const message: MessageFact = {
    kind: "message",
    role: "assistant",
    blocks: [...reasoningBlocks(pointing, value), ...blocksAt(pointing, content, ["content"], "tool_use"), ...refused],
    ...(messageId !== undefined && { messageId }),
  };
  return [
    message,
    ...toolUses(pointing, content),
    ...toolCalls(pointing, value),
    ...(usage ? [{ ...usage, ...(messageId !== undefined && { messageId }) }] : []),
  ];
}

/** Thinking that stands beside the content: `thinking_blocks`, or `reasoning_content` of servers that give it as one text. */
function reasoningBlocks(pointing: Pointing, { content, thinking_blocks: blocks, reasoning_content: text }: JsonObject): Block[] {
  const inside = Array.isArray(content) && content.some((block) => isObject(block) && block.type === "thinking");
  if (Array.isArray(blocks) && blocks.length > 0) return inside ? [] : blocksAt(pointing, blocks, ["thinking_blocks"]);
  return typeof text === "string" && text !== "" ? [{ type: "thinking", body: pointing.text(["reasoning_content"]) }] : [];
}

/** Anthropic's calls, which stand among the blocks. */
function toolUses(pointing: Pointing, content: unknown): CallFact[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown, index): CallFact[] => {
    if (!isObject(block) || block.type !== "tool_use") return [];
    return [call(pointing, stringOf(block.id), stringOf(block.name), block.input, ["content", index, "input"])];
  });
}

/** OpenAI's calls, and the one `function_call` of its older form, which has no id: the name stands for it. */
function toolCalls(pointing: Pointing, { tool_calls: calls, function_call: single }: JsonObject): CallFact[] {
  const listed: unknown[] = Array.isArray(calls) ? calls : [];
  return [
    ...listed.flatMap((each, index): CallFact[] => {
      if (!isObject(each)) return [];
      const { id, custom, function: named } = each;
      if (isObject(custom)) return [call(pointing, stringOf(id), stringOf(custom.name), custom.input, ["tool_calls", index, "custom", "input"])];
      const { name, arguments: input } = isObject(named) ? named : ({} as JsonObject);
      return [call(pointing, stringOf(id), stringOf(name), input, ["tool_calls", index, "function", "arguments"])];
    }),
    ...(isObject(single) ? [call(pointing, stringOf(single.name), stringOf(single.name), single.arguments, ["function_call", "arguments"])] : []),
  ];
}

function call(pointing: Pointing, id: string | undefined, name: string | undefined, input: unknown, path: Path): CallFact {
  const body = input === undefined ? pointing.composed(() => "{}") : typeof input === "string" ? pointing.text(path) : pointing.json(path);
  return { kind: "call", callId: id ?? "", tool: name ?? "", input: body };
}

/** A message that answers a call: OpenAI's `tool` and `function`, and SWE-agent's, which names its call in a list. */
function toolResult(pointing: Pointing, value: JsonObject, toolOf: (callId: string) => string): ResultFact {
  const { tool_call_id: id, tool_call_ids: ids, name, content, is_error: failed } = value;
  const callId = stringOf(id) ?? (Array.isArray(ids) ? stringOf(ids[0]) : undefined) ?? stringOf(name) ?? "";
  return {
    kind: "result",
    callId,
    tool: toolOf(callId) || (stringOf(name) ?? ""),
    status: failed === true ? "error" : "ok",
    blocks: blocksAt(pointing, content, ["content"]),
  };
}

/** Anthropic's results stand in a user message, before what the user said. */
function userFacts(pointing: Pointing, { content }: JsonObject, toolOf: (callId: string) => string): Fact[] {
  const results = (Array.isArray(content) ? content : []).flatMap((block: unknown, index): ResultFact[] => {
    if (!isObject(block) || block.type !== "tool_result") return [];
    const callId = stringOf(block.tool_use_id) ?? "";
    const blocks = blocksAt(pointing, block.content, ["content", index, "content"]);
    return [{ kind: "result", callId, tool: toolOf(callId), status: block.is_error === true ? "error" : "ok", blocks }];
  });
  const blocks = blocksAt(pointing, content, ["content"], "tool_result");
  return results.length > 0 && blocks.length === 0 ? results : [...results, { kind: "message", role: "user", blocks }];
}

/** The blocks of a content field, but those of the type that makes facts of its own. An empty text is none. */
function blocksAt(pointing: Pointing, content: unknown, path: Path, apart?: "tool_use" | "tool_result"): Block[] {
  if (content === undefined || content === null || content === "") return [];
  if (!Array.isArray(content)) return [blockAt(pointing, content, path)];
  return content.flatMap((block: unknown, index) =>
    apart !== undefined && isObject(block) && block.type === apart ? [] : [blockAt(pointing, block, [...path, index])],
  );
}

function blockAt(pointing: Pointing, block: unknown, path: Path): Block {
  if (typeof block === "string") return { type: "text", body: pointing.text(path) };
  if (!isObject(block)) return { type: "other", was: typeof block, raw: pointing.json(path) };
  const { type, text, thinking, signature, refusal } = block;
  if ((type === "text" || type === "input_text" || type === "output_text") && typeof text === "string")
    return { type: "text", body: pointing.text([...path, "text"]) };
  if (type === "refusal" && typeof refusal === "string") return { type: "text", body: pointing.text([...path, "refusal"]) };
  if (type === "thinking" && typeof thinking === "string")
    return {
      type: "thinking",
      body: pointing.text([...path, "thinking"]),
      ...(typeof signature === "string" && { signature: pointing.text([...path, "signature"]) }),
    };
  return imageAt(pointing, block, path) ?? { type: "other", was: stringOf(type) ?? "object", raw: pointing.json(path) };
}

function imageAt(pointing: Pointing, { type, source, image_url: url }: JsonObject, path: Path): Block | undefined {
  if (type === "image" && isObject(source)) {
    const mediaType = stringOf(source.media_type) ?? "image";
    if (typeof source.data === "string") return { type: "image", mediaType, data: pointing.text([...path, "source", "data"]), ...imageSize(source.data) };
    if (typeof source.url === "string") return { type: "image", mediaType, data: pointing.text([...path, "source", "url"]) };
  }
  if (type === "image_url" || type === "input_image") {
    const at = typeof url === "string" ? [...path, "image_url"] : [...path, "image_url", "url"];
    const data = typeof url === "string" ? url : isObject(url) ? url.url : undefined;
    if (typeof data !== "string") return undefined;
    const inline = /^data:([^;,]+)[^,]*;base64,/.exec(data.slice(0, 200));
    return { type: "image", mediaType: inline?.[1] ?? "image", data: pointing.text(at), ...(inline && imageSize(data.slice(inline[0].length))) };
  }
  return undefined;
}

/** Usage, in the words of either, where the message or the response that was kept beside it says so. */
function usageOf(value: JsonObject): UsageFact | undefined {
  const usage = [value.usage, valueAt(value, ["extra", "response", "usage"])].find(isObject);
  if (!usage) return undefined;
  const model = stringOf(value.model);
  const named = model === undefined ? {} : { model };
  if ("prompt_tokens" in usage) {
    const cacheRead = Math.min(countOf(isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details.cached_tokens : 0), countOf(usage.prompt_tokens));
    return {
      kind: "usage",
      input: countOf(usage.prompt_tokens) - cacheRead,
      cacheRead,
      cacheWrite: 0,
      output: countOf(usage.completion_tokens),
      ...named,
    };
  }
  if (!("input_tokens" in usage)) return undefined;
  return {
    kind: "usage",
    input: countOf(usage.input_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    output: countOf(usage.output_tokens),
    ...named,
  };
}
