// What the requests of a replay cost at one price card: whole, condensed, and condensed with the recalls that its agent would need.
import { type Cacheable, type Cost, PromptCache } from "../condense/index.ts";
import type { Ref, Tokens } from "../session/index.ts";
import type { PriceCard } from "../tokens/index.ts";
import type { OneRecall } from "./recalls.ts";
import type { Moment } from "./times.ts";

/** Sums over all requests, in millionths of the card's currency, rounded. */
export interface Costs {
  readonly full: Cost;
  readonly condensed: Cost;
  readonly withRecalls: Cost;
}

/** One request on both sides. */
export interface BothSides {
  readonly full: Cacheable;
  readonly small: Cacheable;
}

/** A request as far as the cost of recalls depends on it. */
interface Sent {
  readonly tokens: Tokens;
  readonly cold: boolean;
  readonly rewritten: boolean;
}

/**
 * Follows both sides of a replay at one card. The cost of recalls is reckoned at the end, when it is known which needles need one:
 * each original that is recalled costs one more request, which reads the context from the cache and writes the original behind it;
 * it then stays in the context, and is paid with every later request, until the next rewrite of the prefix takes it out.
 */
export class CostMeter {
  readonly #card: PriceCard;
  readonly #full: PromptCache;
  readonly #small: PromptCache;
  readonly #sent: Sent[] = [];
  #sums = { full: 0, condensed: 0 };

  constructor(card: PriceCard) {
    this.#card = card;
    this.#full = new PromptCache(card);
    this.#small = new PromptCache(card);
  }

  request({ full, small }: BothSides, { at, lost }: Moment, rewritten: boolean): { readonly full: Cost; readonly condensed: Cost } {
    // A cache without an end of life is a reckoning without all that ends one, a change of model too.
    const when = { at, lost: lost && this.#card.lifetimeSeconds !== null };
    const fullCost = this.#full.request(full, when);
    const smallCost = this.#small.request(small, when);
    this.#sums.full += fullCost.cost;
    this.#sums.condensed += smallCost.cost;
    this.#sent.push({ tokens: smallCost.cached + smallCost.written, cold: smallCost.cold, rewritten });
    return { full: fullCost.cost, condensed: smallCost.cost };
  }

  /** `recalls`: by request, in order, what its needles need. */
  costs(recalls: readonly (readonly OneRecall[])[]): Costs {
    const { full, condensed } = this.#sums;
    return { full: Math.round(full), condensed: Math.round(condensed), withRecalls: Math.round(condensed + this.#costOfRecalls(recalls)) };
  }

  #costOfRecalls(recalls: readonly (readonly OneRecall[])[]): Cost {
    const { cached, write } = this.#card;
    const held = new Map<Ref, Tokens>();
    let heldTokens = 0;
    let cost = 0;
    for (const [index, { tokens, cold, rewritten }] of this.#sent.entries()) {
      if (rewritten) {
        held.clear();
        heldTokens = 0;
      }
      cost += heldTokens * (cold ? write : cached);
      for (const recall of recalls[index] ?? []) {
        if (held.has(recall.ref)) continue;
        cost += (tokens + heldTokens) * cached + recall.tokens * write;
        held.set(recall.ref, recall.tokens);
        heldTokens += recall.tokens;
      }
    }
    return cost;
  }
}
