// What a view is made of: one item for each thing that the model is shown.
import {
  type Block,
  type Body,
  type Place,
  type Ref,
  type Role,
  type Section,
  type Sha256,
  type Status,
  sha256,
  type ToolDeclaration,
  textBody,
} from "../session/index.ts";

export interface PromptItem {
  readonly kind: "prompt";
  readonly role: "system";
  readonly place: Place;
  readonly sections: readonly Section[];
  readonly tools: readonly ToolDeclaration[];
}
export interface MessageItem {
  readonly kind: "message";
  readonly role: "user" | "assistant" | "system";
  readonly place: Place;
  readonly blocks: readonly Block[];
  /** Of the decision that changed it. */
  readonly ref?: Ref;
}
export interface CallItem {
  readonly kind: "call";
  readonly role: "assistant";
  readonly place: Place;
  readonly callId: string;
  readonly tool: string;
  readonly input: Body;
  /** Of the decision that changed it. */
  readonly ref?: Ref;
}
export interface ResultItem {
  /** `result`: as it came. `stub`: what a decision, or the lack of an asked-for summary, shows instead. `placeholder`: for a call without a result in view. */
  readonly kind: "result" | "stub" | "placeholder";
  readonly role: "tool";
  /** The result, or the call where there is none. */
  readonly place: Place;
  readonly callId: string;
  readonly tool: string;
  readonly status: Status;
  readonly blocks: readonly Block[];
  /** Absent where no result was recorded. */
  readonly ref?: Ref;
}
export interface BlockItem {
  readonly kind: "block";
  readonly role: Role;
  /** The decision. */
  readonly place: Place;
  readonly blocks: readonly Block[];
  readonly ref: Ref;
}
export interface LineItem {
  /** `late`: one line for a result that answers no call of its batch. */
  readonly kind: "late" | "notice";
  readonly role: "user";
  readonly place: Place;
  readonly blocks: readonly Block[];
  readonly ref?: Ref;
}
export type Item = PromptItem | MessageItem | CallItem | ResultItem | BlockItem | LineItem;

const made = new Map<string, readonly Block[]>();

/** One text block of the projector's own words. */
export function words(text: string): readonly Block[] {
  let blocks = made.get(text);
  if (!blocks) {
    blocks = [{ type: "text", body: textBody(text) }];
    if (made.size < 256) made.set(text, blocks);
  }
  return blocks;
}

/** The hash of what the model gets of an item: ids of ours and refs beside the text do not count. */
export function itemHash(item: Item): Sha256 {
  const parts: string[] = [item.role];
  if (item.kind === "prompt") {
    for (const section of item.sections) parts.push("section", section.name, section.body.sha256);
    for (const tool of item.tools) parts.push("tool", tool.name, tool.body.sha256);
    return sha256(JSON.stringify(parts));
  }
  if (item.kind === "call") parts.push("call", item.callId, item.tool, item.input.sha256);
  else {
    if (item.role === "tool") parts.push("result", item.callId, item.tool, item.status);
    for (const block of item.blocks) parts.push(...blockKey(block));
  }
  return sha256(JSON.stringify(parts));
}

function blockKey(block: Block): string[] {
  switch (block.type) {
    case "text":
      return ["text", block.body.sha256];
    case "thinking":
      return ["thinking", block.body.sha256, block.signature?.sha256 ?? ""];
    case "image":
      return ["image", block.mediaType, block.data.sha256];
    case "other":
      return ["other", block.raw.sha256];
  }
}
