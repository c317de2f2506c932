// Compilers, type checkers and linters: each distinct message with its count and places.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { arrowOf, diagnosticOf } from "./diagnostic.ts";

describe("one message", () => {
  test.each([
    ["tsc", "src/a.ts(12,5): error TS2322: Type 'x' is not it.", "src/a.ts", "12:5", "error", "TS2322"],
    ["tsc, pretty", "src/a.ts:12:5 - error TS2322: Type 'x' is not it.", "src/a.ts", "12:5", "error", "TS2322"],
    ["tsc on Windows", "C:\\a-b\\x-1.ts(12,5): error TS2322: Type 'x' is not it.", "C:\\a-b\\x-1.ts", "12:5", "error", "TS2322"],
    ["gcc", "lib/a.c:7:3: warning: unused variable 'x' [-Wunused-variable]", "lib/a.c", "7:3", "warning", "-Wunused-variable"],
    ["clang on Windows", "C:\\a-b\\x-1.c:12:4: error: expected ';'", "C:\\a-b\\x-1.c", "12:4", "error", ""],
    ["clang", "lib/a.c:7:3: fatal error: 'x.h' file not found", "lib/a.c", "7:3", "error", ""],
    ["javac", "src/A.java:12: error: cannot find symbol", "src/A.java", "12", "error", ""],
    ["maven", "[ERROR] /srv/app/src/A.java:[12,5] cannot find symbol", "/srv/app/src/A.java", "12:5", "error", ""],
    ["kotlin", "e: file:///srv/app/A.kt:12:5 Unresolved reference: x", "/srv/app/A.kt", "12:5", "error", ""],
    ["go", "./main.go:12:5: undefined: run", "./main.go", "12:5", "error", ""],
    ["go vet", "vet: ./main.go:12:5: x declared and not used", undefined, "", "", ""],
    ["mypy", "app/a.py:12: error: Incompatible types in assignment  [assignment]", "app/a.py", "12", "error", "assignment"],
    ["ruff", "app/a.py:12:5: F401 [*] `os` imported but unused", "app/a.py", "12:5", "error", "F401"],
    ["pylint", "app/a.py:1:0: C0114: Missing module docstring (missing-module-docstring)", "app/a.py", "1:0", "warning", "C0114"],
    ["flake8", "app/a.py:12:80: E501 line too long (88 > 79 characters)", "app/a.py", "12:80", "error", "E501"],
    [
      "pyright",
      '/srv/app/a.py:12:5 - error: Import "x" could not be resolved (reportMissingImports)',
      "/srv/app/a.py",
      "12:5",
      "error",
      "reportMissingImports",
    ],
    ["biome", "src/a.ts:12:5 lint/style/useConst  FIXABLE  ━━━━━━━━", "src/a.ts", "12:5", "error", "lint/style/useConst"],
    ["rustc", "error[E0308]: mismatched types", "", "", "error", "E0308"],
    ["dotnet", "/srv/app/A.cs(12,5): error CS1002: ; expected [/srv/app/app.csproj]", "/srv/app/A.cs", "12:5", "error", "CS1002"],
    ["shellcheck", "run.sh:3:5: note: Double quote to prevent globbing. [SC2086]", "run.sh", "3:5", "note", "SC2086"],
    ["a time", "12:30:05: started", undefined, "", "", ""],
    ["a dated line", "2026-03-12 12:30:05: error: started", undefined, "", "", ""],
    ["coverage", "example.org/app/a.go:465:\t\tparse\t66.7%", undefined, "", "", ""],
    ["prose", "Note: this is 12:5, not a place", undefined, "", "", ""],
  ])("of %s", (_, line, path, place, severity, code) => {
    const found = diagnosticOf(line, "");
    if (path === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ path, place, severity, code });
  });

  test("below a heading, as ESLint writes it", () => {
    expect(diagnosticOf("  12:5  error  'x' is never used  @typescript-eslint/no-unused-vars", "/srv/app/a.ts")).toEqual({
      path: "/srv/app/a.ts",
      place: "12:5",
      severity: "error",
      code: "@typescript-eslint/no-unused-vars",
      message: "'x' is never used  @typescript-eslint/no-unused-vars",
    });
    expect(diagnosticOf("  12:5  error  'x' is never used  no-unused-vars", "")).toBeUndefined();
  });

  test("a place by itself, as rustc and Ruff write it", () => {
    expect(arrowOf("  --> src/main.rs:12:5")).toEqual({ path: "src/main.rs", place: "12:5" });
    expect(arrowOf("12 | let x = 1;")).toBeUndefined();
  });
});

function output(command: string, lines: readonly string[], status: "ok" | "error" = "error") {
  const extracted = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status });
  expect(extracted.kind).toBe("diagnostics");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("a document", () => {
  test("of tsc: counts by rule and file are exact, each distinct message stands once with its places", () => {
    const lines = Array.from({ length: 60 }, (_, at) =>
      at === 31
        ? "src/rare.ts(1,1): error TS1005: ';' expected."
        : `src/m${at % 4}.ts(${at + 10},7): error TS2339: Property 'name${at}' does not exist on type 'Shape${at % 3}'.`,
    );
    const text = output("npx tsc -p .", [...lines, "", "Found 60 errors in 5 files."]);
    expect(text).toContain("~ by rule: TS2339 59×, TS1005 1×\n  in 5 files: src/m0.ts 15×, src/m1.ts 15×, src/m2.ts 15×, src/m3.ts 14×, src/rare.ts 1×");
    expect(text).toContain(`1| ${lines[0]}\n~ messages: 60 errors\n`);
    expect(text).toContain("~ 59 like this\n");
    expect(text).toMatch(/^~ also src\/m1\.ts:11:7, src\/m2\.ts:12:7, /m);
    expect(text).toContain(`32| ${lines[31]}\n`);
    expect(text).toContain("62| Found 60 errors in 5 files.");
  });

  test("of ESLint: the path stands above, totals and warnings are kept", () => {
    const file = (name: string) => [
      `/srv/app/src/${name}.ts`,
      ...Array.from({ length: 30 }, (_, at) => `  ${at + 3}:5  warning  Unexpected console statement  no-console`),
      "  40:1  error  'unused' is defined but never used  no-unused-vars",
      "",
    ];
    const text = output("npx eslint src", [...file("first"), ...file("second"), ...file("third"), "✖ 93 problems (3 errors, 90 warnings)"]);
    expect(text).toContain("32|   40:1  error  'unused' is defined but never used  no-unused-vars\n~ 3 like this\n");
    expect(text).toContain("~ messages: 90 warnings, 3 errors\n");
    expect(text).toContain("/srv/app/src/first.ts 31×");
    expect(text).toContain("also /srv/app/src/second.ts:40:1, /srv/app/src/third.ts:40:1");
    expect(text).toContain("100| ✖ 93 problems (3 errors, 90 warnings)");
  });

  test("of rustc: the message with its place, and what could not be compiled", () => {
    const block = (at: number, of: string) => [
      `warning: unused variable: \`${of}\``,
      `  --> src/part${at}.rs:${at}:9`,
      "   |",
      `${at}  |     let ${of} = compute_the_value_of_it(${at});`,
      "   |         ^^^^^ help: if this is intentional, prefix it with an underscore",
      "",
    ];
    const lines = [
      ...Array.from({ length: 14 }, (_, at) => block(at + 1, `value${at}`)).flat(),
      "error[E0308]: mismatched types",
      "  --> src/main.rs:42:18",
      "   |",
      '42 |     let x: i32 = "a";',
      "",
      'error: could not compile `app` (bin "app") due to 1 previous error; 14 warnings emitted',
    ];
    const shown = output("cargo build", lines).split("\n");
    expect(shown).toContain("85| error[E0308]: mismatched types");
    expect(shown).toContain("86|   --> src/main.rs:42:18");
    expect(shown).toContain(`90| ${lines.at(-1)}`);
    expect(shown).toContain("~ 14 like this");
  });

  test("an error that is no compiler's is kept beside those that are, and a green end hides none", () => {
    const lines = [
      ...Array.from({ length: 30 }, (_, at) => `lib/a.c:${at + 1}:3: warning: unused variable 'v${at}' [-Wunused-variable]`),
      "/usr/bin/ld: cannot find -lmissing",
      "collect2: error: ld returned 1 exit status",
      "make: *** [Makefile:3: app] Error 1",
      ...Array.from({ length: 10 }, (_, at) => `[ ${at}/10] copying the resources of part ${at}`),
      "Build finished.",
    ];
    const shown = output("make", lines).split("\n");
    for (const number of [31, 32, 33, 44]) expect(shown).toContain(`${number}| ${lines[number - 1]}`);
  });

  test("what a search finds is a search's, not a compiler's", () => {
    const lines = Array.from({ length: 40 }, (_, at) => `docs/errors-${at}.md:${at + 1}: error TS2322: Type '${at}' is explained here`);
    expect(extract({ tool: "bash", args: { command: 'grep -rn "error TS" docs' }, text: lines.join("\n"), status: "ok" }).kind).toBe("search");
  });
});
