// What one item of Codex's history says, as its requests hold it: a message, thoughts, a call, an output.
import type { Block, CallFact, ResultFact, Role } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { isObject, type JsonObject, stringOf, valueAt } from "../json.ts";
import type { Path, Pointing } from "../pointing.ts";
import { isFailure } from "./outcome.ts";

export type Item =
  /** `meta`: sent in the user's name, but written by Codex. */
  | { readonly kind: "message"; readonly role: "user" | "system"; readonly blocks: readonly Block[]; readonly meta: boolean }
  /** Words of the assistant's. */
  | { readonly kind: "response"; readonly blocks: readonly Block[]; readonly thoughts: boolean }
  | { readonly kind: "call"; readonly call: CallFact }
  /** A result without its tool's name, which stands in the call. */
  | { readonly kind: "result"; readonly result: Omit<ResultFact, "tool"> };

/** The item at a path of a record; undefined where no reader knows its kind. */
export function itemAt(pointing: Pointing, item: JsonObject, path: Path): Item | undefined {
  switch (item.type) {
    case "message":
      return messageAt(pointing, item, path);
    case "reasoning":
      return { kind: "response", blocks: thoughtsAt(pointing, item, path), thoughts: true };
    case "function_call":
      return callAt(pointing, item, [...path, "arguments"], nameOf(item));
    case "custom_tool_call":
      return callAt(pointing, item, [...path, "input"], nameOf(item));
    case "local_shell_call":
      return callAt(pointing, item, [...path, "action"], "local_shell");
    case "tool_search_call":
      // The provider runs it by itself where it is given no id to answer to.
      if (typeof item.call_id !== "string") return hosted(pointing, item, path);
      return callAt(pointing, item, [...path, "arguments"], "tool_search");
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return resultAt(pointing, item, path, "output");
    case "tool_search_output":
      return typeof item.call_id === "string" ? resultAt(pointing, item, path, "tools") : undefined;
    case "web_search_call":
      return hosted(pointing, item, path);
    case "image_generation_call":
      return typeof item.result === "string"
        ? { kind: "response", blocks: [imageBlock(pointing, item.result, [...path, "result"])], thoughts: false }
        : undefined;
    default:
      return undefined;
  }
}

function messageAt(pointing: Pointing, item: JsonObject, path: Path): Item | undefined {
  const blocks = () => blocksAt(pointing, item.content, [...path, "content"]);
  switch (item.role) {
    case "user":
      return { kind: "message", role: "user", blocks: blocks(), meta: isMeta(item.content) };
    case "developer":
    case "system":
      return { kind: "message", role: "system", blocks: blocks(), meta: false };
    case "assistant":
      return { kind: "response", blocks: blocks(), thoughts: false };
    default:
      return undefined;
  }
}

/** How texts begin that Codex puts into a request in the user's name. */
const META =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|user_shell_command|subagent_notification|permissions instructions|collaboration_mode|INSTRUCTIONS)>|# AGENTS\.md instructions\b)/;

function isMeta(content: unknown): boolean {
  const texts = typeof content === "string" ? [content] : Array.isArray(content) ? content.flatMap((part) => stringOf(valueAt(part, ["text"])) ?? []) : [];
  return texts.length > 0 && texts.every((text) => META.test(text));
}

/** One block for each part of the thoughts, or an empty one for thoughts that can only be read by the provider. */
function thoughtsAt(pointing: Pointing, item: JsonObject, path: Path): Block[] {
  const places = [...textsAt(item.content, [...path, "content"]), ...(textsAt(item.content, []).length > 0 ? [] : textsAt(item.summary, [...path, "summary"]))];
  const signature = typeof item.encrypted_content === "string" ? { signature: pointing.text([...path, "encrypted_content"]) } : {};
  if (places.length === 0) return [{ type: "thinking", body: pointing.composed(() => ""), ...signature }];
  return places.map((at, index) => ({ type: "thinking", body: pointing.text(at), ...(index === 0 && signature) }));
}

function textsAt(parts: unknown, path: Path): Path[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown, index): Path[] => (isObject(part) && typeof part.text === "string" ? [[...path, index, "text"]] : []));
}

function nameOf({ name, namespace }: JsonObject): string {
  const tool = stringOf(name) ?? "";
  return typeof namespace === "string" && namespace !== "" ? `${namespace}.${tool}` : tool;
}

function callAt(pointing: Pointing, item: JsonObject, input: Path, tool: string): Item {
  const given = item[input.at(-1) as string];
  const callId = stringOf(item.call_id) ?? stringOf(item.id) ?? "";
  return { kind: "call", call: { kind: "call", callId, tool, input: typeof given === "string" ? pointing.text(input) : pointing.json(input) } };
}

/** A tool that the provider runs inside the response: nothing answers it. */
function hosted(pointing: Pointing, item: JsonObject, path: Path): Item {
  return { kind: "response", blocks: [other(pointing, item, path)], thoughts: false };
}

function resultAt(pointing: Pointing, item: JsonObject, path: Path, key: "output" | "tools"): Item {
  const output = item[key];
  return {
    kind: "result",
    result: {
      kind: "result",
      callId: stringOf(item.call_id) ?? stringOf(item.id) ?? "",
      status: isFailure(output) || item.success === false ? "error" : "ok",
      blocks: key === "tools" ? [{ type: "text", body: pointing.json([...path, key]) }] : outputAt(pointing, output, [...path, key]),
    },
  };
}

function outputAt(pointing: Pointing, output: unknown, path: Path): Block[] {
  if (output === undefined || output === null) return [];
  if (!isObject(output)) return blocksAt(pointing, output, path);
  for (const key of ["content_items", "content"])
    if (typeof output[key] === "string" || Array.isArray(output[key])) return blocksAt(pointing, output[key], [...path, key]);
  return [{ type: "text", body: pointing.json(path) }];
}

/** Blocks of a content field: a string, or a list of typed parts. */
function blocksAt(pointing: Pointing, content: unknown, path: Path): Block[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [blockAt(pointing, content, path)];
  return content.map((part: unknown, index) => blockAt(pointing, part, [...path, index]));
}

function blockAt(pointing: Pointing, part: unknown, path: Path): Block {
  if (typeof part === "string") return { type: "text", body: pointing.text(path) };
  if (!isObject(part)) return { type: "other", was: typeof part, raw: pointing.json(path) };
  if ((part.type === "input_text" || part.type === "output_text" || part.type === "text") && typeof part.text === "string")
    return { type: "text", body: pointing.text([...path, "text"]) };
  if (part.type === "input_image" || part.type === "image_url") {
    const { image_url: url } = part;
    if (typeof url === "string") return imageBlock(pointing, url, [...path, "image_url"]);
    if (isObject(url) && typeof url.url === "string") return imageBlock(pointing, url.url, [...path, "image_url", "url"]);
  }
  return other(pointing, part, path);
}

function imageBlock(pointing: Pointing, data: string, path: Path): Block {
  const head = /^data:([^;,]+)[^,]{0,100},/.exec(data.slice(0, 200));
  return { type: "image", mediaType: head?.[1] ?? "image", data: pointing.text(path), ...imageSize(head ? data.slice(head[0].length) : data) };
}

function other(pointing: Pointing, item: JsonObject, path: Path): Block {
  return { type: "other", was: stringOf(item.type) ?? "object", raw: pointing.json(path) };
}

/** An item of a list that stands in place of a history, as one message: calls and outputs in it as the JSON text that they are. */
export function shownAt(pointing: Pointing, item: unknown, path: Path): { readonly role: Role; readonly blocks: readonly Block[] } {
  if (!isObject(item)) return { role: "user", blocks: [blockAt(pointing, item, path)] };
  const read = itemAt(pointing, item, path);
  if (read?.kind === "message") return { role: read.role, blocks: read.blocks };
  if (read?.kind === "response") return { role: "assistant", blocks: read.blocks };
  return { role: read?.kind === "call" ? "assistant" : "user", blocks: [other(pointing, item, path)] };
}
