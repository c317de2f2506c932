import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type Page, pageOfBytes, pageOfLines } from "./page.ts";

function walk(text: string, limit: number, pageOf: (text: string, offset: number, limit: number) => Page, first: number): Page[] {
  const pages: Page[] = [];
  for (let offset: number | undefined = first; offset !== undefined; ) {
    const page = pageOf(text, offset, limit);
    pages.push(page);
    offset = page.next;
  }
  return pages;
}

test("pages of any size, walked through side by side, are the whole text", () => {
  const texts = fc.array(fc.constantFrom("a", "é", "日", "🚀", "\n", "\r\n"), { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 1, max: 9 }), (one, other, limit) => {
      for (const text of [one, other, one]) {
        const joined = (pages: readonly Page[]) => pages.map((page) => page.text).join("");
        expect(joined(walk(text, limit, pageOfBytes, 0))).toBe(text);
        expect(joined(walk(text, limit, pageOfLines, 1))).toBe(text);
        expect(pageOfLines(text, 2, 1).text).toBe(text.split(/(?<=\n)/)[1] ?? "");
      }
    }),
  );
});

test("each page of a large text reads all of it again", () => {
  const text = "a line of some length, and another half\n".repeat(5000);
  const encoded = vi.spyOn(Buffer, "from");
  expect(walk(text, 1000, pageOfBytes, 0)).toHaveLength(Math.ceil(text.length / 1000));
  expect(encoded).toHaveBeenCalledTimes(1);
  const looked = vi.spyOn(String.prototype, "indexOf");
  expect(walk(text, 10, pageOfLines, 1)).toHaveLength(500);
  expect(looked.mock.calls.length).toBeLessThan(3 * 5000);
});
