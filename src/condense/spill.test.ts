import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pieces, table, textOfPieces } from "../../test/vectors/condense.ts";
import { textBody } from "../session/index.ts";
import { headPreview, isSpilled, withoutHead } from "./spill.ts";

interface Sizes {
  readonly chars: number;
  readonly bytes: number;
}
interface Spill {
  readonly threshold: readonly {
    readonly id: string;
    readonly text: Pieces;
    readonly threshold: number;
    readonly expected: Sizes & { readonly spilled: boolean };
  }[];
  readonly eitherWay: readonly ({ readonly id: string; readonly text: Pieces; readonly threshold: number } & Sizes)[];
  readonly preview: readonly { readonly id: string; readonly text: Pieces; readonly maxBytes: number; readonly expected: Pieces }[];
}

const spill = table<Spill>("spill");
const withoutLineEnd = (text: string) => text.replace(/[\r\n]+$/, "");

describe("the table", () => {
  test.each(spill.threshold)("threshold: $id", ({ text, threshold, expected }) => {
    const body = textBody(textOfPieces(text));
    expect({ spilled: isSpilled(body.chars, threshold), bytes: body.bytes, chars: body.chars }).toEqual(expected);
  });

  test.each(spill.eitherWay)("units disagree: $id", ({ text, threshold, chars, bytes }) => {
    const body = textBody(textOfPieces(text));
    expect([body.chars, body.bytes]).toEqual([chars, bytes]);
    expect(isSpilled(body.chars, threshold)).toBe(false);
  });

  test.each(spill.preview)("preview: $id", ({ text, maxBytes, expected }) => {
    expect(withoutLineEnd(headPreview(textOfPieces(text), maxBytes))).toBe(withoutLineEnd(textOfPieces(expected)));
  });
});

describe("what goes wrong", () => {
  test("a text that just fits is cut at its last line end", () => {
    expect(headPreview("one\ntwo", 7)).toBe("one\ntwo");
    expect(headPreview("one\ntwo!", 7)).toBe("one");
  });

  test("half a line end stays behind", () => {
    expect(headPreview("one\r\ntwo\r\nthree", 11)).toBe("one\r\ntwo");
  });

  test("a character is cut in two", () => {
    expect(headPreview("a🚀b", 4)).toBe("a");
    expect(headPreview("a🚀b", 5)).toBe("a🚀");
    expect(headPreview("🚀🚀", 3)).toBe("");
  });
});

test("what the head shows already stands in the extract again", () => {
  expect(withoutHead("1| one\n  2| two\n…\n 90| ninety\n~ 3 lines like this", "one\ntwo")).toBe(" 90| ninety\n~ 3 lines like this");
  expect(withoutHead("1| one\n…\n90| ninety\n…", "another")).toBe("1| one\n…\n90| ninety\n…");
  expect(withoutHead("1| one", "one")).toBe("");
});

test("a preview is a prefix of at most the bytes asked for, and no shorter than it must be", () => {
  const text = fc.array(fc.constantFrom("a", "é", "日", "🚀", "\n", "\r\n", "\ud83d", "e\u0301"), { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.nat(80), (whole, maxBytes) => {
      const head = headPreview(whole, maxBytes);
      expect(Buffer.byteLength(head)).toBeLessThanOrEqual(maxBytes);
      expect(whole.startsWith(head)).toBe(true);
      const next = String.fromCodePoint(whole.codePointAt(head.length) ?? 0);
      const stoppedAtLineEnd = /^\r?\n/.test(whole.slice(head.length));
      if (head !== whole && !stoppedAtLineEnd) expect(Buffer.byteLength(head + next)).toBeGreaterThan(maxBytes);
    }),
    { numRuns: 2000 },
  );
});
