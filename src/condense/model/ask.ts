// One question to a model: asked, its reply checked for having been read whole, and asked once more with what was wrong.
import { credit, type NoCredit } from "../../coverage/index.ts";
import type { CallOptions, Model, ModelMessage } from "../../models/index.ts";
import { withoutEnds } from "./answer.ts";
import { type Prompt, repairMessage } from "./prompts.ts";

/** What a judge finds wrong with a text; an empty list: nothing. `code` is short and stable, `text` is for the model. */
export interface TextFault {
  readonly code: string;
  readonly text: string;
}

/** A reply that came to its end, read whole or not. */
export interface Reply<F extends TextFault> {
  /** Without the words at its ends. */
  readonly text: string;
  readonly faults: readonly (F | TextFault)[];
}

/** Why there is no reply at all. */
export interface NoReply {
  /** Of the failure, or how the reply ended. */
  readonly code: string;
  /** What the failure says to a person, where the model could not be asked; absent: it answered, and that was of no use. */
  readonly message?: string;
}

export type Asking<F extends TextFault> = NoReply | { readonly first: Reply<F>; readonly second?: Reply<F> };

/** Asks, and once more where anything is wrong with the reply; a second question that fails leaves the first reply as it was. */
export async function ask<F extends TextFault>(model: Model, prompt: Prompt, judge: (text: string) => readonly F[], options: CallOptions): Promise<Asking<F>> {
  const first = await once(model, prompt, [], judge, options);
  if ("code" in first) return first;
  // A longer prompt would be cut as well.
  if (first.faults.length === 0 || first.faults.some(({ code }) => code === "prompt-cut")) return { first };
  const repair: readonly ModelMessage[] = [
    // Without the two words: the second reply cannot copy them from here.
    { role: "assistant", text: first.text === "" ? "(empty)" : first.text },
    { role: "user", text: repairMessage(first.faults.slice(0, MOST_FAULTS).map(({ text }) => text)) },
  ];
  const second = await once(model, prompt, repair, judge, options);
  return "code" in second ? { first } : { first, second };
}

/** Faults that a model is told at once. */
const MOST_FAULTS = 12;

async function once<F extends TextFault>(
  model: Model,
  prompt: Prompt,
  after: readonly ModelMessage[],
  judge: (text: string) => readonly F[],
  options: CallOptions,
): Promise<NoReply | Reply<F>> {
  try {
    const {
      text: raw,
      finish,
      usage,
    } = await model.generate({ messages: [{ role: "user", text: prompt.text }, ...after] }, { ...options, what: prompt.version });
    if (finish === "length" || finish === "refused") return { code: finish };
    const text = withoutEnds(raw, prompt.nonces);
    const { shown, nonces } = prompt;
    // Servers that keep the beginning of a prompt may count only what is new behind it: of a second question no count is proof.
    const promptTokens = after.length === 0 ? usage.input : undefined;
    const read = credit({ prompt: prompt.text, shown, nonces, reply: { finish, acks: [raw], promptTokens }, extracted: text !== "" });
    const unread = read.credited ? undefined : text === "" ? "no-extraction" : read.why;
    const faults = unread === undefined ? [] : [{ code: unread === "no-extraction" ? "empty" : unread, text: UNREAD[unread] }];
    return { text, faults: [...faults, ...(text === "" ? [] : judge(text))] };
  } catch (error) {
    return failureOf(error);
  }
}

const UNREAD: Readonly<Record<NoCredit, string>> = {
  "not-delivered": "the message did not arrive whole",
  cut: "it does not come to its end",
  "no-head": "its first line is not the word at the very top of the message",
  "no-tail": "its last line is not the word at the very end of the message",
  "prompt-cut": "only a part of the message was read",
  "no-extraction": "it is empty",
};

function failureOf(error: unknown): NoReply {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return { code: typeof code === "string" ? code : "failed", message: error instanceof Error ? error.message : String(error) };
}
