// What every extract of these kinds keeps to, over texts of each kind that were damaged.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Extract, type ExtractInput, extract } from "../index.ts";

const word = fc.constantFrom(
  "alpha",
  "readFile",
  "src/a/b.ts",
  "/etc/app/conf.d/x.ini",
  "12345",
  "deadbeef1",
  "failed",
  "ok",
  "",
  "a b",
  "漢字",
  '"q"',
  "C:\\a-b\\x.ts",
);

const json = fc
  .tuple(
    fc.jsonValue({ maxDepth: 5 }),
    fc.array(fc.record({ id: fc.nat(), name: word, state: word, error: fc.option(word) }), { maxLength: 40 }),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([value, items, blanks]) => JSON.stringify({ items, value }, null, blanks));
const patch = fc
  .array(
    fc.array(
      fc.tuple(fc.constantFrom(" ", "+", "-"), word).map((parts) => parts.join("")),
      { maxLength: 30 },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((files) =>
    files
      .map((lines, at) =>
        [`diff --git a/f${at} b/f${at}`, `--- a/f${at}`, `+++ b/f${at}`, `@@ -1,${lines.length} +1,${lines.length} @@ ctx`, ...lines].join("\n"),
      )
      .join("\n"),
  );
const table = fc
  .tuple(fc.constantFrom(",", "\t", "   ", " | "), fc.array(fc.array(word, { minLength: 3, maxLength: 3 }), { minLength: 5, maxLength: 60 }))
  .map(([sign, rows]) =>
    [["NAME", "STATUS", "COUNT"], ...(sign === " | " ? [["---", "---", "---"]] : []), ...rows].map((cells) => cells.join(sign)).join("\n"),
  );
const trace = fc
  .array(
    fc.constantFrom(
      "Error: it broke",
      "    at run (/app/src/main.js:10:5)",
      "    at node:internal/x:1:2",
      "Caused by: java.io.IOException: no",
      "\t... 12 more",
      "Traceback (most recent call last):",
      '  File "/app/x.py", line 3, in f',
      "    f()",
      "KeyError: 1",
      "goroutine 1 [running]:",
      "main.f(0x1)",
      "\t/app/x.go:1 +0x1",
      "panic: no",
      "   0: app::run",
      "             at ./src/run.rs:9:5",
      "thread 'main' panicked at src/main.rs:4:5:",
      "",
    ),
    { maxLength: 80 },
  )
  .map((lines) => lines.join("\n"));
const listing = fc
  .array(
    fc.tuple(fc.constantFrom("-rw-r--r--  1 a b 1200 Dec 17 20:54 ", "drwxr-xr-x  1 a b 64 Dec 17 20:54 ", "├── ", "│   ├── ", "4.0K\t./", "./x/y:"), word),
    { maxLength: 80 },
  )
  .map((lines) => lines.map((parts) => parts.join("")).join("\n"));
const prose = fc
  .array(fc.constantFrom("# Head", "## Part", "This is a long sentence about many things that are said in a document.", "- an item", "```ts", "```", ""), {
    maxLength: 80,
  })
  .map((lines) => lines.join("\n"));

const text = fc
  .tuple(
    fc.oneof(json, patch, table, trace, listing, prose),
    fc.constantFrom("", "Chunk ID: 1\nOutput:\n", "\n"),
    fc.constantFrom("", "\n[Showing lines 1-300 of 900]", "\nCommand exited with code 1"),
    fc.option(fc.nat()),
  )
  .map(([body, head, tail, cut]) => head + (cut === null ? body : body.slice(0, cut % (body.length + 1))) + tail);
const input: fc.Arbitrary<ExtractInput> = fc.record({
  tool: fc.constantFrom("bash", "Read", "mcp__x__y"),
  args: fc.constantFrom(
    undefined,
    { command: "git diff" },
    { command: "du -h" },
    { command: "kubectl get pods" },
    { file_path: "/a/x.csv" },
    { file_path: "/a/x.json" },
    { path: "a.patch" },
  ),
  text,
  status: fc.constantFrom("ok" as const, "error" as const),
});

function expectKept(given: string, extracted: Extract): void {
  if (extracted.whole) {
    expect(extracted.text).toBe(given);
    return;
  }
  expect(Buffer.byteLength(extracted.text)).toBeLessThan(Buffer.byteLength(given));
  const lines = given.split("\n");
  for (const shown of extracted.text.split("\n")) {
    const match = /^(\d+)\| (.*)$/s.exec(shown);
    if (match) expect(lines[Number(match[1]) - 1]?.startsWith((match[2] as string).replace(/…$/, ""))).toBe(true);
    else expect(shown, "a made line without a mark").toMatch(/^(?:~ | {2}|…$|ids: )/);
  }
}

describe("every extract", () => {
  test("is smaller or the input itself, verbatim at its line numbers, and the same each time", () => {
    fc.assert(
      fc.property(input, fc.option(fc.integer({ min: 20, max: 1500 }), { nil: undefined }), (given, budget) => {
        const options = budget === undefined ? { short: 0 } : { budget, short: 0 };
        const extracted = extract(given, options);
        expectKept(given.text, extracted);
        expect(extract(given, options)).toEqual(extracted);
        expect(extracted.text).not.toMatch(/undefined|NaN|\[object/);
      }),
      { numRuns: 600 },
    );
  });

  test.each([
    ["a diff with one endless line", `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+${"word readFile ".repeat(75_000)}`],
    ["a hunk that promises more than comes", "--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n+a"],
    ["file heads without files", "--- a\n+++ b\n".repeat(10_000)],
    ["a heading of 2,000 columns", `NAME   ${"A   ".repeat(2000)}\n${`${"x   ".repeat(2000)}\n`.repeat(20)}`],
    ["a row of 20,000 commas", `a,b,c${",d".repeat(20_000)}\n${`1,2,3${",4".repeat(20_000)}\n`.repeat(10)}`],
    ["bars alone", `${"|".repeat(100_000)}\n|---|\n${"| a | b |\n".repeat(1000)}`],
    ["open quotes in a table", `a,b,c\n${'"1,2,3\n'.repeat(10_000)}`],
    ["a tree of 120 levels", Array.from({ length: 1000 }, (_, at) => `${"│   ".repeat(Math.min(at, 120))}├── n${at}`).join("\n")],
    ["a trace without end", "Error: x\n    at a (/b/c.js:1:2)\n    at node:internal\n".repeat(5000)],
    ["headings alone", "# Head\n".repeat(1000) + "This is a long sentence about many things that are said in a document.\n".repeat(1000)],
    [
      "a thousand errors in JSON",
      JSON.stringify(Array.from({ length: 1000 }, (_, at) => ({ error: `it broke at ${"abcdefghij".charAt(at % 10)}${at} and again` }))),
    ],
  ])("holds for %s", (_, hostile) => {
    for (const status of ["ok", "error"] as const) {
      const extracted = extract({ tool: "bash", args: { command: "x" }, text: hostile, status });
      expect(extracted.text.length).toBeLessThan(extracted.whole ? hostile.length + 1 : 20_000);
      if (!extracted.whole) expect(Buffer.byteLength(extracted.text)).toBeLessThan(Buffer.byteLength(hostile));
    }
  });
});
