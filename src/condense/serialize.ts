// What a summarizing model is given to read: a batch as text, in which nothing that a tool wrote can pass for a word of ours.
import { nonceFor } from "../coverage/index.ts";
import type { Status } from "../session/index.ts";
import { label, labelName } from "./labels.ts";

/** One result to summarize. */
interface SerializedResult {
  readonly tool: string;
  /** The arguments as JSON text, or as they came. */
  readonly input: string;
  readonly status: Status;
  /** The whole result: nothing is cut here. */
  readonly text: string;
}

/** The results to summarize together, duplicates left out, and what the assistant said with them. */
export interface SerializedBatch {
  readonly said: string;
  readonly results: readonly SerializedResult[];
}

/**
 * A batch as text: each result behind its label, `[[1:read]]` for the first, and each text of others between two lines
 * that hold a word which none of these texts holds.
 */
export function serializeBatch(batch: SerializedBatch): string {
  return serialized(batch, fenceWord(batch));
}

/** The same with a word that the caller has. */
export function serialized({ said, results }: SerializedBatch, word: string): string {
  const head = said.trim() === "" ? "" : `Assistant said:\n${fenced(said, word)}\n`;
  return head + results.map((result, at) => block(result, at + 1, word)).join("\n---\n");
}

function block({ tool, input, status, text }: SerializedResult, n: number, word: string): string {
  const outcome = status === "error" ? "ERROR" : "OK";
  return `${label(n, tool)} Tool: ${labelName(tool)}\nArguments:\n${fenced(indented(input), word)}\nResult (${outcome}):\n${fenced(text, word)}`;
}

/** A text of others between two lines of ours. */
export function fenced(text: string, word: string): string {
  return `<<<${word}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${word}>>>`;
}

function indented(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input;
  }
}

/** A word that no text of the batch holds. The same batch has always the same. */
export function fenceWord({ said, results }: SerializedBatch): string {
  return nonceFor(said, ...results.flatMap(({ tool, input, text }) => [tool, input, indented(input), text]));
}
