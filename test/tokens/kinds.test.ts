// The estimator against the exact tokenizer on each kind of text that a context holds.
import { describe, expect, test } from "vitest";
import { seededTexts } from "../../bench/texts.ts";
import { estimate, exactCounter } from "../../src/tokens/index.ts";

const exact = await exactCounter();

describe("within 10 % of the exact tokenizer", () => {
  for (const seed of [7, 2026])
    test.each([...seededTexts(40_000, seed)])(`$name, seed ${seed}`, ({ text }) => {
      expect(Math.abs(estimate(text, "o200k") / exact(text) - 1)).toBeLessThan(0.1);
    });
});
