// What one Pi record says, as facts: messages, calls, results, usage. Nothing here depends on where the record stands.
import type { Block, CallFact, Fact, FailureFact, MessageFact, UsageFact } from "../../session/index.ts";
import { imageSize } from "../image.ts";
import { countOf, isObject, type JsonObject, listOf, shownText, stringOf, valueAt } from "../json.ts";
import type { Path, Pointing } from "../pointing.ts";

/** Blocks of a content field: a string, or a list of typed blocks. Calls are left out: they are facts of their own. */
export function blocksAt(pointing: Pointing, content: unknown, path: Path): Block[] {
  if (typeof content === "string") return [{ type: "text", body: pointing.text(path) }];
  if (!Array.isArray(content)) return [];
  return listOf(content.length, (index) => (isCall(content[index]) ? undefined : blockAt(pointing, content[index], [...path, index])));
}

function blockAt(pointing: Pointing, block: unknown, path: Path): Block {
  if (typeof block === "string") return { type: "text", body: pointing.text(path) };
  const { type, text, thinking, thinkingSignature, data, mimeType } = isObject(block) ? block : ({} as JsonObject);
  if (type === "text" && typeof text === "string") return { type: "text", body: pointing.text([...path, "text"]) };
  if (type === "thinking" && typeof thinking === "string")
    return {
      type: "thinking",
      body: pointing.text([...path, "thinking"]),
      ...(typeof thinkingSignature === "string" && { signature: pointing.text([...path, "thinkingSignature"]) }),
    };
  if (type === "image" && typeof data === "string")
    return { type: "image", mediaType: stringOf(mimeType) ?? "image", data: pointing.text([...path, "data"]), ...imageSize(data) };
  return { type: "other", was: stringOf(type) ?? typeof block, raw: pointing.json(path) };
}

/** The calls of an assistant's content, in order. */
export function callsAt(pointing: Pointing, content: unknown, path: Path): CallFact[] {
  if (!Array.isArray(content)) return [];
  return listOf(content.length, (index) => (isCall(content[index]) ? callAt(pointing, content[index], [...path, index]) : undefined));
}

function isCall(block: unknown): block is JsonObject {
  return isObject(block) && block.type === "toolCall";
}

function callAt(pointing: Pointing, { id, name, arguments: input }: JsonObject, path: Path): CallFact {
  const at = [...path, "arguments"];
  const asked = isObject(input) && (input.summarize === true || input.summarize === "true");
  const fact: CallFact = {
    kind: "call",
    callId: stringOf(id) ?? "",
    tool: pointing.name(stringOf(name) ?? ""),
    input: typeof input === "string" ? pointing.text(at) : pointing.json(at),
  };
  return asked ? { ...fact, summarize: true } : fact;
}

/** The facts of a `message` record whose meaning depends on it alone; undefined for roles that do not (system) or that nobody knows. */
export function messageFacts(pointing: Pointing, message: JsonObject): Fact[] | undefined {
  const path = ["message", "content"];
  switch (message.role) {
    case "user":
      return [{ kind: "message", role: "user", blocks: blocksAt(pointing, message.content, path) }];
    case "assistant":
      return assistantFacts(pointing, message);
    case "toolResult":
      return [
        {
          kind: "result",
          callId: stringOf(message.toolCallId) ?? "",
          tool: pointing.name(stringOf(message.toolName) ?? ""),
          status: message.isError === true ? "error" : "ok",
          blocks: blocksAt(pointing, message.content, path),
        },
      ];
    case "bashExecution":
      return message.excludeFromContext === true
        ? undefined
        : [hostMessage("bashExecution", { type: "text", body: pointing.composed((record) => bashText(valueAt(record, ["message"]))) })];
    case "custom":
    case "hookMessage":
      return [{ kind: "message", role: "user", host: "custom", blocks: blocksAt(pointing, message.content, path) }];
    case "branchSummary":
      return [
        {
          ...hostMessage("branch_summary", { type: "text", body: pointing.composed((record) => branchText(valueAt(record, ["message", "summary"]))) }),
          mark: "derived",
        },
      ];
    case "compactionSummary":
      return [
        {
          ...hostMessage("compaction", { type: "text", body: pointing.composed((record) => compactionText(valueAt(record, ["message", "summary"]))) }),
          mark: "derived",
        },
      ];
    default:
      return undefined;
  }
}

function hostMessage(host: string, block: Block): MessageFact {
  return { kind: "message", role: "user", host, blocks: [block] };
}

function assistantFacts(pointing: Pointing, message: JsonObject): Fact[] {
  const path = ["message", "content"];
  const calls = callsAt(pointing, message.content, path);
  const failed = failureOf(pointing, message);
  const model = stringOf(message.model);
  const usage = isObject(message.usage) ? usageFact(message.usage, model === undefined ? undefined : pointing.name(model)) : undefined;
  const said: readonly Fact[] = [{ kind: "message", role: "assistant", blocks: blocksAt(pointing, message.content, path) }];
  return said.concat(calls, usage ?? [], failed ?? []);
}

export function usageFact(usage: JsonObject, model: string | undefined): UsageFact {
  const [input, cacheRead, cacheWrite, output] = [countOf(usage.input), countOf(usage.cacheRead), countOf(usage.cacheWrite), countOf(usage.output)];
  return model === undefined ? { kind: "usage", input, cacheRead, cacheWrite, output } : { kind: "usage", input, cacheRead, cacheWrite, output, model };
}

const OVERFLOW = /prompt is too long|context[ _-]?(length|window|limit)|maximum context|too many tokens|exceeds? the (model|context)|input is too long/i;
const TRANSIENT = /overloaded|rate.?limit|time[d ]?.?out|unavailable|\b(429|5\d\d)\b|ECONN|socket|network|fetch failed/i;

function failureOf(pointing: Pointing, message: JsonObject): FailureFact | undefined {
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return undefined;
  const said = stringOf(message.errorMessage);
  const text = said === undefined ? {} : { text: pointing.text(["message", "errorMessage"]) };
  if (message.stopReason === "aborted") return { kind: "failure", class: "aborted", ...text };
  return { kind: "failure", class: OVERFLOW.test(said ?? "") ? "overflow" : TRANSIENT.test(said ?? "") ? "transient" : "other", ...text };
}

/** A command that the user ran, as Pi tells the model of it. */
function bashText(value: unknown): string {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath } = isObject(value) ? value : ({} as JsonObject);
  const parts = [`Ran \`${shownText(command)}\`\n${typeof output === "string" && output !== "" ? `\`\`\`\n${output}\n\`\`\`` : "(no output)"}`];
  if (cancelled === true) parts.push("(command cancelled)");
  else if (typeof exitCode === "number" && exitCode !== 0) parts.push(`Command exited with code ${exitCode}`);
  if (truncated === true && typeof fullOutputPath === "string" && fullOutputPath !== "") parts.push(`[Output truncated. Full output: ${fullOutputPath}]`);
  return parts.join("\n\n");
}

export function branchText(summary: unknown): string {
  return `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${shownText(summary)}</summary>`;
}

export function compactionText(summary: unknown): string {
  return `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${shownText(summary)}\n</summary>`;
}
