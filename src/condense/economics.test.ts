import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../config/index.ts";
import { openSession } from "../formats/index.ts";
import type { Place } from "../session/index.ts";
import type { PriceCard } from "../tokens/index.ts";
import { type Cacheable, condense, costOf, PromptCache, type RequestSeen } from "./index.ts";

interface Vectors {
  readonly cards: Readonly<Record<string, PriceCard>>;
  readonly cases: readonly {
    readonly name: string;
    readonly requests: readonly { readonly at: number; readonly adds: readonly number[] }[];
    readonly epochs: readonly { readonly request: number; readonly changes: readonly (readonly [number, number])[] }[];
    readonly expect: Readonly<Record<string, Expected>>;
  }[];
}
interface Expected {
  readonly epochs: readonly {
    readonly firstChanged: number;
    readonly invalidatedBytes: number;
    readonly rewrittenBytes: number;
    readonly cache: string;
    readonly missCost: number;
    readonly savingPerRequest: number;
    readonly paysAfterRequests: number | null;
  }[];
  readonly cache: Readonly<Record<string, number>>;
  readonly perRequestFull: readonly number[];
  readonly perRequestCondensed: readonly number[];
}

const vectors = JSON.parse(readFileSync(new URL("../../test/vectors/condense/epochs.json", import.meta.url), "utf8")) as Vectors;

/** Messages by their bytes; a message that an epoch changed has another name. */
class Messages implements Cacheable {
  readonly #all: readonly { readonly name: string; readonly bytes: number }[];
  constructor(all: readonly { readonly name: string; readonly bytes: number }[]) {
    this.#all = all.slice();
  }
  get length(): number {
    return this.#all.length;
  }
  hash(length: number): string {
    return this.#all
      .slice(0, length)
      .map(({ name }) => name)
      .join();
  }
  bytesUpTo(length: number): number {
    return this.#all.slice(0, length).reduce((sum, { bytes }) => sum + bytes, 0);
  }
  tokensUpTo(length: number): number {
    return this.bytesUpTo(length) / 4;
  }
}

function close(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [index, value] of expected.entries()) expect(actual[index]).toBeCloseTo(value, 3);
}

describe.each(Object.keys(vectors.cards))("epochs at the price card %s", (name) => {
  const card = vectors.cards[name] as PriceCard;

  test.each(vectors.cases)("$name", ({ requests, epochs, expect: all }) => {
    const expected = all[name] as Expected;
    const [full, condensed] = [new PromptCache(card), new PromptCache(card)];
    const small: { name: string; bytes: number }[] = [];
    const whole: { name: string; bytes: number }[] = [];
    const costs = { full: [] as number[], condensed: [] as number[] };
    const rewrites = { warm: 0, cold: 0 };
    const returns: unknown[] = [];
    let sent = 0;
    let before: number | undefined;
    for (const [index, { at, adds }] of requests.entries()) {
      const epoch = epochs.find(({ request }) => request === index);
      const cold = before !== undefined && card.lifetimeSeconds !== null && at - before > card.lifetimeSeconds;
      if (epoch) {
        const old = new Messages(small.slice(0, sent));
        for (const [message, bytes] of epoch.changes) small[message] = { name: `${small[message]?.name}~${index}`, bytes };
        const now = new Messages(small.slice(0, sent));
        const firstChanged = Math.min(...epoch.changes.map(([message]) => message));
        const rewritten = now.tokensUpTo(sent) - now.tokensUpTo(firstChanged);
        const saving = old.tokensUpTo(sent) - now.tokensUpTo(sent);
        returns.push({
          firstChanged,
          invalidatedBytes: old.bytesUpTo(sent) - old.bytesUpTo(firstChanged),
          rewrittenBytes: rewritten * 4,
          ...costOf({ rewritten, saving, cold }, card),
        });
      }
      for (const bytes of adds) {
        small.push({ name: `m${small.length}`, bytes });
        whole.push({ name: `m${whole.length}`, bytes });
      }
      costs.full.push(full.request(new Messages(whole), { at }).cost);
      const seen = condensed.request(new Messages(small), { at });
      costs.condensed.push(seen.cost);
      if (epoch) rewrites[seen.cold ? "cold" : "warm"] += 1;
      sent = small.length;
      before = at;
    }
    close(costs.full, expected.perRequestFull);
    close(costs.condensed, expected.perRequestCondensed);
    const total = (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0);
    expect({ requests: requests.length, warmRewrites: rewrites.warm, coldRewrites: rewrites.cold }).toEqual({
      requests: expected.cache.requests,
      warmRewrites: expected.cache.warmRewrites,
      coldRewrites: expected.cache.coldRewrites,
    });
    close([total(costs.full), total(costs.condensed)], [expected.cache.costFull as number, expected.cache.costCondensed as number]);
    expect(returns).toHaveLength(expected.epochs.length);
    for (const [index, { missCost, savingPerRequest, cache, paysAfterRequests, firstChanged, invalidatedBytes, rewrittenBytes }] of expected.epochs.entries()) {
      const made = returns[index] as Record<string, number>;
      expect(made).toMatchObject({ cache, paysAfterRequests, firstChanged, invalidatedBytes, rewrittenBytes });
      close([made.miss as number, made.savingPerRequest as number], [missCost, savingPerRequest]);
    }
  });
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const recordings = ["pi", "claude-code"].flatMap((agent) =>
  existsSync(join(corpus, agent)) ? readdirSync(join(corpus, agent)).map((name) => join(agent, name)) : [],
);
if (recordings.length === 0) console.warn("SKIPPED: the recordings that predicted costs are compared on are not there");

describe("what an epoch predicts is what the next request costs more", () => {
  test.each([...recordings.map((name) => join(corpus, name)), fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url))])(
    "%s",
    async (path) => {
      const { session, close: done } = await openSession(path);
      const policy = DEFAULT_POLICY.condense;
      const cache = new PromptCache(policy.prices);
      let compared = 0;
      let held: RequestSeen | undefined;
      condense(
        session,
        { ...policy, triggers: { ...policy.triggers, everyRequests: 5, finalReply: 3, coldCache: 2, minSaving: 200, minContext: 0 } },
        {
          onRequest: (request) => {
            const { small, epoch, time, cold } = request;
            const simulated = cache.request(small, { at: time === undefined ? undefined : time / 1000, lost: cold });
            if (epoch && held) {
              // Had the changed messages been in the cache, as far as the request before held them:
              const sent = small.tokensUpTo(small.length) - newTokens(held, request);
              const ifHeld = simulated.cold ? simulated.cost : sent * policy.prices.cached + (small.tokens - sent) * policy.prices.write;
              const more = simulated.cost - ifHeld;
              // Where the host compacted at the same request, that cost is not the epoch's.
              if (hostChanged(held.place, request.place)) expect(epoch.cost.miss).toBeLessThanOrEqual(more);
              else expect(more).toBeCloseTo(epoch.cost.miss, 3);
              expect(epoch.cost.cache).toBe(simulated.cold ? "cold" : "warm");
              compared += 1;
            }
            held = request;
          },
        },
      );
      if (session.size > 300) expect(compared).toBeGreaterThan(0);
      done();
    },
  );
});

function hostChanged(after: Place, before: Place): boolean {
  for (let at = before.parent; at && at !== after; at = at.parent) if (at.entry.data.kind === "epoch" && at.entry.data.cause === "host") return true;
  return false;
}

/** Tokens of what came after the request before: its answer, the results, the user's next message, and the blocks of epochs. */
function newTokens(before: RequestSeen, now: RequestSeen): number {
  const sent = new Set(before.small.items.map(({ place }) => place));
  return now.small.items.reduce((sum, item, index) => (sent.has(item.place) ? sum : sum + now.small.tokensUpTo(index + 1) - now.small.tokensUpTo(index)), 0);
}
