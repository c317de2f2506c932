// Whether a window counts as covered: delivered, acknowledged and extracted. That a call was made for it is not enough.
import type { Tokens } from "../session/index.ts";
import type { Nonces } from "./nonce.ts";

/** Bytes that a token of a prompt stands for on average, at most: prose and code have 3 to 5. */
const MAX_BYTES_PER_TOKEN = 8;

/** One call of a model that was given one window to read. */
export interface WindowCall {
  /** All that was sent, as one text. */
  readonly prompt: string;
  /** The window as it stood there, between its two words; they stand nowhere else in the prompt where they could be read without it. */
  readonly shown: string;
  readonly nonces: Nonces;
  /** Absent: the call failed. */
  readonly reply?: WindowReply;
  /** Whether the reply holds an extraction of this window that fits its schema; one that says that nothing is there counts. */
  readonly extracted: boolean;
}

export interface WindowReply {
  /** Why it ended. `other`: the provider gave no reason that we know. */
  readonly finish: "stop" | "length" | "refused" | "error" | "other";
  /** Where it repeats the two words: the acknowledgements that it lists, or its whole text. */
  readonly acks: readonly string[];
  /** All input as the provider reported it, cached too; undefined: it reported none, which is not zero. */
  readonly promptTokens: Tokens | undefined;
}

/**
 * `not-delivered`: the call failed, or its prompt did not hold the window between its words. `cut`: the reply did not come to its end.
 * `no-head`, `no-tail`: it does not repeat that word, so that end of the window may never have reached the model.
 * `prompt-cut`: fewer tokens were read than the prompt has. `no-extraction`: nothing usable was written down.
 */
export type NoCredit = "not-delivered" | "cut" | "no-head" | "no-tail" | "prompt-cut" | "no-extraction";

/** `verified`: the provider reported what it read, and it was enough. */
export type Credit = { readonly credited: true; readonly verified: boolean } | { readonly credited: false; readonly why: NoCredit };

/**
 * The rule for one window; the first thing that is missing is told.
 * @param maxBytesPerToken the most bytes that a token of a prompt can stand for on average
 */
export function credit(call: WindowCall, maxBytesPerToken: number = MAX_BYTES_PER_TOKEN): Credit {
  const why = missing(call, maxBytesPerToken);
  return why ? { credited: false, why } : { credited: true, verified: call.reply?.promptTokens !== undefined };
}

function missing({ prompt, shown, nonces, reply, extracted }: WindowCall, maxBytesPerToken: number): NoCredit | undefined {
  if (!reply || reply.finish === "error" || !stoodBetween(prompt, shown, nonces)) return "not-delivered";
  if (reply.finish === "length" || reply.finish === "refused") return "cut";
  if (!reply.acks.some((ack) => holdsWord(ack, nonces.head))) return "no-head";
  if (!reply.acks.some((ack) => holdsWord(ack, nonces.tail))) return "no-tail";
  if (reply.promptTokens !== undefined && !(reply.promptTokens >= fewestTokens(prompt, maxBytesPerToken))) return "prompt-cut";
  return extracted ? undefined : "no-extraction";
}

/** Whether the window stood in the prompt behind every occurrence of its head and before any of its tail. */
function stoodBetween(prompt: string, shown: string, { head, tail }: Nonces): boolean {
  const at = prompt.lastIndexOf(head);
  if (at < 0) return false;
  const start = prompt.indexOf(shown, at + head.length);
  return start >= 0 && prompt.indexOf(tail) >= start + shown.length;
}

function fewestTokens(prompt: string, maxBytesPerToken: number): Tokens {
  return Math.floor(Buffer.byteLength(prompt) / maxBytesPerToken);
}

/** Whether a text holds the word as a word, not as part of a longer one. */
function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); word !== "" && at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordSign(text[at - 1]) && !isWordSign(text[at + word.length])) return true;
  }
  return false;
}

function isWordSign(sign: string | undefined): boolean {
  return sign !== undefined && /[0-9A-Za-z]/.test(sign);
}
