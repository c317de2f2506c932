import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { eager } from "../../test/build/policies.ts";
import { arbitrarySession, sessionOf } from "../../test/generate/sessions.ts";
import { allViews, lost, movedPrefixes, orphans } from "../../test/theorems/rules.ts";
import type { CondensePolicy } from "../config/index.ts";
import { itemText } from "../view/index.ts";
import { condense, PromptCache, recallHidden } from "./index.ts";

const LONG = Array.from({ length: 60 }, (_, line) => `export function handler${line}(request: Request): Response { return reply(${line}); }`).join("\n");

function folding(rollingWindow: number, every = 1, changes: Partial<CondensePolicy> = {}): CondensePolicy {
  return eager(every, { chains: { fold: true, rollingWindow }, ...changes });
}

function tasks(count: number, steps = 4): Log {
  const log = new Log();
  for (let task = 0; task < count; task++) {
    log.user(`task ${task}`);
    for (let n = 0; n < steps; n++) log.step(`c${task}.${n}`, `${task}.${n}\n${LONG}`);
    log.assistant(`done with ${task}`);
  }
  return log;
}

describe("closed chains in a session that is condensed", () => {
  test("become one block each, but the newest of the rolling window, with a line and a ref for every call", () => {
    const condensed = condense(tasks(5).session, folding(3, 0));
    const blocks = condensed.after.items.filter(({ kind, place }) => kind === "block" && place.entry.data.kind === "fold").map(itemText);
    expect(blocks).toHaveLength(2);
    for (const ref of ["t1", "t2", "t3", "t4"]) expect(blocks[0]).toMatch(new RegExp(`\\b${ref}\\b`));
    for (const ref of ["t5", "t8"]) expect(blocks[1]).toMatch(new RegExp(`\\b${ref}\\b`));
    expect(condensed.results.slice(0, 8).map(({ fate }) => fate.kind)).toEqual(Array(8).fill("folded"));
    expect(condensed.results.slice(8).some(({ fate }) => fate.kind === "folded")).toBe(false);
    expect(recallHidden(condensed)).toEqual({ checked: 20, exact: 20 });
  });

  test("are left alone where the policy folds none", () => {
    const condensed = condense(tasks(5).session, eager(0));
    expect(condensed.session.path().some(({ entry }) => entry.data.kind === "fold")).toBe(false);
  });

  test("any session: the promises of the view hold, and nothing is lost", () => {
    fc.assert(
      fc.property(arbitrarySession({ size: 30 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 4 }), (entries, window, every) => {
        const condensed = condense(sessionOf(entries), folding(window, every));
        expect(orphans(condensed.session)).toEqual([]);
        expect(movedPrefixes(condensed.session)).toEqual([]);
        expect(allViews(condensed.session).flatMap(({ place, view: shown }) => lost(condensed.session, place, shown))).toEqual([]);
        const { checked, exact } = recallHidden(condensed);
        expect(exact).toBe(checked);
      }),
      { numRuns: Number(process.env.RUNS ?? 200) },
    );
  });

  test("an epoch that folds says what it saves and costs as exactly as one that condenses", () => {
    const policy = folding(1, 3);
    const cache = new PromptCache(policy.prices);
    let held: readonly unknown[] = [];
    let compared = 0;
    let previous: number | undefined;
    condense(tasks(6).session, policy, {
      onRequest: ({ small, epoch }) => {
        const { cost } = cache.request(small);
        if (epoch && previous !== undefined) {
          const sent = new Set(held);
          const fresh = small.items.reduce((sum, { place }, at) => {
            const isNew = !sent.has(place) && place.entry.data.kind !== "fold";
            return sum + (isNew ? small.tokensUpTo(at + 1) - small.tokensUpTo(at) : 0);
          }, 0);
          const ifHeld = (small.tokens - fresh) * policy.prices.cached + fresh * policy.prices.write;
          expect(cost - ifHeld).toBeCloseTo(epoch.cost.miss, 3);
          if (epoch.folds > 0) compared += 1;
        }
        held = small.items.map(({ place }) => place);
        previous = small.tokens;
      },
    });
    expect(compared).toBeGreaterThan(2);
  });

  test("an epoch's saving is what the view shrinks by, folds and all", () => {
    const condensed = condense(tasks(5).session, folding(1, 0));
    expect(condensed.epochs).toHaveLength(1);
    expect(condensed.epochs[0]?.saving).toBe(condensed.before.tokens - condensed.after.tokens);
  });
});
