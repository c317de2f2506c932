// Listings keep every name below its folder, and say what is largest.
import { expect, test } from "vitest";
import { extract } from "../index.ts";

function list(lines: readonly string[]): string {
  const extracted = extract({ tool: "bash", args: { command: "ls -la skills" }, text: lines.join("\n"), status: "ok" });
  expect(extracted.kind).toBe("listing");
  return extracted.text;
}

test("a listing keeps the names and which are directories", () => {
  const text = list([
    "total 88",
    "drwxr-xr-x  14 build  staff   448 Dec 17 20:54 .",
    "drwxr-xr-x@  6 build  wheel  192 Dec 17 20:54 web-tests",
    "ls: cannot open directory 'private': Permission denied",
    ...Array.from({ length: 12 }, (_, at) => `-rw-r--r--   1 build  staff  ${at * 31}K 2025-12-17 20:54 part ${at}.txt`),
    "lrwxr-xr-x   1 build  staff    12 Dec 17 20:54 latest -> web-tests",
  ]);
  expect(text.split("\n")[0]).toBe("~ 14 entries:");
  for (const name of ["web-tests/", "part 0.txt", "part 11.txt", "latest -> web-tests"]) expect(text).toContain(name);
  expect(text).toContain("4| ls: cannot open directory 'private': Permission denied");
  expect(text).not.toContain("448");
});

test("a listing counts the names that do not fit", () => {
  const text = list(Array.from({ length: 3000 }, (_, at) => `-rw-r--r-- 1 build staff 100 Dec 17 20:54 some-generated-module-with-a-name-${at}.js`));
  const shown = text.match(/some-generated-module/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(50);
  expect(shown + Number(/and (\d+) more/.exec(text)?.[1])).toBe(3000);
});

test("a recursive listing names its folders", () => {
  const folder = (name: string) => [
    `./${name}:`,
    "total 88",
    "drwxr-xr-x  14 build  staff   448 Dec 17 20:54 .",
    ...Array.from({ length: 9 }, (_, at) => `-rw-r--r--@  1 build  staff  ${at * 3100 + 12}  2 Feb 17:35 ${name}-part-${at}.txt`),
    "",
  ];
  const text = list(["alpha", "beta", "gamma"].flatMap(folder));
  expect(text).toMatch(/^~ 27 entries:/);
  expect(text).toContain("./beta/ beta-part-0.txt beta-part-1.txt");
  expect(text).toContain("~ largest: alpha/alpha-part-8.txt 24812, beta/beta-part-8.txt 24812, gamma/gamma-part-8.txt 24812");
});

test("a tree gives its paths and its totals", () => {
  const lines = [
    "src",
    "├── cli",
    "│   ├── main.ts",
    "│   └── view",
    "│       └── list.ts",
    "├── empty/",
    ...Array.from({ length: 20 }, (_, at) => `├── module-with-a-name-${at}.ts`),
    "└── z.ts",
    "",
    "3 directories, 23 files",
  ];
  const extracted = extract({ tool: "bash", args: { command: "tree src" }, text: lines.join("\n"), status: "ok" }, { budget: 250 });
  expect(extracted.kind).toBe("listing");
  const text = extracted.text;
  expect(text).toMatch(/^~ 24 entries:/);
  expect(text).toContain("src/cli/ main.ts");
  expect(text).toContain("src/cli/view/ list.ts");
  expect(text).toContain("src/ empty/ module-with-a-name-0.ts");
  expect(text).toContain("| 3 directories, 23 files");
});

test("sizes of folders stay with their paths", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `${(at * 37) % 91}.5M\t./packages/thing-${at}/node_modules`);
  const { kind, text } = extract({ tool: "bash", args: { command: "du -h" }, text: lines.join("\n"), status: "ok" });
  expect(kind).toBe("listing");
  expect(text).toContain("thing-0/ node_modules 0.5M");
  expect(text).toContain("~ largest: thing-27/node_modules 89.5M");
});
