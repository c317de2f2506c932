// What a rewritten prefix costs at a provider's prompt cache, and what it saves: one reckoning for predicting and for simulating.
import type { EpochCost, Tokens } from "../session/index.ts";
import type { PriceCard } from "../tokens/index.ts";
import { type Chained, commonFront } from "../view/index.ts";

/** Costs are millionths of the card's currency: tokens times price per million. */
export type Cost = number;

/** A request's messages as a cache sees them: a view, or anything with chained hashes and sizes of its front parts. */
export interface Cacheable extends Chained {
  /** Tokens of the first `length` messages. */
  tokensUpTo(length: number): Tokens;
}

/** What one request cost. */
export interface RequestCost {
  readonly cached: Tokens;
  readonly written: Tokens;
  readonly cost: Cost;
  /** Messages at the front that were taken from the cache. */
  readonly held: number;
  /** The cache had run out, or there was none yet. */
  readonly cold: boolean;
}

/**
 * A prompt cache that holds the messages of the previous request, by whole messages from the front.
 *
 * ```ts
 * const cache = new PromptCache(CARDS.premium);
 * cache.request(view, { at: 0 }).cost;
 * ```
 */
export class PromptCache {
  readonly #card: PriceCard;
  #last: Cacheable | undefined;
  #at: number | undefined;

  constructor(card: PriceCard) {
    this.#card = card;
  }

  /** Sends a request. `at`: seconds; absent: no time passed. `lost`: the cache is gone whatever the time, as after a change of model. */
  request(messages: Cacheable, { at, lost = false }: { readonly at?: number | undefined; readonly lost?: boolean } = {}): RequestCost {
    const cold = this.#last === undefined || lost || isCold(this.#card, this.#at, at);
    const held = cold || !this.#last ? 0 : commonFront(this.#last, messages);
    const total = messages.tokensUpTo(messages.length);
    const cached = held === 0 ? 0 : messages.tokensUpTo(held);
    this.#last = messages;
    this.#at = at ?? this.#at;
    return { cached, written: total - cached, cost: cached * this.#card.cached + (total - cached) * this.#card.write, held, cold };
  }
}

/** Whether a cache that was last used at `before` has run out at `now`, both in seconds. Where a time is not known it is taken to live. */
export function isCold({ lifetimeSeconds }: PriceCard, before: number | undefined, now: number | undefined): boolean {
  return lifetimeSeconds !== null && before !== undefined && now !== undefined && now - before > lifetimeSeconds;
}

/** What an epoch costs and gives at one price card. `rewritten`: tokens of the changed prefix, as far as it was sent before; `saving`: what each later request is smaller by. */
export function costOf(
  { rewritten, saving, cold }: { readonly rewritten: Tokens; readonly saving: Tokens; readonly cold: boolean },
  card: PriceCard,
): EpochCost {
  const miss = cold ? 0 : rewritten * (card.write - card.cached);
  const savingPerRequest = saving * card.cached;
  const paysAfterRequests = miss <= 0 ? 0 : savingPerRequest <= 0 ? null : Math.ceil(miss / savingPerRequest);
  return { cache: cold ? "cold" : "warm", miss, savingPerRequest, paysAfterRequests };
}
