import { describe, expect, test } from "vitest";
import type { Cacheable } from "../condense/index.ts";
import { CARDS } from "../tokens/index.ts";
import { CostMeter } from "./cost.ts";
import type { OneRecall } from "./recalls.ts";

/** Messages by name, of a thousand tokens each. */
function messages(names: string): Cacheable {
  return { length: names.length, hash: (length) => names.slice(0, length), tokensUpTo: (length) => length * 1000 };
}

interface Sent {
  readonly full: string;
  readonly small: string;
  /** In seconds. */
  readonly at?: number;
  readonly rewritten?: true;
  readonly recalls?: readonly OneRecall[];
}

function costs(card: keyof typeof CARDS, requests: readonly Sent[]) {
  const meter = new CostMeter(CARDS[card]);
  for (const { full, small, at, rewritten } of requests)
    meter.request({ full: messages(full), small: messages(small) }, { lost: false, cold: false, ...(at !== undefined && { at }) }, rewritten === true);
  return meter.costs(requests.map(({ recalls }) => recalls ?? []));
}

describe("costs of a replay", () => {
  test("what stands at the front is cached, the rest is written", () => {
    const requests = [
      { full: "ab", small: "ab" },
      { full: "abc", small: "Abc", rewritten: true as const },
      { full: "abcd", small: "Abcd" },
    ];
    expect(costs("premium", requests)).toEqual({
      full: 2 * 3750 + (2 * 300 + 3750) + (3 * 300 + 3750),
      condensed: 2 * 3750 + 3 * 3750 + (3 * 300 + 3750),
      withRecalls: 2 * 3750 + 3 * 3750 + (3 * 300 + 3750),
    });
    expect(costs("flat", requests).condensed).toBe(2 * 3000 + 3 * 3000 + (3 * 300 + 3000));
  });

  test("after five minutes all is written, where the card's cache has an end", () => {
    const requests = [
      { full: "ab", small: "ab", at: 0 },
      { full: "abc", small: "abc", at: 301 },
    ];
    expect(costs("premium", requests).full).toBe(5 * 3750);
    expect(costs("flat", requests).full).toBe(2 * 3000 + 2 * 300 + 3000);
  });

  test("a recall is a request of its own, and stays until the next rewrite", () => {
    const once = { ref: "t1", tokens: 500 } as const;
    const requests: readonly Sent[] = [
      { full: "ab", small: "ab", recalls: [once] },
      { full: "abc", small: "abc", recalls: [once, { ref: "t2", tokens: 100 }] },
      { full: "abcd", small: "abcd" },
      { full: "abcde", small: "Abcde", rewritten: true },
      { full: "abcdef", small: "Abcdef", recalls: [once] },
    ];
    const { condensed, withRecalls } = costs("flat", requests);
    const first = 2000 * 0.3 + 500 * 3;
    const second = 500 * 0.3 + (3000 + 500) * 0.3 + 100 * 3;
    const third = 600 * 0.3;
    const again = 6000 * 0.3 + 500 * 3;
    expect(withRecalls - condensed).toBe(first + second + third + again);
  });

  test("what was recalled is written anew when the cache is cold", () => {
    const requests: readonly Sent[] = [
      { full: "a", small: "a", at: 0, recalls: [{ ref: "t1", tokens: 500 }] },
      { full: "ab", small: "ab", at: 1000 },
    ];
    const { condensed, withRecalls } = costs("premium", requests);
    expect(withRecalls - condensed).toBe(1000 * 0.3 + 500 * 3.75 + 500 * 3.75);
  });
});
