import fc from "fast-check";
import { expect, test } from "vitest";
import { coverageTable, type Pair } from "../../test/vectors/coverage.ts";
import { SpanError } from "./span.ts";
import { gaps } from "./spans.ts";
import { checkUtf8, floorTo, nextStart, snapped } from "./utf8.ts";

interface Vectors {
  readonly floor: readonly { readonly id: string; readonly text: string; readonly bytes: number; readonly expected: readonly number[] }[];
  readonly sharedCuts: readonly {
    readonly id: string;
    readonly text: string;
    readonly cuts: readonly number[];
    readonly expected: { readonly spans: readonly Pair[]; readonly texts: readonly string[] };
  }[];
}

const vectors = coverageTable<Vectors>("spans");

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The spans between neighbouring cuts of a text, snapped; those that are empty left out. */
function cutAt(bytes: Uint8Array, cuts: readonly number[]) {
  const edges = [0, ...cuts, bytes.length];
  return edges.slice(1).flatMap((end, i) => ((edges[i] as number) < end ? (snapped(bytes, { start: edges[i] as number, end }) ?? []) : []));
}

test.each(vectors.floor)("the code point at or before each byte: $id", ({ text, bytes, expected }) => {
  expect(encoded(text)).toHaveLength(bytes);
  expect(Array.from({ length: bytes + 1 }, (_, i) => floorTo(encoded(text), i))).toEqual(expected);
});

test.each(vectors.sharedCuts)("shared cuts: $id", ({ text, cuts, expected }) => {
  const bytes = encoded(text);
  const spans = cutAt(bytes, cuts);
  expect(spans.map(({ start, end }) => [start, end])).toEqual(expected.spans);
  expect(spans.map(({ start, end }) => decoded(bytes.subarray(start, end)))).toEqual(expected.texts);
});

test("spans between any cuts leave no gap, overlap nowhere and decode", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.array(fc.nat(160)), (text, places) => {
      const bytes = encoded(text);
      const cuts = places.filter((place) => place <= bytes.length).sort((a, b) => a - b);
      const spans = cutAt(bytes, cuts);
      expect(gaps(bytes.length, spans)).toEqual([]);
      expect(spans.map(({ start, end }) => decoded(bytes.subarray(start, end))).join("")).toBe(decoded(bytes));
    }),
  );
});

test("the next code point behind a byte, and at the end the end", () => {
  const bytes = encoded("a日🚀");
  expect([0, 1, 2, 3, 4, 5, 7].map((at) => nextStart(bytes, at))).toEqual([1, 4, 4, 4, 8, 8, 8]);
  expect(nextStart(bytes, 8)).toBe(8);
});

test("a place outside the text is an error", () => {
  expect(() => floorTo(encoded("abc"), 4)).toThrow("E_OUT_OF_SCOPE");
  expect(() => floorTo(encoded("abc"), -1)).toThrow("E_NEGATIVE");
  expect(() => snapped(encoded("abc"), { start: 1, end: 4 })).toThrow(SpanError);
});

test.each([
  ["a byte that begins nothing", [0x61, 0x62, 0xff, 0x63], 2],
  ["a code point without its end", [0x61, 0xe6, 0x97], 1],
  ["an end without its beginning", [0x61, 0x62, 0x80, 0x63], 1],
  ["half of a surrogate pair", [0x61, 0x62, 0x63, 0xed, 0xa0, 0x80], 3],
])("bytes that are no text are found: %s", (_, bytes, from) => {
  const lead = encoded("日本".repeat(500));
  expect(() => checkUtf8(Uint8Array.from([...lead, ...bytes]))).toThrow(`E_NOT_UTF8: from byte ${lead.length + from} on`);
});

test("any text is UTF-8", () => {
  for (const text of ["", "a", "\u{10ffff}", "\ufeffx", "日\0"]) expect(() => checkUtf8(encoded(text))).not.toThrow();
});
