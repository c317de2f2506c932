// Search results by file, on any system.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { hitsOf, isBarePath, splitHit } from "./hits.ts";

describe("a hit", () => {
  test.each([
    ["C:\\a-b\\x-1.ts:12:", "C:\\a-b\\x-1.ts", 12, ""],
    ["C:\\a-b\\x-1.ts:12: const a = 1;", "C:\\a-b\\x-1.ts", 12, " const a = 1;"],
    ["C:/code/x.ts:7:5:text", "C:/code/x.ts", 7, "5:text"],
    ["\\\\server\\share\\x.ts:9:text", "\\\\server\\share\\x.ts", 9, "text"],
    ["src/a.ts:12:a: 1:2", "src/a.ts", 12, "a: 1:2"],
    ["./my files/a b.ts:3:text", "./my files/a b.ts", 3, "text"],
    ["Makefile:4:all:", "Makefile", 4, "all:"],
  ])("%s", (text, path, line, rest) => {
    expect(splitHit(text)).toEqual({ path, line, text: rest });
  });

  test.each(["2026-03-12T09:14:02 INFO started", "12:34:56 started", "http://localhost:3000/a", "error: at line:12: wrong", "  key: 12: x", '{"a":1:'])(
    "%s is none",
    (text) => {
      expect(splitHit(text)).toBeUndefined();
    },
  );

  test("context lines belong to the file that a match names, dashes and all", () => {
    const lines = [
      "C:\\a-b\\x-1.ts-11-before",
      "C:\\a-b\\x-1.ts:12:match",
      "C:\\a-b\\x-1.ts-13-after - 4-5-6",
      "--",
      "/abs/src/y.ts-2-around",
      "src/y.ts:3:match",
    ];
    const { hits, others } = hitsOf(
      lines.map((text, at) => ({ number: at + 1, last: at + 1, text, made: false })),
      false,
    );
    expect(hits.map(({ path, line, text, context }) => [path, line, text, context])).toEqual([
      ["C:\\a-b\\x-1.ts", 11, "before", true],
      ["C:\\a-b\\x-1.ts", 12, "match", false],
      ["C:\\a-b\\x-1.ts", 13, "after - 4-5-6", true],
      ["src/y.ts", 2, "around", true],
      ["src/y.ts", 3, "match", false],
    ]);
    expect(others).toEqual([]);
  });

  test("lines below a heading are hits of its file", () => {
    const lines = ["src/a.ts", "3:one", "9-two", "", "src/b.ts", "4:three"];
    const { hits } = hitsOf(
      lines.map((text, at) => ({ number: at + 1, last: at + 1, text, made: false })),
      true,
    );
    expect(hits.map(({ path, line, context }) => [path, line, context])).toEqual([
      ["src/a.ts", 3, false],
      ["src/a.ts", 9, true],
      ["src/b.ts", 4, false],
    ]);
  });

  test("any path, line and text come apart as they were joined", () => {
    const segment = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const path = fc
      .tuple(
        fc.constantFrom("", "/", "./", "C:\\", "d:/", "\\\\host\\share\\"),
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(".ts", ".test.js"),
      )
      .map(([root, segments, end]) => root + segments.join(root.includes("\\") ? "\\" : "/") + end);
    fc.assert(
      fc.property(path, fc.integer({ min: 1, max: 9_999_999 }), fc.string({ maxLength: 30 }), (name, line, text) => {
        expect(splitHit(`${name}:${line}:${text}`)).toEqual({ path: name, line, text });
        expect(isBarePath(name)).toBe(true);
      }),
    );
  });
});

function search(text: string, command = "grep -rn x ."): string {
  const extracted = extract({ tool: "bash", args: { command }, text, status: "ok" });
  expect(extracted.kind).toBe("search");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("search results", () => {
  test("name each file once and keep every line number", () => {
    const lines = ["src/first/reader.ts", "src/second/writer.ts"].flatMap((path) =>
      Array.from({ length: 20 }, (_, at) => `${path}:${at * 10 + 1}:  const value${at} = readRecord(source, ${at});`),
    );
    const text = search(lines.join("\n"));
    expect(text.split("\n")[0]).toBe("~ 40 matches in 2 files:");
    expect(text.match(/src\/first\/reader\.ts/g)).toHaveLength(1);
    for (let at = 0; at < 20; at++) expect(text.match(new RegExp(`\\b${at * 10 + 1}\\b`, "g"))?.length).toBeGreaterThanOrEqual(2);
    expect(text).toContain("  src/first/reader.ts\n   1: const value0 = readRecord(source, 0);");
  });

  test("write Windows paths whole", () => {
    const text = search(Array.from({ length: 30 }, (_, at) => `C:\\a-b\\x-${at % 2}.ts:${at + 1}: const someValue = anotherValue + ${at};`).join("\n"));
    expect(text).toContain("C:\\a-b\\x-1.ts");
    expect(text).toContain("C:\\a-b\\x-0.ts");
    expect(text).toMatch(/30 matches in 2 files/);
  });

  test("take a shared root out of the paths, so that root and rest make the whole path", () => {
    const paths = Array.from({ length: 40 }, (_, at) => `/home/build/code/project/packages/core/src/part${at % 4}/module${at}.ts`);
    const text = search(paths.join("\n"), "find /home/build/code/project -name '*.ts'");
    const base = /~ 40 paths below (.*):/.exec(text)?.[1] as string;
    expect(paths[0]?.startsWith(base)).toBe(true);
    const listed = text
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [place, ...names] = line.trim().split(" ");
        return names.map((name) => `${base}${place}${name}`);
      });
    expect(new Set(listed)).toEqual(new Set(paths));
  });

  test("count what does not fit", () => {
    const paths = Array.from({ length: 3000 }, (_, at) => `generated/tree/part${at % 300}/some-longer-module-name-${at}.ts`);
    const text = search(paths.join("\n"), "find generated");
    const left = Number(/and (\d+) more: /.exec(text)?.[1]);
    const shown = text.match(/some-longer-module-name-\d+\.ts/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(50);
    expect(shown + left).toBe(3000);
  });

  test("count the files that do not fit", () => {
    const lines = Array.from({ length: 2000 }, (_, at) => `src/part${at}/module.ts:${at + 1}:  readRecord(source, ${at});`);
    const text = search(lines.join("\n"));
    const left = Number(/and (\d+) more files, not shown/.exec(text)?.[1]);
    expect((text.match(/\/module\.ts/g)?.length ?? 0) + left).toBe(2000);
    expect(text).toContain("2000 matches in 2000 files");
  });

  test("keep what a tool says beside them", () => {
    const text = search(
      `Found 60 files\n${Array.from({ length: 60 }, (_, at) => `src/part${at}/some-module.ts`).join("\n")}\n(Results are truncated.)`,
      "rg -l x",
    );
    expect(text).toContain("1| Found 60 files");
    expect(text).toContain("62| (Results are truncated.)");
  });

  test("what a compiler reports is no search", () => {
    const lines = Array.from({ length: 30 }, (_, at) => `src/main.c:${at}:3: error: unknown type name 'size_${at}'`);
    const extracted = extract({ tool: "bash", args: { command: "make" }, text: lines.join("\n"), status: "ok" });
    expect(extracted.kind).toBe("diagnostics");
    expect(extracted.text).toContain("30 like this");
  });
});
