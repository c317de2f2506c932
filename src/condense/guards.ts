// When not to condense: too little to be worth a model, a stand-in that is no smaller, a reply that is none.
import type { Bytes } from "../session/index.ts";

/**
 * Whether a summarizer is asked about what is left of a batch without its duplicates. `chars`: the length of each result
 * left, in UTF-16 code units. `trivial`: together below `minChars` (0 turns that off), and they stay as they are.
 */
export function worthSummarizing(chars: readonly number[], minChars: number): "yes" | "nothing-left" | "trivial" {
  if (chars.length === 0) return "nothing-left";
  return chars.reduce((sum, each) => sum + each, 0) < minChars ? "trivial" : "yes";
}

/** Whether all that would be shown takes fewer bytes of UTF-8 than what it would hide. Equal is not smaller. */
export function isSmaller(shown: readonly string[], hidden: Bytes): boolean {
  return shown.reduce((sum, each) => sum + Buffer.byteLength(each), 0) < hidden;
}

/** What a summarizer answered, and why it ended. */
export interface Reply {
  readonly text: string;
  readonly stop: "stop" | "length" | "error" | "aborted";
}

/** Whether a reply can stand for results: it came to its own end and says something. */
export function isUsable({ text, stop }: Reply): boolean {
  return stop === "stop" && text.trim() !== "";
}
