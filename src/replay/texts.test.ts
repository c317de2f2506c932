import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textBody } from "../session/index.ts";
import { Texts } from "./texts.ts";

const piece = fc.constantFrom("ab", "abc", "b", "/", ".", "-", " ", "ts", "a_b", "\n", "é");
const made = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const token = fc
  .array(fc.constantFrom("ab", "abc", "b", "/", ".", "ts", "a_b"), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""))
  .filter((text) => /[A-Za-z0-9_]{2}/.test(text));

describe("which texts hold a token whole", () => {
  test("is what looking through all of them finds", () => {
    fc.assert(
      fc.property(fc.uniqueArray(made, { maxLength: 6 }), token, (contents, wanted) => {
        const texts = new Texts();
        const ids = contents.map((content) => texts.add(textBody(content), "text"));
        const [before, after] = [/^\w/.test(wanted) ? "(?<!\\w)" : "", /\w$/.test(wanted) ? "(?!\\w)" : ""];
        const whole = new RegExp(`${before}${wanted.replaceAll(/[./]/g, "\\$&")}${after}`);
        expect(texts.holding(wanted)).toEqual(ids.filter((id) => whole.test(contents[id] as string)));
      }),
      { numRuns: 500 },
    );
  });

  test("a text that came before keeps its number; as arguments it is another", () => {
    const texts = new Texts();
    const body = textBody('{"path":"src/a/one.ts","count":"x\\nreadAll"}');
    expect([texts.add(body, "text"), texts.add(body, "text"), texts.add(body, "input")]).toEqual([0, 0, 1]);
    expect(texts.holding("src/a/one.ts")).toEqual([0, 1]);
    expect(texts.holding("readAll")).toEqual([1]);
    expect(texts.holding("count")).toEqual([0]);
  });
});
