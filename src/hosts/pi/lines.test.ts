import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columns, fitted, oneLine, short, wrapped } from "./lines.ts";

test("a text on one line holds no control characters", () => {
  expect(oneLine("a\tb\r\nc\u001b[31m\u0000d\u200b")).toBe("a  b⏎c[31md");
});

test.each([
  ["abc", 3],
  ["é", 1],
  ["→", 1],
  ["漢字", 4],
  ["👩‍👩‍👧", 2],
])("%s takes %i columns at most", (text, expected) => {
  expect(columns(text)).toBe(expected);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdefg", 6, "abcde…"],
  ["漢字漢字", 6, "漢字…"],
  ["abc", 0, ""],
])("%s in %i columns is %s", (text, width, expected) => {
  expect(fitted(text, width)).toBe(expected);
});

describe("lines always fit", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 200 });
  test("cut", () => {
    fc.assert(fc.property(texts, fc.integer({ min: 1, max: 80 }), (text, width) => columns(fitted(text, width)) <= width));
  });
  test("parted, and nothing is left out", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 80 }), (text, width) => {
        const lines = wrapped(text, width);
        expect(lines.every((line) => columns(line) <= width)).toBe(true);
        expect(lines.join("")).toBe(text.split(/\r?\n/).map(oneLine).join(""));
      }),
    );
  });
});

test.each([
  [0, "0"],
  [949.6, "950"],
  [1000, "1k"],
  [1234, "1.2k"],
  [9960, "10k"],
  [29_400, "29k"],
  [999_600, "1M"],
  [1_300_000, "1.3M"],
])("%d is %s", (count, expected) => {
  expect(short(count)).toBe(expected);
});
