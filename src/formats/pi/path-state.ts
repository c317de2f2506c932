// The state that flows down a path of Pi records: the prompt in effect, the compaction that rules, edits that wait for one.
import type { EntryId, ReplaceDecision, Section, ToolDeclaration } from "../../session/index.ts";
import { isObject, type JsonObject, shownText } from "../json.ts";
import type { Pointing } from "../pointing.ts";
import type { OpenBatch } from "./batch.ts";

/** Pi's system messages up to here, folded into one prompt. */
export interface Prompt {
  readonly sections: readonly Section[];
  readonly tools: readonly ToolDeclaration[];
}

/** What one system message changes of the prompt before it. */
export interface PromptChange {
  readonly sections: readonly Section[];
  readonly sectionsRemoved: readonly string[];
  readonly tools: readonly ToolDeclaration[];
  readonly toolsRemoved: readonly string[];
}

/** Shared by all records below, until one changes it. */
export interface PathState {
  readonly prompt: Prompt;
  /** Compactions in effect on the path, the newest last: that one alone says what Pi shows. */
  readonly compactions: readonly { readonly id: EntryId; readonly shownFrom: number }[];
  /** Edits of what a compaction hides: without effect until a later one shows their target again. */
  readonly waiting: readonly WaitingEdit[];
  /** A batch of ours that has not ended. */
  readonly batch?: OpenBatch;
}

export interface WaitingEdit {
  /** Depth of the target. */
  readonly target: number;
  /** The edits as they are in the log, pending; empty where they could not be, as no request had held the target yet. */
  readonly pending: readonly EntryId[];
  readonly edits: readonly ReplaceDecision[];
}

const NO_PROMPT: Prompt = { sections: [], tools: [] };
export const START: PathState = { prompt: NO_PROMPT, compactions: [], waiting: [] };

/** Reads a system message: sections by name, `null` to remove one; tools added and removed by name. */
export function promptChange(pointing: Pointing, message: JsonObject, path: readonly (string | number)[]): PromptChange {
  const named = Object.entries(isObject(message.sections) ? message.sections : {});
  const whole = typeof message.content === "string" && message.content !== "" ? [{ name: "content", body: pointing.text([...path, "content"]) }] : [];
  return {
    sections: [...whole, ...named.flatMap(([name, text]) => (typeof text === "string" ? [{ name, body: pointing.text([...path, "sections", name]) }] : []))],
    sectionsRemoved: named.flatMap(([name, text]) => (text === null ? [name] : [])),
    tools: namesIn(message.toolsAdded).map((name, index) => ({ name, body: pointing.json([...path, "toolsAdded", index]) })),
    toolsRemoved: namesIn(message.toolsRemoved),
  };
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map((each: unknown) => shownText(isObject(each) ? each.name : each)) : [];
}

export function folded(prompt: Prompt, change: PromptChange): Prompt {
  const sections = new Map(prompt.sections.map((section) => [section.name, section]));
  const tools = new Map(prompt.tools.map((tool) => [tool.name, tool]));
  for (const name of change.sectionsRemoved) sections.delete(name);
  for (const section of change.sections) sections.set(section.name, section);
  for (const name of change.toolsRemoved) tools.delete(name);
  for (const tool of change.tools) tools.set(tool.name, tool);
  return { sections: [...sections.values()], tools: [...tools.values()] };
}

/** The prompt after a compaction: what the compaction itself carries, and nothing of before. */
export function promptAfterCompaction(change: PromptChange | undefined): Prompt {
  return change ? folded(NO_PROMPT, change) : NO_PROMPT;
}
