// Exact counts: the vocabulary's own for ordinary text, and no text that hangs.

import fc from "fast-check";
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { exactCounter } from "./exact.ts";

const AS_TEXT = { disallowedSpecial: new Set<string>() };
const count = await exactCounter();
const countOld = await exactCounter("cl100k_base");

const WORDS = [
  "readFile",
  "anId",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "===",
  "/",
  "'s",
  "12345",
  "漢字",
  "，",
  "カナ",
  "한국",
  "é",
  "e\u0301",
  "😀",
  "\ud83d",
  "<|endoftext|>",
  "\u00a0",
];
const ordinary = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(""));

describe("exactCounter", () => {
  test.each([
    ["", 0, 0],
    ["const x = readFile(path);", 7, 6],
    ["<|endoftext|>", 7, 7],
    ["<|im_start|>system", 7, 7],
    ["a lone \ud83d here", 4, 4],
    ["無法讀取設定檔", 7, 11],
  ])("%j", (text, expected, expectedOld) => {
    expect(count(text)).toBe(expected);
    expect(countOld(text)).toBe(expectedOld);
  });

  test("text with no long run counts as the vocabulary counts it", () => {
    fc.assert(
      fc.property(fc.oneof(ordinary, fc.string({ unit: "binary", maxLength: 256 })), (text) => {
        expect(count(text)).toBe(o200k(text, AS_TEXT));
        expect(countOld(text)).toBe(cl100k(text, AS_TEXT));
      }),
    );
  });

  test("Korean and Chinese of many sentences are not cut in the middle of them", () => {
    const korean = "설정 파일을 읽을 수 없습니다 ".repeat(60);
    const chinese = "无法读取配置文件，请检查路径是否正确，然后重新运行该命令。".repeat(30);
    for (const text of [korean, chinese]) expect(count(text)).toBe(o200k(text, AS_TEXT));
  });

  // Each of these is one piece to the pattern: 300 units of it are counted at once, 100,000 would take minutes.
  test.each([
    ["a", 12_500],
    [" ", 782],
    ["=", 1562],
    ["\n", 6250],
    ["漢", 100_000],
    ["😀", 50_000],
    ["\n/", 50_000],
    ["=\u0301", 100_000],
    ["'", 25_000],
    [" \u00a0", 12_500],
    ["\ud800", 12_500],
  ])("100,000 units of %j are counted at once", (unit, expected) => {
    const text = unit.repeat(100_000 / unit.length);
    expect(count(text)).toBe(expected);
    expect(countOld(text)).toBeGreaterThan(0);
  });

  test.each(["a", " ", "=", "漢", "😀", "\n/", "==\u0301", "\u0301".repeat(200) + "a".repeat(200)])(
    "%j many times: the cuts change less than one token in a hundred",
    (unit) => {
      const text = unit.repeat(Math.ceil(1200 / unit.length));
      const whole = o200k(text, AS_TEXT);
      expect(Math.abs(count(text) - whole)).toBeLessThanOrEqual(Math.max(5, whole * 0.01));
    },
  );

  test("50,000 Chinese characters without a stop, and base64 of 200,000", () => {
    const chinese = Array.from({ length: 50_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))).join("");
    expect(count(chinese)).toBe(95_000);
    let state = 7;
    const bytes = Uint8Array.from({ length: 150_000 }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state >> 16;
    });
    expect(count(Buffer.from(bytes).toString("base64"))).toBe(136_028);
  });

  test("each vocabulary is loaded once", () => {
    expect(exactCounter()).toBe(exactCounter("o200k_base"));
    expect(exactCounter("cl100k_base")).not.toBe(exactCounter());
  });
});
