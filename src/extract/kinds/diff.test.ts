// Differences: counts and places exact, changes before context, summaries without their bars.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { normalise } from "../normalise.ts";
import { readPatch } from "./patch.ts";

function diff(lines: readonly string[], budget = 300, command = "git diff"): string {
  const extracted = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status: "ok" }, { budget });
  expect(extracted.kind).toBe("diff");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

function context(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `   unchanged line number ${at} of the surrounding code, which nobody asked for`);
}

const GIT = [
  "diff --git a/src/app/serve.ts b/src/app/serve.ts",
  "index 23786c5..b8690bb 100644",
  "--- a/src/app/serve.ts",
  "+++ b/src/app/serve.ts",
  "@@ -10,23 +10,24 @@ export function serve(options: Options) {",
  ...context(10),
  "-  const port = readPort(options);",
  "+  const port = readPort(options, fallbackPort);",
  "+  announcePort(port);",
  "--- a line that was a comment in SQL",
  ...context(11),
  "+++ a line that is one now",
  "diff --git a/old.bin b/old.bin",
  "deleted file mode 100644",
  "index 1111111..0000000",
  "Binary files a/old.bin and /dev/null differ",
  "diff --git a/src/new.ts b/src/new.ts",
  "new file mode 100644",
  "index 0000000..2222222",
  "--- /dev/null",
  "+++ b/src/new.ts",
  "@@ -0,0 +1,2 @@",
  "+export const added = 1;",
  "+export const addedToo = 2;",
  "\\ No newline at end of file",
  "diff --git a/a.ts b/b.ts",
  "similarity index 98%",
  "rename from a.ts",
  "rename to b.ts",
];

describe("a difference", () => {
  test("names each file with its counts, places and what became of it", () => {
    const text = diff(GIT, 420);
    expect(text).toContain("4| +++ b/src/app/serve.ts\n~ +3 -2, at line 10\n");
    expect(text).toContain("| diff --git a/old.bin b/old.bin\n~ +0 -0, deleted, binary\n");
    expect(text).toContain("| +++ b/src/new.ts\n~ +2 -0, new file\n");
    expect(text).toContain("| diff --git a/a.ts b/b.ts\n~ +0 -0, rename from a.ts, rename to b.ts");
  });

  test("shows what changed, neither context nor hashes", () => {
    const text = diff(GIT, 420);
    expect(text).toContain("17| +  const port = readPort(options, fallbackPort);");
    expect(text).toContain("18| +  announcePort(port);");
    expect(text).not.toContain("unchanged line");
    expect(text).not.toMatch(/23786c5|b8690bb|index /);
  });

  test("of a plain tool has names below `---` and `+++`", () => {
    const text = diff(["--- old/x.c\t2026-01-01", "+++ new/x.c\t2026-01-02", "@@ -1,8 +1,9 @@", ...context(8), "+int added_here;"], 120, "diff -u old new");
    expect(text).toContain("2| +++ new/x.c\t2026-01-02\n~ +1 -0, at line 1");
  });

  test("of a merge counts both columns of signs", () => {
    const lines = ["diff --cc x.ts", "index 1,2..3", "--- a/x.ts", "+++ b/x.ts", "@@@ -1,3 -1,3 +1,4 @@@", "  same", "- ours", " -theirs", "++both", "++more"];
    const { files } = readPatch(normalise([...lines, "", "done"].join("\n")));
    expect(files).toMatchObject([{ plus: 2, minus: 2, places: [1] }]);
  });

  test("of many files is one list with counts", () => {
    const lines = Array.from({ length: 60 }, (_, at) => [
      `diff --git a/src/part/f${at}.ts b/src/part/f${at}.ts`,
      `--- a/src/part/f${at}.ts`,
      `+++ b/src/part/f${at}.ts`,
      "@@ -1 +1,2 @@",
      " same",
      "+added",
    ]).flat();
    const text = diff(lines, 500);
    expect(text).toMatch(/^~ 60 files:/m);
    expect(text).toContain("f0.ts +1 -0");
    expect(text).toMatch(/and \d+ more: \d+ in src\/part\//);
  });

  test("keeps a commit's name, subject and total", () => {
    const head = [
      "commit 0975fbe9a3cc84",
      "Author: A <a@example.org>",
      "Date:   today",
      "",
      "    Reads the port once",
      "",
      " src/app/serve.ts | 5 ++---",
      " 1 file changed, 3 insertions(+), 2 deletions(-)",
      "",
    ];
    const text = diff([...head, ...GIT], 400, "git show");
    for (const at of [1, 5, 8]) expect(text).toContain(`${at}| ${head[at - 1]}`);
  });

  test("without its text is a list of files without bars", () => {
    const lines = Array.from({ length: 20 }, (_, at) => ` src/kinds/a-file-${at}.ts${" ".repeat(30)}| ${at + 1} ${"+".repeat(at + 1)}`);
    const total = " 20 files changed, 210 insertions(+)";
    const text = diff([...lines, total], 260, "git diff --stat");
    expect(text).toContain("a-file-3.ts 4");
    expect(text).toContain("a-file-19.ts 20");
    expect(text).not.toContain("+++");
    expect(text).toContain(`21| ${total}`);
  });

  test("is told from a test's output that shows one", () => {
    const lines = ["Running it", ...Array.from({ length: 60 }, (_, at) => `- expected ${at}\n+ received ${at}`)];
    expect(extract({ tool: "bash", args: { command: "make" }, text: lines.join("\n"), status: "ok" }).kind).not.toBe("diff");
  });
});

test("counts of added and removed lines are exact, whatever the lines hold and however often they repeat", () => {
  const body = fc.constantFrom("x", "-- x", "++ y", "", "@@ -1,2 +1,2 @@", "diff --git a/x b/x", "} ", "same");
  const line = fc.tuple(fc.constantFrom(" ", "+", "-"), body).map(([sign, text]) => sign + text);
  const file = fc.array(line, { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 5 }), (files) => {
      const count = (lines: readonly string[], signs: string) => lines.filter((each) => signs.includes(each.charAt(0))).length;
      const text = files
        .flatMap((lines, at) => [`--- a/f${at}`, `+++ b/f${at}`, `@@ -1,${count(lines, " -")} +1,${count(lines, " +")} @@`, ...lines])
        .join("\n");
      const found = readPatch(normalise(text)).files.map(({ plus, minus }) => ({ plus, minus }));
      expect(found).toEqual(files.map((lines) => ({ plus: count(lines, "+"), minus: count(lines, "-") })));
    }),
  );
});
