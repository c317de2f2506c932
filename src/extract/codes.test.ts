// The units of a text against the text itself.
import fc from "fast-check";
import { expect, test } from "vitest";
import { borrowCodes, giveBackCodes } from "./codes.ts";

/** The units with the two behind them. */
const expected = (text: string) => [...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)), 0, 0];
const read = (codes: Uint16Array, text: string) => [...codes.subarray(0, text.length + 2)];

test("holds each unit and two zeros, after longer texts too, halves of pairs among them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 80 }), { maxLength: 8 }), (texts) => {
      for (const text of [...texts, ...texts.map((each) => each.slice(1))]) {
        const codes = borrowCodes(text);
        expect(read(codes, text)).toEqual(expected(text));
        giveBackCodes(codes);
      }
    }),
  );
});

test.each([10, 16_382, 16_383, 20_000])("a text of %i units, and one that is borrowed meanwhile", (length) => {
  const [text, other] = ["ab\ud800".repeat(length).slice(0, length), "another text, long enough to be copied natively"];
  const codes = borrowCodes(text);
  const inner = borrowCodes(other);
  expect(read(inner, other)).toEqual(expected(other));
  giveBackCodes(inner);
  expect(read(codes, text)).toEqual(expected(text));
  giveBackCodes(codes);
  const again = borrowCodes(other);
  expect(read(again, other)).toEqual(expected(other));
  giveBackCodes(again);
});
