import { describe, expect, test } from "vitest";
import { facts } from "./words.ts";

const found = (text: string) => facts(text).map(({ what, text: token }) => `${what} ${token}`);

describe("facts of a text", () => {
  test.each<[string, string, readonly string[]]>([
    ["a path by its last three segments", "see /home/x/src/view/item.ts", ["path src/view/item.ts"]],
    ["a line number is no part of it", "at src/view/item.ts:12:7", ["path src/view/item.ts"]],
    ["one segment with a known extension", "in item.ts.", ["path item.ts"]],
    ["one segment with another extension is none", "foo.bar", []],
    ["two slashes without an extension", "src/view/items and /usr/bin", ["path src/view/items", "path usr/bin"]],
    ["words joined by one slash", "read/write and and/or", []],
    ["dots and tildes are no segments", "../../a/b.ts ~/c/d.ts", ["path a/b.ts", "path c/d.ts"]],
    ["an address", "https://example.org/docs/guide", ["path example.org/docs/guide"]],
    ["what is joined to a path is not counted again", "src/parseRange/readAll.ts", ["path src/parseRange/readAll.ts"]],
    ["hexadecimal of seven digits", "commit 0bc3d58", ["value 0bc3d58"]],
    ["hexadecimal without a digit or a letter", "deadbeef 12345678", ["value 12345678"]],
    ["hexadecimal of six digits", "0bc3d5", []],
    ["numbers of four digits", "port 8123", ["value 8123"]],
    ["years, thousands, powers of two", "2024 1999 3000 4096 65536", []],
    ["numbers of twelve digits", "123456789012 12345678901", ["value 12345678901"]],
    [
      "identifiers",
      "parseRange ParseRange parse_range MAX_SIZE HTTPServer",
      ["parseRange", "ParseRange", "parse_range", "MAX_SIZE", "HTTPServer"].map((name) => `identifier ${name}`),
    ],
    ["plain words", "Parse range IDs ABC", []],
    ["options", "--noEmit --max_count=3 -Dfoo_bar", []],
    ["the value of an option", "--out=src/gen/types.ts", ["path src/gen/types.ts"]],
    ["names that every program has", "setTimeout package.json JavaScript", []],
    ["a property is not its object", "state.isReady", ["identifier isReady"]],
    ["each once, in text order", "bRun aRun bRun", ["identifier bRun", "identifier aRun"]],
    ["data is no name", "aB".repeat(50), []],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});
