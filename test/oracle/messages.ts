// Two ways to the messages of a request, ours and Pi's, in one plain shape that can be compared.
import { buildSessionContext, convertToLlm, migrateSessionEntries, parseSessionEntries, type SessionEntry } from "@earendil-works/pi-coding-agent";
import { type Block, bodyText, type Place, type Session } from "../../src/session/index.ts";
import { view } from "../../src/view/index.ts";

export interface PlainMessage {
  readonly role: string;
  readonly content: readonly unknown[];
  readonly callId?: string;
  readonly tool?: string;
  readonly isError?: boolean;
}

export interface PlainRequest {
  readonly sections: Readonly<Record<string, string>>;
  readonly tools: readonly string[];
  readonly messages: readonly PlainMessage[];
}

/** What a view holds, as messages: calls go into their assistant message; what only we add (placeholders) is left out. */
export function ourRequest(session: Session, head: Place | null): PlainRequest {
  const messages: { role: string; content: unknown[]; callId?: string; tool?: string; isError?: boolean }[] = [];
  let sections: Record<string, string> = {};
  let tools: string[] = [];
  for (const item of view(session, head)) {
    if (item.kind === "prompt") {
      sections = Object.fromEntries(item.sections.map((section) => [section.name, bodyText(section.body)]));
      tools = item.tools.map((tool) => tool.name).sort();
    } else if (item.kind === "call") {
      const call = { type: "toolCall", id: item.callId, name: item.tool, arguments: JSON.parse(bodyText(item.input)) as unknown };
      const last = messages.at(-1);
      if (last?.role === "assistant") last.content.push(call);
      else messages.push({ role: "assistant", content: [call] });
    } else if (item.kind === "late") messages.push({ role: "toolResult", content: ["late"] });
    else if (item.role === "tool") {
      if (item.kind !== "placeholder")
        messages.push({ role: "toolResult", callId: item.callId, tool: item.tool, isError: item.status === "error", content: item.blocks.map(plainBlock) });
    } else messages.push({ role: item.role, content: item.blocks.map(plainBlock) });
  }
  return { sections, tools, messages };
}

function plainBlock(block: Block): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: bodyText(block.body) };
    case "thinking":
      return { type: "thinking", thinking: bodyText(block.body), ...(block.signature && { signature: bodyText(block.signature) }) };
    case "image":
      return { type: "image", data: bodyText(block.data) };
    case "other":
      return JSON.parse(bodyText(block.raw));
  }
}

/** The entries of a session file as Pi itself reads and migrates them. */
export function piEntries(content: string): SessionEntry[] {
  const entries = parseSessionEntries(content);
  migrateSessionEntries(entries);
  return entries.filter((entry): entry is SessionEntry => entry.type !== "session");
}

interface PiContent {
  readonly type: string;
  readonly [key: string]: unknown;
}
interface PiMessage {
  readonly role: string;
  readonly content: string | readonly PiContent[];
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly { readonly name: string }[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
}

/** What Pi sends at a leaf: its own projection and conversion, system messages folded into one prompt. */
export function piRequest(entries: SessionEntry[], leafId: string | null | undefined): PlainRequest {
  const sections = new Map<string, string>();
  const tools = new Set<string>();
  const messages: PlainMessage[] = [];
  for (const message of convertToLlm(buildSessionContext(entries, leafId).messages) as unknown as PiMessage[]) {
    if (message.role === "system") fold(message, sections, tools);
    else messages.push(plainPi(message));
  }
  return { sections: Object.fromEntries(sections), tools: [...tools].sort(), messages };
}

function fold(message: PiMessage, sections: Map<string, string>, tools: Set<string>): void {
  for (const [name, text] of Object.entries(message.sections ?? {})) {
    if (text === null) sections.delete(name);
    else sections.set(name, text);
  }
  for (const { name } of message.toolsRemoved ?? []) tools.delete(name);
  for (const { name } of message.toolsAdded ?? []) tools.add(name);
}

function plainPi(message: PiMessage): PlainMessage {
  const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const plain = blocks.map(plainPiBlock);
  // Our view shows an assistant's text before its calls: the calls are entries of their own.
  const content =
    message.role === "assistant" ? [...plain.filter((block) => block.type !== "toolCall"), ...plain.filter((block) => block.type === "toolCall")] : plain;
  if (message.role !== "toolResult") return { role: message.role, content };
  return { role: "toolResult", callId: String(message.toolCallId), tool: String(message.toolName), isError: message.isError === true, content };
}

function plainPiBlock(block: PiContent): PiContent {
  if (block.type === "thinking")
    return { type: "thinking", thinking: block.thinking, ...(block.thinkingSignature !== undefined && { signature: block.thinkingSignature }) };
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image") return { type: "image", data: block.data };
  if (block.type === "toolCall") return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
  return block;
}

/** Pi's messages with the text of results taken out where ours shows one line for a late one. */
export function withLateLines(pi: PlainRequest, ours: PlainRequest): PlainRequest {
  return {
    ...pi,
    messages: pi.messages.map((message, index) =>
      message.role === "toolResult" && ours.messages[index]?.content[0] === "late" ? { role: "toolResult", content: ["late"] } : message,
    ),
  };
}
