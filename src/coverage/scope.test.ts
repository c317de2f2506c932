import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pieces, textOfPieces } from "../../test/vectors/condense.ts";
import { coverageTable, type Pair } from "../../test/vectors/coverage.ts";
import { checkedRatio, childOf, type Refusal, type Scope } from "./scope.ts";
import type { Span } from "./span.ts";
import { gaps, union } from "./spans.ts";

interface Vectors {
  readonly spawn: readonly {
    readonly id: string;
    readonly text: Pieces;
    readonly window: number;
    readonly ratio: number;
    readonly range: Pair;
    readonly expected: {
      readonly span?: Pair;
      readonly rest?: readonly Pair[];
      readonly error?: readonly string[];
      readonly maxLen?: number;
      readonly smallestEnd?: number;
    };
  }[];
  readonly ratios: readonly { readonly ratio: number; readonly ok: boolean }[];
  readonly halves: readonly { readonly len: number; readonly children: readonly Pair[]; readonly residue: readonly Pair[] }[];
}

const vectors = coverageTable<Vectors>("spans");

function scopeOf(text: string, windowBytes = 256, ratio = 0.5): Scope {
  return { bytes: new TextEncoder().encode(text), windowBytes, ratio };
}

function spanOf(scope: Scope, [start, end]: Pair): Span | undefined {
  const child = childOf(scope, { start, end });
  return "span" in child ? child.span : undefined;
}

function refusalOf(scope: Scope, asked: { start: unknown; end: unknown }): Refusal | undefined {
  const child = childOf(scope, asked);
  return "refusal" in child ? child.refusal : undefined;
}

function pairs(spans: readonly Span[]): Pair[] {
  return spans.map(({ start, end }) => [start, end]);
}

const accepted = vectors.spawn.filter(({ expected }) => expected.span);
const refused = vectors.spawn.filter(({ expected }) => !expected.span);

test("every row is one of the two", () => {
  expect([accepted.length, refused.length]).toEqual([12, 11]);
});

test.each(accepted)("a child: $id", ({ text, window, ratio, range, expected }) => {
  const scope = scopeOf(textOfPieces(text), window, ratio);
  const span = spanOf(scope, range);
  expect(span && [span.start, span.end]).toEqual(expected.span);
  expect(pairs(gaps(scope.bytes.length, span ? [span] : []))).toEqual(expected.rest);
});

test.each(refused)("no child: $id", ({ text, window, ratio, range: [start, end], expected }) => {
  const refusal = refusalOf(scopeOf(textOfPieces(text), window, ratio), { start, end });
  expect(expected.error).toContain(refusal?.code);
  expect(refusal?.maxLength).toBe(expected.maxLen);
  expect(refusal?.smallestEnd).toBe(expected.smallestEnd);
});

test.each(accepted)("the longest child of $id is not refused, one byte more is", ({ text, window, ratio, expected }) => {
  const scope = scopeOf("a".repeat(new TextEncoder().encode(textOfPieces(text)).length), window, ratio);
  const longest = expected.maxLen as number;
  expect(spanOf(scope, [0, longest])).toEqual({ start: 0, end: longest });
  expect(refusalOf(scope, { start: 0, end: longest + 1 })).toMatchObject({ code: "E_RATIO", maxLength: longest });
});

test.each(vectors.ratios)("ratio $ratio", ({ ratio, ok }) => {
  if (ok) expect(checkedRatio(ratio)).toBe(ratio);
  else expect(() => checkedRatio(ratio)).toThrow(`spawn ratio: expected a number above 0 and at most 0.5, found ${ratio}`);
});

test("a ratio that is no number is refused, in a scope too", () => {
  for (const ratio of [Number.NaN, "0.5", null, undefined, Number.POSITIVE_INFINITY]) expect(() => checkedRatio(ratio)).toThrow(RangeError);
  expect(() => childOf(scopeOf("a".repeat(1000), 256, 0.51), { start: 0, end: 10 })).toThrow(RangeError);
});

test.each(vectors.halves)("two halves of $len bytes and what they leave", ({ len, children, residue }) => {
  const scope = scopeOf("a".repeat(len));
  const spans = children.map((pair) => spanOf(scope, pair) as Span);
  expect(pairs(spans)).toEqual(children);
  expect(pairs(gaps(len, spans))).toEqual(residue);
});

describe("a refusal tells what would do", () => {
  test("pieces cut softly that together hold what was asked, each a legal child", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60 }), fc.constantFrom(0.5, 0.34, 0.2), fc.nat(200), (lines, ratio, start) => {
        const scope = scopeOf("日本 line of text\n".repeat(lines + 20), 64, ratio);
        const refusal = refusalOf(scope, { start, end: scope.bytes.length });
        if (refusal?.code !== "E_RATIO") return;
        const pieces = refusal.suggestions ?? [];
        for (const { start, end } of pieces) expect(spanOf(scope, [start, end])).toEqual({ start, end });
        expect(union(pieces)).toHaveLength(1);
        expect(union(pieces)[0]).toMatchObject({ end: scope.bytes.length });
        expect(Buffer.from(scope.bytes.subarray(0, pieces[0]?.end)).toString()).toMatch(/[ \n]$/);
      }),
    );
  });

  test("at segments, where some begin there", () => {
    const scope = { ...scopeOf("a".repeat(1000)), segments: [0, 480, 560, 990] };
    const suggested = (start: number) => pairs(refusalOf(scope, { start, end: 1000 })?.suggestions ?? []);
    expect(suggested(0)).toEqual([
      [0, 480],
      [480, 980],
      [980, 1000],
    ]);
    expect(suggested(100)).toEqual([
      [100, 560],
      [560, 1000],
    ]);
  });

  test("no more than sixteen, and none where a child could not hold a code point", () => {
    expect(refusalOf(scopeOf("a".repeat(10_000), 256, 0.01), { start: 0, end: 10_000 })?.suggestions).toHaveLength(16);
    expect(refusalOf(scopeOf("a".repeat(1000), 256, 0.001), { start: 0, end: 10 })).toMatchObject({ code: "E_RATIO", maxLength: 1, suggestions: [] });
  });

  test("in one sentence", () => {
    expect(refusalOf(scopeOf("a".repeat(1000)), { start: 0, end: 510 })?.message).toBe(
      "E_RATIO: expected at most 500 bytes of a scope of 1000, found 510 in [0, 510): take less, or read what is left over",
    );
    expect(refusalOf(scopeOf("日".repeat(400)), { start: 301, end: 302 })?.message).toBe(
      "E_EMPTY: no code point begins and ends in [301, 302): end at 303 or later",
    );
    expect(refusalOf(scopeOf("a".repeat(256)), { start: 0, end: 10 })?.message).toBe("E_LEAF: a scope of 256 bytes fits in one read window of 256: read it");
  });

  test("by the code of a span that is none, in a leaf too", () => {
    for (const text of ["a".repeat(1000), "a".repeat(10)]) {
      expect(refusalOf(scopeOf(text), { start: "0", end: 10 })?.code).toBe("E_NOT_INTEGER");
      expect(refusalOf(scopeOf(text), { start: 0, end: 1001 })?.code).toBe("E_OUT_OF_SCOPE");
      expect(refusalOf(scopeOf(text), { start: 5, end: 5 })).toEqual({ code: "E_EMPTY", message: expect.stringContaining("E_EMPTY") });
    }
  });
});

test("however children are chosen, a chain of them ends after no more steps than windows halve", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4000 }), fc.array(fc.nat(4000)), fc.integer({ min: 16, max: 100 }), (count, starts, windowBytes) => {
      let scope = scopeOf("a日".repeat(count), windowBytes);
      const deepest = Math.max(0, Math.ceil(Math.log2(scope.bytes.length / windowBytes)));
      let depth = 0;
      for (const asked of [...starts, ...Array.from({ length: 40 }, () => 0)]) {
        const half = Math.floor(scope.bytes.length / 2);
        const span = spanOf(scope, [asked % (half + 1), (asked % (half + 1)) + half]);
        if (!span) continue;
        depth++;
        scope = { ...scope, bytes: scope.bytes.subarray(span.start, span.end) };
      }
      expect(depth).toBeLessThanOrEqual(deepest);
      expect(refusalOf(scope, { start: 0, end: 1 })?.code).toBe("E_LEAF");
    }),
  );
});
