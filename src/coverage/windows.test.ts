import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pieces, textOfPieces } from "../../test/vectors/condense.ts";
import { coverageTable, type Pair } from "../../test/vectors/coverage.ts";
import { type Span, SpanError } from "./span.ts";
import { floorTo } from "./utf8.ts";
import { readWindows } from "./windows.ts";

interface Row {
  readonly id: string;
  readonly text: Pieces;
  readonly segments: readonly number[];
  readonly window: number;
}
interface Vectors {
  readonly exact: readonly (Row & { readonly expected: readonly Pair[] })[];
  readonly firstEnd: readonly (Row & { readonly firstEnd: readonly number[] })[];
  readonly graphemes: readonly (Row & { readonly glued?: readonly number[]; readonly free?: true })[];
  readonly anything: readonly Row[];
}

const vectors = coverageTable<Vectors>("windows");

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function ends(spans: readonly Span[]): number[] {
  return spans.map(({ end }) => end);
}

/** That the windows are the text: all of it in order, none too long, each one text by itself. */
function expectWhole(bytes: Uint8Array, windows: readonly Span[], windowBytes: number): void {
  expect(windows.map(({ start }) => start)).toEqual(ends(windows).map((_, i) => windows[i - 1]?.end ?? 0));
  expect(windows.at(-1)?.end ?? 0).toBe(bytes.length);
  for (const { start, end } of windows) {
    expect(end).toBeGreaterThan(start);
    expect(end - start).toBeLessThanOrEqual(windowBytes);
  }
  const pieces = windows.map(({ start, end }) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end)));
  expect(pieces.join("")).toBe(Buffer.from(bytes).toString());
}

/** The places of the best class that lie wholly in the last tenth of a window, found one by one; empty where there is nothing soft. */
function softest(bytes: Uint8Array, earliest: number, limit: number, segments: readonly number[]): number[] {
  const text = Buffer.from(bytes).toString("latin1");
  const behind = (delimiter: string) =>
    Array.from({ length: limit - earliest + 1 }, (_, i) => earliest + i).filter(
      (at) => at - delimiter.length >= earliest && text.slice(at - delimiter.length, at) === delimiter,
    );
  const starts = segments.filter((segment) => earliest <= segment && segment <= limit);
  return [starts, behind("\n\n"), behind("\n"), behind(" ")].find((places) => places.length > 0) ?? [];
}

/** That each window but the last ends at the last soft place; where it has none, as late as it can if `plain`: no sign has several code points. */
function expectSoft(bytes: Uint8Array, windows: readonly Span[], windowBytes: number, segments: readonly number[], plain?: "plain"): void {
  for (const { start, end } of windows.slice(0, -1)) {
    const limit = start + windowBytes;
    const places = softest(bytes, Math.ceil((10 * start + 9 * windowBytes) / 10), limit, segments);
    if (places.length > 0) expect(end).toBe(places.at(-1));
    else if (plain) expect(end).toBe(floorTo(bytes, limit));
  }
}

describe.each(Object.entries(vectors).filter(([name]) => name !== "version"))("%s", (_, rows) => {
  test.each(rows as Vectors["graphemes"])("$id: the windows are the text, cut softly", ({ text, segments, window, free }) => {
    const bytes = encoded(textOfPieces(text));
    const windows = readWindows(bytes, window, segments);
    expectWhole(bytes, windows, window);
    if (!free) expectSoft(bytes, windows, window, segments);
    expect(readWindows(bytes, window, segments)).toEqual(windows);
  });
});

test.each(vectors.exact)("exactly these windows: $id", ({ text, segments, window, expected }) => {
  const windows = readWindows(encoded(textOfPieces(text)), window, segments);
  expect(windows.map(({ start, end }) => [start, end])).toEqual(expected);
});

test.each(vectors.firstEnd)("the first window ends softly: $id", ({ text, segments, window, firstEnd }) => {
  const [first] = readWindows(encoded(textOfPieces(text)), window, segments);
  expect(firstEnd).toContain(first?.end);
  expect(first?.end, "directly behind its delimiter").toBe(firstEnd.at(-1));
});

test.each(vectors.graphemes)("what belongs together stays together: $id", ({ text, segments, window, glued = [] }) => {
  const windows = readWindows(encoded(textOfPieces(text)), window, segments);
  expect(ends(windows).filter((end) => glued.includes(end))).toEqual([]);
});

const WINDOW = 20;
test.each([
  ["carriage return and line feed", `${"a".repeat(19)}\r\nb`, 19],
  ["a skin tone", `${"a".repeat(16)}👍🏽b`, 16],
  ["a flag of tags", `${"a".repeat(12)}🏴\u{e0067}\u{e0062}b`, 12],
  ["a keycap", `${"a".repeat(16)}1\u{fe0f}\u{20e3}b`, 16],
  ["the third flag of three", "🇩🇪🇫🇷🇮🇹", 16],
  ["flags behind a letter", "ab🇩🇪🇫🇷🇮🇹", 18],
  ["a space that carries a mark", `${"a".repeat(18)} \u0301b`, 18],
  ["a sign as long as the window", `${"a".repeat(10)}e${"\u0301".repeat(9)}b`, 10],
])("a cut before, not in, %s", (_, text, end) => {
  expect(readWindows(encoded(text), WINDOW)[0]).toEqual({ start: 0, end });
});

test("a sign longer than a window is cut at a code point, as late as it can be", () => {
  expect(ends(readWindows(encoded(`a${"\u0301".repeat(30)}`), WINDOW))).toEqual([19, 39, 59, 61]);
});

test("a segment that begins inside a code point begins where that does", () => {
  expect(ends(readWindows(encoded("日".repeat(20)), 30, [0, 29]))).toEqual([27, 57, 60]);
});

test("an empty line that begins before the last tenth is a line there", () => {
  const text = `${"a".repeat(35)}\n\na\n${"a".repeat(40)}`;
  expect(ends(readWindows(encoded(text), 40))).toEqual([39, 79]);
});

test("of several segments in the last tenth the last one counts, and a limit counts too", () => {
  expect(ends(readWindows(encoded("a".repeat(60)), WINDOW, [0, 18, 19, 38, 39, 59]))).toEqual([19, 39, 59, 60]);
  expect(ends(readWindows(encoded("a".repeat(60)), WINDOW, [20, 20, 25]))).toEqual([20, 40, 60]);
});

const anyText = fc
  .array(fc.constantFrom("a", " ", "\n", "\n\n", "é", "e\u0301", "日", "🚀", "🇩🇪", "👨‍👩‍👧", "word word", "\r\n"), { maxLength: 200, size: "max" })
  .map((parts) => parts.join(""));

test("any text in windows of any size is the whole text, and every window takes its share", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 90 }), fc.array(fc.nat(400)), (text, windowBytes, places) => {
      const bytes = encoded(text);
      const segments = places.filter((place) => place <= bytes.length).sort((a, b) => a - b);
      const windows = readWindows(bytes, windowBytes, segments);
      expectWhole(bytes, windows, windowBytes);
      windows.slice(0, -2).forEach(({ start }, i) => {
        expect((windows[i + 1] as Span).end - start, "two neighbours are more than nine tenths of a window").toBeGreaterThanOrEqual(
          Math.floor(0.9 * windowBytes) - 3,
        );
      });
    }),
  );
});

test("any text of plain signs is cut at the last soft place", () => {
  const plain = fc.array(fc.constantFrom("a", " ", "\n", "\n\n", "é", "日", "🚀"), { maxLength: 200, size: "max" }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(plain, fc.integer({ min: 20, max: 90 }), (text, windowBytes) => {
      const bytes = encoded(text);
      expectSoft(bytes, readWindows(bytes, windowBytes), windowBytes, [], "plain");
    }),
  );
});

test("bad input is an error that says what was expected", () => {
  const bytes = encoded("some text");
  expect(() => readWindows(bytes, 3)).toThrow("windowBytes: expected at least 4, the longest code point, found 3");
  expect(() => readWindows(bytes, Number.NaN)).toThrow(SpanError);
  expect(() => readWindows(bytes, 256, [0, 10])).toThrow("E_OUT_OF_SCOPE");
  expect(() => readWindows(bytes, 256, [4, 2])).toThrow("segments[1]: expected at least 4, the one before it, found 2");
  expect(() => readWindows(Uint8Array.of(0x61, 0xff), 256)).toThrow("E_NOT_UTF8: from byte 1 on");
});
