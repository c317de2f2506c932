import { describe, expect, test } from "vitest";
import { ConfigError } from "./error.ts";
import { isGlob } from "./glob.ts";
import { jsonValue } from "./text.ts";

function twice(text: string): readonly string[] {
  try {
    jsonValue(text, "here");
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ code, path }) => `${code} ${path}`);
  }
}

describe("a key that is written twice", () => {
  test.each([
    ['{"a":1,"a":2}', ["config-duplicate-key a"]],
    ['{"a":{"b":1,"c":[{"d":1},{"d":1}],"b":{}}}', ["config-duplicate-key a.b"]],
    ['{"a":1,"\\u0061":2,"a":3}', ["config-duplicate-key a"]],
    ['\uFEFF{"a":[{"b":1,"b":1}]}', ["config-duplicate-key a.b"]],
    ['{"a":"a\\":1,\\"a","b":{"a":"b"},"c":["a","a"],"d":[{"a":1},{"a":1}]}', []],
    ['{"a":{"b":1},"c":{"b":1},"":0}', []],
  ])("%s", (text, expected) => {
    expect(twice(text)).toEqual(expected);
  });
});

test.each([
  ["src/**/*.{ts,tsx}", true],
  ["**/[ab]*.md", true],
  ["C:\\work\\*.md", true],
  ["", false],
  ["src/[ab", false],
  ["src/{a,b", false],
  ["src/(a", false],
])("%s is a glob: %s", (glob, expected) => {
  expect(isGlob(glob)).toBe(expected);
});
