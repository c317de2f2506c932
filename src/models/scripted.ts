// A model that says what it is told to: for tests, and for trials without a network.

import { estimate } from "../tokens/index.ts";
import { refuseEnded, whenEnded } from "./abort.ts";
import { type Clock, SYSTEM_CLOCK, wait } from "./clock.ts";
import { inputEstimate } from "./meter.ts";
import { type CallOptions, type Finish, type Model, ModelError, type ModelReply, type ModelRequest, type ModelUsage } from "./model.ts";

/** A text, a failure, a reply with its finish and usage, silence until the call is ended, or for ever, or a reply that comes in parts. */
export type ScriptedAnswer =
  | string
  | ModelError
  | { readonly text: string; readonly finish?: Finish; readonly usage?: ModelUsage }
  | { readonly hang: "until-aborted" | "for-ever" }
  | { readonly parts: readonly string[]; readonly everyMs: number; readonly usage?: ModelUsage; readonly failure?: ModelError };

export interface ScriptedModel extends Model {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * `answers`: one a request, or a function of the request and its number from 0. A list that is used up answers `invalid`, code `no-answer-left`.
 * Usage that an answer does not give is estimated from the texts.
 *
 * ```ts
 * const model = scriptedModel(["first", new ModelError("transient", "http-500", "broken"), { hang: "until-aborted" }]);
 * ```
 */
export function scriptedModel(
  answers: readonly ScriptedAnswer[] | ((request: ModelRequest, n: number) => ScriptedAnswer),
  { name = "scripted/model", window, clock = SYSTEM_CLOCK }: { readonly name?: string; readonly window?: number; readonly clock?: Clock } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const answerTo = typeof answers === "function" ? answers : (_: ModelRequest, n: number) => answers[n] ?? noAnswerLeft(n);
  return Object.freeze({
    name,
    ...(window !== undefined && { window }),
    requests,
    generate: async (request: ModelRequest, options: CallOptions = {}) => {
      const answer = answerTo(request, requests.push(request) - 1);
      refuseEnded(options);
      return said(answer, request, options, clock);
    },
  });
}

function noAnswerLeft(n: number): ModelError {
  return new ModelError("invalid", "no-answer-left", `The script holds ${n} answers, and was asked once more.`);
}

async function said(answer: ScriptedAnswer, request: ModelRequest, options: CallOptions, clock: Clock): Promise<ModelReply> {
  if (answer instanceof ModelError) throw answer;
  if (typeof answer === "object" && "hang" in answer) return hung(answer.hang, options);
  if (typeof answer === "object" && "parts" in answer) {
    for (const _ of answer.parts) {
      await wait(clock, answer.everyMs, options);
      options.onEvent?.();
    }
    if (answer.usage) options.onUsage?.(answer.usage);
    if (answer.failure) throw answer.failure;
    return said({ text: answer.parts.join(""), ...(answer.usage && { usage: answer.usage }) }, request, options, clock);
  }
  const { text, finish = "stop", usage = undefined } = typeof answer === "string" ? { text: answer } : answer;
  const reported = usage ?? { input: inputEstimate(request), cacheRead: undefined, output: estimate(text) };
  options.onEvent?.();
  options.onUsage?.(reported);
  return { text, finish, usage: reported };
}

function hung(how: "until-aborted" | "for-ever", options: CallOptions): Promise<ModelReply> {
  return new Promise((_, reject) => {
    if (how === "until-aborted") whenEnded(options, reject);
  });
}
