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

describe("what a terminal drew over", () => {
  const texts = (raw: string) => normalise(raw).map(({ number, last, text, frames }) => `${number}-${last}${frames ? "*" : ""} ${text}`);
  const ESCAPE = "\u001b";

  test.each([
    ["a spinner, each state on a line", "⠋ building\n⠙ building\n⠹ building\n✔ built\n", ["1-2* ⠋ building", "3-3 ⠹ building", "4-4 ✔ built"]],
    ["a spinner that goes back to the first column", `${ESCAPE}[1G${ESCAPE}[0K⠋ a${ESCAPE}[1G${ESCAPE}[0K⠙ b\nend`, ["1-1 ⠙ b", "2-2 end"]],
    ["git's counts", "Receiving objects:  10% (1/10)\rReceiving objects: 100% (10/10), done.\n", ["1-1 Receiving objects: 100% (10/10), done."]],
    [
      "a bar, each state on a line",
      [10, 40, 70, 90, 100].map((at) => `part: ${at}% [${"=".repeat(at / 10)}>] ${at} kB`).join("\n"),
      ["1-4* part: 10% [=>] 10 kB", "5-5 part: 100% [==========>] 100 kB"],
    ],
    [
      "a bar that its colours cut from its bracket",
      [1, 2, 3, 4, 5].map((at) => `[${ESCAPE}[32m${"=".repeat(at)}${ESCAPE}[0m${" ".repeat(5 - at)}] file`).join("\n"),
      ["1-4* [=    ] file", "5-5 [=====] file"],
    ],
    ["shares alone", "1% a\n2% a\n3% a\n4% a\n5% a", ["1-4* 1% a", "5-5 5% a"]],
    ["shares that do not only grow", "cpu 1: 45%\ncpu 2: 12%\ncpu 3: 80%\ncpu 4: 7%", ["1-1 cpu 1: 45%", "2-2 cpu 2: 12%", "3-3 cpu 3: 80%", "4-4 cpu 4: 7%"]],
    [
      "a block that is drawn again",
      ["#1 load", "#2 run", `${ESCAPE}[2A${ESCAPE}[2K#1 loaded`, "#2 run 1s", `${ESCAPE}[1A${ESCAPE}[1A${ESCAPE}[2K#1 loaded`, "#2 ran", "end"].join("\n"),
      ["1-4* #1 load", "5-5 #1 loaded", "6-6 #2 ran", "7-7 end"],
    ],
    [
      "errors stay though they were drawn over",
      ["error: disk is full", "10%", `${ESCAPE}[2A${ESCAPE}[2K20%`].join("\n"),
      ["1-1 error: disk is full", "2-2* 10%", "3-3 20%"],
    ],
    ["an error before a carriage return", "10%\rerror: disk is full\r100%\nend", ["1-1 error: disk is full ⏎ 100%", "2-2 end"]],
  ])("%s", (_, raw, shown) => expect(texts(raw)).toEqual(shown));

  test("still covers every line once, in order, whatever moves the cursor", () => {
    const part = fc.constantFrom(
      "a",
      "⠋ x",
      "⠙ x",
      "10%",
      "20%",
      "error: y",
      `${ESCAPE}[1A`,
      `${ESCAPE}[3A${ESCAPE}[2Kb`,
      `${ESCAPE}[99999Ac`,
      `${ESCAPE}[Fd`,
      "e\rf",
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 40 }), (parts) => {
        let next = 1;
        for (const { number, last } of normalise(`${parts.join("\n")}\n`)) {
          expect(number).toBe(next);
          next = last + 1;
        }
        expect(next).toBe(parts.length + 1);
      }),
    );
  });
});
