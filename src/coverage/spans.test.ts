import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coverageTable, type Pair } from "../../test/vectors/coverage.ts";
import { type Span, SpanError } from "./span.ts";
import { SpanSet } from "./span-set.ts";
import { covers, gaps, intersect, isComplete, measure, subtract, union } from "./spans.ts";

interface Row {
  readonly id: string;
  readonly len: number;
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
  readonly expected: Readonly<Record<"union" | "gaps" | "unionBoth" | "intersect" | "subtract", readonly Pair[]>> & {
    readonly measure: number;
    readonly complete: boolean;
    readonly covers: readonly (readonly [Pair, boolean])[];
  };
}

const vectors = coverageTable<{ readonly algebra: readonly Row[]; readonly large: readonly Row[] }>("spans");

function span([start, end]: Pair): Span {
  return { start, end };
}

function pairs(spans: readonly Span[]): Pair[] {
  return spans.map(({ start, end }) => [start, end]);
}

test.each(vectors.algebra)("$id", ({ len, a: left, b: right, expected }) => {
  const [a, b] = [left.map(span), right.map(span)];
  expect({
    union: pairs(union(a)),
    measure: measure(a),
    gaps: pairs(gaps(len, a)),
    unionBoth: pairs(union(a, b)),
    intersect: pairs(intersect(a, b)),
    subtract: pairs(subtract(a, b)),
    complete: isComplete(len, a),
    covers: expected.covers.map(([probe]) => [probe, covers(a, span(probe))]),
  }).toEqual(expected);
});

test.each(vectors.large)("$id", ({ len, a: left, expected }) => {
  const a = left.map(span);
  expect({ union: pairs(union(a)), measure: measure(a), gaps: pairs(gaps(len, a)) }).toEqual(expected);
});

const LENGTH = 48;
const someSpans = fc.array(
  fc.tuple(fc.nat(LENGTH - 1), fc.integer({ min: 1, max: 10 })).map(([start, size]) => ({ start, end: Math.min(LENGTH, start + size) })),
  { maxLength: 12 },
);

/** The oracle: the bytes themselves. */
function bytesOf(spans: readonly Span[]): Set<number> {
  return new Set(spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, n) => start + n)));
}

/** That a result is in its normal form and holds just these bytes. */
function expectBytes(spans: readonly Span[], bytes: ReadonlySet<number>): void {
  expect(bytesOf(spans)).toEqual(bytes);
  spans.forEach((each, i) => {
    expect(each.start).toBeGreaterThan(spans[i - 1]?.end ?? -1);
    expect(each.end).toBeGreaterThan(each.start);
  });
}

describe("laws", () => {
  test("every operation equals that on the bytes, in sorted spans that do not touch", () => {
    fc.assert(
      fc.property(someSpans, someSpans, (a, b) => {
        const [left, right] = [bytesOf(a), bytesOf(b)];
        const all = Array.from({ length: LENGTH }, (_, n) => n);
        expectBytes(union(a, b), new Set([...left, ...right]));
        expectBytes(intersect(a, b), new Set(all.filter((n) => left.has(n) && right.has(n))));
        expectBytes(subtract(a, b), new Set(all.filter((n) => left.has(n) && !right.has(n))));
        expectBytes(gaps(LENGTH, a), new Set(all.filter((n) => !left.has(n))));
        expect(measure(a)).toBe(left.size);
        expect(isComplete(LENGTH, a)).toBe(left.size === LENGTH);
        for (const probe of b) expect(covers(a, probe)).toBe([...bytesOf([probe])].every((n) => left.has(n)));
      }),
    );
  });

  test("union is idempotent, commutative and associative", () => {
    fc.assert(
      fc.property(someSpans, someSpans, someSpans, (a, b, c) => {
        expect(union(union(a))).toEqual(union(a));
        expect(union(a, a)).toEqual(union(a));
        expect(union(a, b)).toEqual(union(b, a));
        expect(union(union(a, b), c)).toEqual(union(a, union(b, c)));
      }),
    );
  });

  test("union and gaps part the scope", () => {
    fc.assert(
      fc.property(someSpans, (a) => {
        const missing = gaps(LENGTH, a);
        expect(union(a, missing)).toEqual([{ start: 0, end: LENGTH }]);
        expect(intersect(a, missing)).toEqual([]);
        expect(measure(a) + measure(missing)).toBe(LENGTH);
        expect(gaps(LENGTH, missing)).toEqual(union(a));
      }),
    );
  });

  test("a set that grew span by span is taken like the spans themselves", () => {
    fc.assert(
      fc.property(someSpans, someSpans, (a, b) => {
        const set = new SpanSet();
        for (const each of a) set.add(each);
        const before = [...set];
        expect(gaps(LENGTH, set)).toEqual(gaps(LENGTH, a));
        expect(union(set, b)).toEqual(union(a, b));
        expect(subtract(b, set)).toEqual(subtract(b, a));
        expect([...set]).toEqual(before);
      }),
    );
  });
});

test("a scope of no bytes has no gaps and is complete", () => {
  expect(gaps(0, [])).toEqual([]);
  expect(isComplete(0, [])).toBe(true);
});

test("the whole of the largest scope", () => {
  const whole = { start: 0, end: Number.MAX_SAFE_INTEGER };
  expect(gaps(Number.MAX_SAFE_INTEGER, [whole])).toEqual([]);
  expect(subtract([whole], [{ start: 5, end: 6 }])).toEqual([
    { start: 0, end: 5 },
    { start: 6, end: Number.MAX_SAFE_INTEGER },
  ]);
});

test("nothing is clamped: a span that leaves the scope is an error, not a complete scope", () => {
  expect(() => gaps(10, [{ start: 0, end: 11 }])).toThrow("E_OUT_OF_SCOPE");
  expect(() =>
    isComplete(10, [
      { start: 0, end: 5 },
      { start: 4, end: 12 },
    ]),
  ).toThrow("E_OUT_OF_SCOPE");
  expect(() => isComplete(-1, [])).toThrow("E_NEGATIVE");
  expect(() => isComplete(Number.NaN, [])).toThrow("E_NOT_INTEGER");
  for (const operation of [union, intersect, subtract]) expect(() => operation([], [{ start: 5, end: 4 }])).toThrow(SpanError);
});
