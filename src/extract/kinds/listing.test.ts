// Long listings keep every name.
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
    "-rw-r--r--   1 build  staff  1,2K Dec 17  2025 odd",
    ...Array.from({ length: 12 }, (_, at) => `-rw-r--r--   1 build  staff  ${at * 31}K 2025-12-17 20:54 part ${at}.txt`),
    "lrwxr-xr-x   1 build  staff    12 Dec 17 20:54 latest -> web-tests",
  ]);
  expect(text.split("\n")[0]).toBe("~ 14 entries:");
  for (const name of ["web-tests/", "part 0.txt", "part 11.txt", "latest -> web-tests"]) expect(text).toContain(name);
  expect(text).toContain("4| -rw-r--r--   1 build  staff  1,2K");
  expect(text).not.toContain("448");
});

test("a listing counts the names that do not fit", () => {
  const text = list(Array.from({ length: 3000 }, (_, at) => `-rw-r--r-- 1 build staff 100 Dec 17 20:54 some-generated-module-with-a-name-${at}.js`));
  const shown = text.match(/some-generated-module/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(50);
  expect(shown + Number(/and (\d+) more/.exec(text)?.[1])).toBe(3000);
});
