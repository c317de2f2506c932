// What counts as an anchor, and what does not.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anchors, visitSpans } from "./anchors.ts";
import { editHeader } from "./edit.ts";

function found(text: string): string[] {
  return [...anchors(text)];
}

describe("anchors", () => {
  test.each([
    ["see src/store/load.ts for it", ["src/store/load.ts"]],
    ["(/code/app/src/main.js:9:3)", ["/code/app/src/main.js", "app/src/main.js", "/code/app/src/main.js:9"]],
    ["C:\\a-b\\x-1.ts:12: text", ["C:\\a-b\\x-1.ts", "C:\\a-b\\x-1.ts:12"]],
    ["\\\\server\\share\\dir\\file.txt", ["\\\\server\\share\\dir\\file.txt", "share\\dir\\file.txt"]],
    ["open package.json.", ["package.json"]],
    ["2147483648 4294967296 4294967297 34359738368 68719476735", ["4294967297", "68719476735"]],
    ["below src/extract/kinds there", ["src/extract/kinds"]],
    ["0x1a2b3c4d at .config/app/", ["0x1a2b3c4d", ".config/app/"]],
    ["call readFile or read_file, not read", ["readFile", "read_file"]],
    ["class HttpServer", ["HttpServer"]],
    ["MAX_SIZE and ERR_MODULE_NOT_FOUND", ["MAX_SIZE", "ERR_MODULE_NOT_FOUND"]],
    ["error TS2304, E0308, ENOENT", ["TS2304", "E0308", "ENOENT"]],
    ["commit 6c9a264 on port 5433", ["6c9a264", "5433"]],
    ["id 123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]],
    ["at https://example.org/a?b=c#d, now", ["https://example.org/a?b=c#d"]],
    ['the "my-branch-name" one', ["my-branch-name"]],
    ["src/theName/fileName.ts", ["src/theName/fileName.ts", "theName", "fileName"]],
  ])("of %j", (text, expected) => {
    expect(found(text).filter((anchor) => expected.includes(anchor))).toEqual(expect.arrayContaining(expected));
    for (const anchor of found(text)) expect([...expected, "load", "main"]).toContain(anchor);
  });

  test.each([
    "plain words only, and/or more",
    "in 2024 or 2025",
    "4096 bytes, 5000 rows",
    "toString forEach",
    "--no-verify -rf",
    "12:34:56",
    "some.chain.of",
    "foo(204,28)",
    "== != ->",
    "a/ /b // c",
    "ABC DEF",
  ])("none in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  test("are substrings of the text, visited in order, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom("a/b/c.ts", ":12", "C:\\", "http://", "fooBar", "'", "x_y1", "."), fc.string({ unit: "binary", maxLength: 6 })), {
          maxLength: 30,
        }),
        (parts) => {
          const text = parts.join("");
          let before = 0;
          visitSpans(text, (start, end, _, at) => {
            const anchor = text.slice(start, end);
            expect(text.includes(anchor)).toBe(true);
            expect(at).toBeGreaterThanOrEqual(before);
            before = at;
          });
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("editHeader", () => {
  const text = "The file a.ts has been updated.\n  1→const a = 1;\n";
  test("is the first line of a successful edit", () => {
    expect(editHeader({ tool: "Edit", args: {}, text, status: "ok" })).toBe("The file a.ts has been updated.");
    expect(editHeader({ tool: "write", text: "Wrote 12 bytes", status: "ok" })).toBe("Wrote 12 bytes");
  });
  test("is nothing for failures, other tools and views", () => {
    expect(editHeader({ tool: "Edit", text, status: "error" })).toBeUndefined();
    expect(editHeader({ tool: "bash", text, status: "ok" })).toBeUndefined();
    expect(editHeader({ tool: "str_replace_editor", args: { command: "view" }, text, status: "ok" })).toBeUndefined();
  });
});
