// The estimator against counts of real tokenizers: o200k, and Claude's published vocabulary with its factor of 1.1.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate, type Family } from "./estimate.ts";

/** Kind, text, its tokens by o200k and by Claude's tokenizer, and how far off the estimate may be: a short text more than a long one, a short Chinese one most. */
const COUNTED: readonly (readonly [string, string, number, number, number])[] = [
  [
    "prose",
    "The reader keeps every record of the file in the order in which it was written. When a line cannot be read, it is reported with its place, and reading goes on with the next one, so that nothing else is lost.",
    47,
    52,
    0.17,
  ],
  [
    "code",
    "export function parseRange(text: string): Range | null {\n  const match = /^(\\d+)-(\\d+)$/.exec(text);\n  if (match === null) return null;\n  const start = Number(match[1]);\n  const end = Number(match[2]);\n  return start <= end ? { start, end } : null;\n}\n",
    72,
    87,
    0.17,
  ],
  [
    "listing",
    "drwxr-xr-x  4 build build  4096 Mar 12 09:14 node_modules\n-rw-r--r--  1 build build 18234 Mar 12 09:14 package-lock.json\n-rw-r--r--  1 build build  1204 Mar 11 17:02 package.json\ndrwxr-xr-x 12 build build  4096 Mar 12 08:51 src\n",
    98,
    97,
    0.17,
  ],
  [
    "grep",
    "src/reader/scan.ts:41:  const next = source.indexOf(LINE_END, offset);\nsrc/reader/scan.ts:57:    offset = next + 1;\nsrc/reader/record.ts:12:export function readRecord(source: string, offset: number): Record {\n",
    62,
    76,
    0.17,
  ],
  [
    "log",
    "2026-03-12T09:14:02.118Z INFO  worker 7 connected to queue jobs-default\n2026-03-12T09:14:02.431Z WARN  job 83112 retried (attempt 2 of 5)\n2026-03-12T09:14:03.006Z ERROR job 83112 failed: ETIMEDOUT 10.0.4.17:5432\n",
    95,
    101,
    0.17,
  ],
  [
    "json",
    '{\n  "name": "example",\n  "version": "2.4.1",\n  "scripts": { "build": "node tools/build.js", "test": "node --test" },\n  "dependencies": { "left": "^1.2.0", "right": "~3.0.4" }\n}\n',
    69,
    80,
    0.17,
  ],
  ["japanese", "設定ファイルを読み込めませんでした。パスを確認してから、もう一度実行してください。", 24, 39, 0.17],
  ["chinese", "无法读取配置文件。请检查路径是否正确,然后重新运行该命令。如果问题仍然存在,请查看日志。", 27, 31, 0.45],
];

const REPEATED: readonly (readonly [string, number])[] = [
  ["a", 12_500],
  [" ", 782],
  ["=", 1562],
  ["\n", 6250],
];

function off(estimated: number, counted: number): number {
  return Math.abs(estimated / counted - 1);
}

describe("estimate", () => {
  for (const [name, text, o200k, claude, tolerance] of COUNTED)
    test(`${name} is near its count`, () => {
      expect(off(estimate(text, "o200k"), o200k)).toBeLessThan(tolerance);
      expect(off(estimate(text, "claude"), claude)).toBeLessThan(tolerance);
    });

  for (const [char, counted] of REPEATED)
    test(`100,000 times ${JSON.stringify(char)} is near ${counted}`, () => {
      expect(off(estimate(char.repeat(100_000), "o200k"), counted)).toBeLessThan(0.05);
    });

  test("base64 costs about 0.7 tokens a character, however long", () => {
    let state = 7;
    const bytes = Uint8Array.from({ length: 150_000 }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state >> 16;
    });
    const text = Buffer.from(bytes).toString("base64");
    for (const family of ["claude", "o200k"] as Family[]) expect(off(estimate(text, family) / text.length, 0.7)).toBeLessThan(0.12);
  });

  test("a stretch of base64 leaves the text around it as it is", () => {
    const prose = "the quick brown fox jumps over the lazy dog ";
    const cipher = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY3zA5bC7dE9fG1hI3jK5lM7nO9pQ1r";
    const apart = estimate(prose) * 2 + estimate(cipher);
    expect(Math.abs(estimate(`${prose}${cipher} ${prose}`) - apart)).toBeLessThanOrEqual(3);
  });

  test("a blank before digits is a token of o200k, before a word it is none", () => {
    expect(off(estimate(" 7".repeat(100), "o200k"), 200)).toBeLessThan(0.1);
    expect(off(estimate(" go".repeat(100), "o200k"), 100)).toBeLessThan(0.1);
  });

  test("humps of a word are words of their own", () => {
    expect(estimate("anId ".repeat(10))).toBeGreaterThan(estimate("anid ".repeat(10)) + 5);
  });

  test("an empty text is 0, any other at least 1 unless it is one blank", () => {
    expect(estimate("")).toBe(0);
    fc.assert(fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => estimate(text) >= (text === " " || text === "\t" ? 0 : 1)));
  });

  test("two texts take as many tokens together as apart, but for their seam", () => {
    const word = fc.constantFrom("readFile", "x", "1234567", "  ", "\n", "===", "漢字", "カナ", "한국", "é", "😀", "path/to/file.ts", "q".repeat(40));
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.abs(estimate(`${a}\n${b}`) - estimate(a) - estimate(b))).toBeLessThanOrEqual(4);
      }),
    );
  });

  test("no text makes it slow or wrong: whatever it holds, at most three tokens a unit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 200 }), (text, times) => {
        const whole = text.repeat(times);
        expect(estimate(whole)).toBeLessThanOrEqual(whole.length * 3 + 1);
      }),
    );
  });
});
