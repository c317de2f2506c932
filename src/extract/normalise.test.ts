// Lines as a terminal shows them, with their numbers.
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalise, plainLine } from "./normalise.ts";

describe("a line", () => {
  test.each([
    ["plain", "plain"],
    ["\u001b[1;31mred\u001b[0m text", "red text"],
    ["\u009b31mred", "red"],
    ["\u001b]0;title\u0007after", "after"],
    ["\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u001b(Bplain\u001b=", "plain"],
    ["\u001b]0;never closed", "0;never closed"],
    ["10%\r50%\r100%", "100%"],
    ["100%\r", "100%"],
    ["done\r   ", "done"],
    ["dos line\r", "dos line"],
    ["a\bab\u0000c", "abc"],
    ["tab\tstays", "tab\tstays"],
    ["\u001b", ""],
    ["\u001b[", ""],
  ])("%j is shown as %j", (raw, shown) => {
    expect(plainLine(raw)).toBe(shown);
  });

  test("loses colours as Node's own stripping does", () => {
    const part = fc.oneof(fc.constantFrom("\u001b[0m", "\u001b[38;5;12m", "\u001b[2K", "\u001b[1A"), fc.stringMatching(/^[a-zA-Z0-9 é漢]{0,12}$/));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(plainLine(parts.join(""))).toBe(stripVTControlCharacters(parts.join("")));
      }),
    );
  });
});

describe("lines", () => {
  test("are numbered as the text splits, repeats joined", () => {
    expect(normalise("a\na\r\na\n\nb\n")).toEqual([
      { number: 1, last: 3, text: "a", made: false },
      { number: 4, last: 4, text: "", made: false },
      { number: 5, last: 5, text: "b", made: false },
    ]);
  });

  test("cover every line once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "", "A1b2C3d4".repeat(10), "\u001b[1ma"), { maxLength: 30 }), (texts) => {
        let next = 1;
        for (const { number, last } of normalise(`${texts.join("\n")}\n`)) {
          expect(number).toBe(next);
          expect(last).toBeGreaterThanOrEqual(number);
          next = last + 1;
        }
        expect(next).toBe(texts.length === 0 ? 2 : texts.length + 1);
      }),
    );
  });

  test("say how often a character comes in a row", () => {
    expect(normalise(`before ${"=".repeat(300)} after`)).toEqual([{ number: 1, last: 1, text: 'before <"=" 300 times> after', made: true }]);
  });

  test("name hexadecimal and base64 by size and hash, on one line or many", () => {
    const hex = "0123456789abcdef".repeat(40);
    const base64 = Buffer.from(Array.from({ length: 640 }, (_, at) => (at * at * 31 + at * 7919) % 251)).toString("base64");
    const hash = /sha256:[0-9a-f]{8}>$/;
    expect(normalise(hex)[0]?.text).toMatch(/^<hex 640 bytes /);
    expect(normalise(hex)[0]?.text).toMatch(hash);
    const broken = `-----BEGIN-----\n${base64.replaceAll(/(.{64})/g, "$1\n")}\n-----END-----`;
    const lines = normalise(broken);
    expect(lines.map(({ text }) => text.slice(0, 12))).toEqual(["-----BEGIN--", "<base64 856 ", "-----END----"]);
    expect(lines[1]).toMatchObject({ number: 2, last: broken.split("\n").length - 1, made: true });
  });

  test("long words and paths are no data", () => {
    const path = "segment/".repeat(50);
    expect(normalise(`${path}\n${"reasonably_long_words_with_underscores_".repeat(10)}`).every(({ made }) => !made)).toBe(true);
  });
});
