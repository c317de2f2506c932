// Which lines tell of an error, and which of them tell of the same.
import { describe, expect, test } from "vitest";
import { isErrorLine, template } from "./errors.ts";

describe("template", () => {
  test.each([
    ["src/a.ts(12,3): error TS2304: Cannot find name 'x'.", "b/c.ts(7,11): error TS2304: Cannot find name 'longer name'."],
    ["connect to 10.0.0.1:5432 failed after 12 ms", "connect to 10.0.0.77:5433 failed after 3 ms"],
    ["cannot open C:\\a\\b.txt", "cannot open C:\\other\\..\\e.txt"],
    ["object deadbeef12 is lost", "object 00c0ffee is lost"],
    ['job "one" was lost', 'job "another one" was lost'],
  ])("is the same of %j and %j", (a, b) => {
    expect(template(a)).toBe(template(b));
  });

  test.each([
    ["error TS2304: Cannot find name 'x'.", "error TS2339: Cannot find name 'x'."],
    ["cannot open the file", "cannot close the file"],
    ["it's lost", "it's found"],
  ])("differs between %j and %j", (a, b) => {
    expect(template(a)).not.toBe(template(b));
  });
});

describe("a line that tells of an error", () => {
  test.each([
    "error: no",
    "TypeError: x is not a function",
    "npm ERR! code 1",
    "src/a.c:1:2: error: no",
    "panic: runtime",
    "bash: foo: command not found",
    "ERROR failed to load",
    "FAILED tests/a.py",
  ])("%s", (line) => {
    expect(isErrorLine(line, false)).toBe(true);
  });
  test.each(["compiling errors.ts", "src/error/index.ts", "0 errors", "the failed attempt of yesterday", "no errors found"])("not %s", (line) => {
    expect(isErrorLine(line, false)).toBe(false);
  });
  test("in the output of something that failed, weaker words count", () => {
    expect(isErrorLine("the request could not be served", true)).toBe(true);
    expect(isErrorLine("0 failed", true)).toBe(false);
  });
});
