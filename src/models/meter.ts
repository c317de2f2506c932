// What calls use and cost, and the budget that stops them before it is spent.
import type { Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import {
  type CallOptions,
  type Model,
  ModelError,
  type ModelErrorClass,
  type ModelPrice,
  type ModelReply,
  type ModelRequest,
  type ModelUsage,
  type Thinking,
  wrapped,
} from "./model.ts";
import { thinkingBudget } from "./thinking.ts";

/** One request that was sent, whatever became of it. Every try of a call has its own. */
export interface CallRow {
  readonly model: string;
  /** What the call was for; empty where it did not say. */
  readonly what: string;
  /** Which try of the call, from 1. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  readonly outcome: "ok" | ModelErrorClass;
  /** The failure's code. */
  readonly code?: string;
  /** As reported; undefined: not reported, which is not zero. */
  readonly input: Tokens | undefined;
  readonly cacheRead: Tokens | undefined;
  readonly output: Tokens | undefined;
  /** USD; undefined where usage or price is not known. */
  readonly cost: number | undefined;
}

/** A sum of what is known, and of how many calls it is not. */
export interface Sum {
  readonly known: number;
  readonly unknownCalls: number;
}

export interface MeterTotals {
  readonly calls: number;
  readonly failed: number;
  readonly input: Sum;
  readonly cacheRead: Sum;
  readonly output: Sum;
  /** USD. */
  readonly cost: Sum;
}

/** Input and output together, and USD. Absent: no bound. */
export interface Budget {
  readonly tokens?: Tokens;
  readonly usd?: number;
}

export interface Metered {
  readonly price?: ModelPrice;
  /** What a reply may take where the request does not say. @default 4096 */
  readonly maxOutputTokens?: Tokens;
  /** How much the model thinks where the request does not say. */
  readonly thinking?: Thinking;
}

export interface Meter {
  readonly budget: Budget;
  /** In the order in which the calls ended. */
  readonly rows: readonly CallRow[];
  totals(): MeterTotals;
  /** The same model with a row for each call, refused with class `budget` where what it may cost at most is more than what is left. */
  of(model: Model, metered?: Metered): Model;
}

/** An amount that a budget is measured in. */
interface Amount {
  readonly tokens: Tokens;
  readonly usd: number;
}

const NOTHING: Amount = { tokens: 0, usd: 0 };
/** Tokens around each message. */
const FRAME = 8;

/**
 * ```ts
 * const meter = createMeter({ budget: { usd: 1 } });
 * const model = meter.of(inner, { price: { input: 1, output: 5, cacheRead: 0.1 } });
 * ```
 */
export function createMeter({ budget = {}, clock = SYSTEM_CLOCK }: { readonly budget?: Budget; readonly clock?: Clock } = {}): Meter {
  const rows: CallRow[] = [];
  let spent = NOTHING;
  let reserved = NOTHING;

  const metered = async (
    model: Model,
    request: ModelRequest,
    options: CallOptions,
    { price, maxOutputTokens = 4096, thinking }: Metered,
  ): Promise<ModelReply> => {
    const input = inputEstimate(request);
    const reserve = amountOf(input, (request.maxOutputTokens ?? maxOutputTokens) + thinkingBudget(request.thinking ?? thinking), price);
    refuseOver(budget, sum(spent, reserved), reserve, { model: model.name, price });
    reserved = sum(reserved, reserve);
    const startedAt = clock.now();
    let usage: ModelUsage = { input: undefined, cacheRead: undefined, output: undefined };
    let ended = false;
    const end = (outcome: CallRow["outcome"], code: string | undefined, otherwise: Amount) => {
      ended = true;
      reserved = sum(reserved, reserve, -1);
      spent = sum(spent, usage.input === undefined || usage.output === undefined ? otherwise : amountOf(usage.input, usage.output, price, usage.cacheRead));
      const about = { model: model.name, what: options.what ?? "", attempt: options.attempt ?? 1, startedAt, ms: Math.max(0, clock.now() - startedAt) };
      rows.push(Object.freeze({ ...about, outcome, ...(code !== undefined && { code }), ...usage, cost: costOf(usage, price) }));
    };
    const onUsage = (reported: ModelUsage) => {
      if (!ended) usage = reported;
      options.onUsage?.(reported);
    };
    try {
      const reply = await model.generate(request, { ...options, onUsage });
      usage = reply.usage;
      end("ok", undefined, amountOf(usage.input ?? input, usage.output ?? estimate(reply.text), price));
      return reply;
    } catch (error) {
      const failure = error instanceof ModelError ? error : undefined;
      end(failure?.class ?? "invalid", failure?.code ?? "unknown", isRefused(failure) ? NOTHING : reserve);
      throw error;
    }
  };

  return Object.freeze({
    budget,
    rows,
    totals: () => totalsOf(rows),
    of: (model: Model, about: Metered = {}) => wrapped(model, (request, options = {}) => metered(model, request, options, about)),
  });
}

/** A provider that answers with an error status made nothing that it could ask money for; of any other failure nobody knows. */
function isRefused(failure: ModelError | undefined): boolean {
  if (failure === undefined || failure.code === "too-long") return false;
  return failure.code.startsWith("http-") || failure.class === "auth" || failure.class === "invalid" || failure.class === "overflow";
}

/** The input of a request in tokens, estimated. */
export function inputEstimate({ system, messages }: ModelRequest): Tokens {
  const texts = [...(system === undefined ? [] : [system]), ...messages.map(({ text }) => text)];
  return texts.reduce((tokens, text) => tokens + estimate(text) + FRAME, 0);
}

/** USD by the price, undefined where anything that it takes is not known. Input whose cached part is not known counts as not cached. */
function costOf({ input, cacheRead = 0, output }: ModelUsage, price: ModelPrice | undefined): number | undefined {
  if (input === undefined || output === undefined || price?.input == null || price.output == null) return undefined;
  const fresh = Math.max(0, input - cacheRead);
  return (fresh * price.input + cacheRead * (price.cacheRead ?? price.input) + output * price.output) / 1e6;
}

function amountOf(input: Tokens, output: Tokens, price: ModelPrice | undefined, cacheRead?: Tokens): Amount {
  return { tokens: input + output, usd: costOf({ input, cacheRead, output }, price) ?? 0 };
}

function sum(one: Amount, other: Amount, sign: 1 | -1 = 1): Amount {
  return { tokens: one.tokens + sign * other.tokens, usd: one.usd + sign * other.usd };
}

/** @throws ModelError of class `budget` where the next call might take more than is left. */
function refuseOver(budget: Budget, used: Amount, next: Amount, { model, price }: { readonly model: string; readonly price: ModelPrice | undefined }): void {
  if (budget.usd !== undefined && (price?.input == null || price.output == null))
    throw new ModelError(
      "budget",
      "no-price",
      `A budget of ${budget.usd} USD cannot be kept with ${model}, whose price is not known. Set its price per million tokens, or take the budget out.`,
    );
  if (budget.tokens !== undefined && used.tokens + next.tokens > budget.tokens)
    throw overBudget("budget-tokens", `${budget.tokens} tokens`, `${used.tokens}`, `${next.tokens} more`);
  if (budget.usd !== undefined && used.usd + next.usd > budget.usd)
    throw overBudget("budget-usd", `${budget.usd} USD`, used.usd.toFixed(4), `${next.usd.toFixed(4)} more`);
}

function overBudget(code: string, budget: string, used: string, next: string): ModelError {
  return new ModelError(
    "budget",
    code,
    `The budget of ${budget} is spent: ${used} used or reserved, and the next call may take ${next}. Nothing was sent. Raise the budget, or take it out.`,
  );
}

function totalsOf(rows: readonly CallRow[]): MeterTotals {
  const total = (value: (row: CallRow) => number | undefined): Sum => {
    const known = rows.map(value).filter((each) => each !== undefined);
    return { known: known.reduce((all, each) => all + each, 0), unknownCalls: rows.length - known.length };
  };
  return {
    calls: rows.length,
    failed: rows.filter(({ outcome }) => outcome !== "ok").length,
    input: total(({ input }) => input),
    cacheRead: total(({ cacheRead }) => cacheRead),
    output: total(({ output }) => output),
    cost: total(({ cost }) => cost),
  };
}
