// The table against a plain map over the same words.
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnchorTable } from "./anchor-table.ts";
import { borrowCodes, giveBackCodes } from "./codes.ts";

test("counts each distinct span once, in order of its first place, as a map does", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.stringMatching(/^[a-c]{1,5}\d{0,3}$/), { maxLength: 40 }), { maxLength: 60 }), (texts) => {
      const table = new AnchorTable((place) => (texts[place] as string[]).join(" "), 0);
      const map = new Map<string, number>();
      for (const [place, words] of texts.entries()) {
        const text = words.join(" ");
        const codes = borrowCodes(text);
        table.open(place);
        let at = 0;
        for (const word of words) {
          const index = table.add(at, at + word.length, "identifier", codes);
          expect(index).toBe(map.has(word) ? -1 : map.size);
          map.set(word, (map.get(word) ?? 0) + 1);
          at += word.length + 1;
        }
        giveBackCodes(codes);
      }
      expect(Array.from({ length: table.size }, (_, index) => [table.text(index), table.count(index)])).toEqual([...map]);
    }),
  );
});

test("what is skipped has no class, and is not added again", () => {
  const table = new AnchorTable(() => "old new old", 0);
  const codes = Uint16Array.from("old new old", (sign) => sign.charCodeAt(0));
  table.open(0);
  table.skip(table.add(0, 3, "path", codes));
  expect(table.add(4, 7, "value", codes)).toBe(1);
  expect(table.add(8, 11, "path", codes)).toBe(-1);
  expect([table.what(0), table.what(1)]).toEqual([undefined, "value"]);
});
