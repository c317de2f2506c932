import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Span, SpanError } from "./span.ts";
import { SpanSet } from "./span-set.ts";

/** The oracle: one mark for each byte. */
class Bitmap {
  readonly #bytes: Uint8Array;
  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
  }
  add({ start, end }: Span): void {
    this.#bytes.fill(1, start, end);
  }
  covers({ start, end }: Span): boolean {
    return this.#bytes.subarray(start, end).every((byte) => byte === 1);
  }
  get measure(): number {
    return this.#bytes.reduce((sum, byte) => sum + byte, 0);
  }
  spans(): Span[] {
    const spans: Span[] = [];
    for (let at = 0; at < this.#bytes.length; at++) {
      if (this.#bytes[at] !== 1) continue;
      const start = at;
      while (this.#bytes[at] === 1) at++;
      spans.push({ start, end: at });
    }
    return spans;
  }
}

function spansIn(length: number, longest: number) {
  return fc.tuple(fc.nat(length - 1), fc.integer({ min: 1, max: longest })).map(([start, size]) => ({ start, end: Math.min(length, start + size) }));
}

test("after each span the set equals a bitmap", () => {
  fc.assert(
    fc.property(fc.array(spansIn(60, 12), { maxLength: 40 }), spansIn(60, 12), (spans, probe) => {
      const [set, bitmap] = [new SpanSet(), new Bitmap(60)];
      for (const span of spans) {
        set.add(span);
        bitmap.add(span);
        expect([...set]).toEqual(bitmap.spans());
        expect(set.measure).toBe(bitmap.measure);
        expect(set.covers(probe)).toBe(bitmap.covers(probe));
      }
    }),
  );
});

describe("so many spans that they lie in several runs", () => {
  const LENGTH = 12_000;
  const small = fc.array(spansIn(LENGTH, 3), { minLength: 1500, maxLength: 2500, size: "max" });
  test("with some that swallow whole runs", () => {
    fc.assert(
      fc.property(
        small,
        fc.array(spansIn(LENGTH, 5000), { maxLength: 3 }),
        small,
        fc.array(spansIn(LENGTH, 40), { maxLength: 20 }),
        (first, long, second, probes) => {
          const [set, bitmap] = [new SpanSet(), new Bitmap(LENGTH)];
          for (const span of [...first, ...long, ...second]) {
            set.add(span);
            bitmap.add(span);
          }
          expect([...set]).toEqual(bitmap.spans());
          expect(set.measure).toBe(bitmap.measure);
          for (const probe of probes) expect(set.covers(probe)).toBe(bitmap.covers(probe));
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    ["ascending", (n: number) => n],
    ["descending", (n: number) => 9_999 - n],
    ["scattered", (n: number) => (n * 7_919) % 10_000],
  ])("%s", (_, place) => {
    const set = new SpanSet();
    for (let n = 0; n < 10_000; n++) set.add({ start: 3 * place(n), end: 3 * place(n) + 2 });
    expect(set.measure).toBe(20_000);
    expect([...set].map(({ start }) => start)).toEqual(Array.from({ length: 10_000 }, (_, n) => 3 * n));
    set.add({ start: 1, end: 29_999 });
    expect([...set]).toEqual([{ start: 0, end: 29_999 }]);
    expect(set.measure).toBe(29_999);
  });
});

test("numbers too large for a bitmap", () => {
  const set = new SpanSet();
  set.add({ start: 2 ** 52, end: Number.MAX_SAFE_INTEGER });
  set.add({ start: 0, end: 2 ** 32 });
  set.add({ start: 2 ** 32, end: 9_000_000_000 });
  expect([...set]).toEqual([
    { start: 0, end: 9_000_000_000 },
    { start: 2 ** 52, end: Number.MAX_SAFE_INTEGER },
  ]);
  expect(set.covers({ start: 2 ** 52 + 1, end: Number.MAX_SAFE_INTEGER })).toBe(true);
});

test("what is no span is refused and changes nothing", () => {
  const set = new SpanSet();
  set.add({ start: 2, end: 4 });
  for (const bad of [
    { start: 3, end: 3 },
    { start: 5, end: 1 },
    { start: Number.NaN, end: 5 },
    { start: 0, end: "5" },
  ]) {
    expect(() => set.add(bad)).toThrow(SpanError);
    expect(() => set.covers(bad)).toThrow(SpanError);
  }
  expect([...set]).toEqual([{ start: 2, end: 4 }]);
  expect(new SpanSet().covers({ start: 0, end: 1 })).toBe(false);
});
