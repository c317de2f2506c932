// The rule on which room imports which is itself tested: each kind of import that breaks it is planted in a copy of the tree and must be found.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A copy of what the check reads, with these files added. */
function copy(files: Readonly<Record<string, string>>, source: "with-source" | "without-source" = "with-source"): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-rooms-"));
  made.push(folder);
  for (const name of [".dependency-cruiser.mjs", "package.json", "tsconfig.json", "tsconfig.base.json"]) cpSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "src"));
  if (source === "with-source") cpSync(join(root, "src"), join(folder, "src"), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function check(folder: string): { readonly status: number | null; readonly lines: readonly string[] } {
  const run = spawnSync(process.execPath, [join(root, "tools/rooms.mjs"), folder], { encoding: "utf8" });
  return { status: run.status, lines: `${run.stdout}${run.stderr}`.split("\n") };
}

const PLANTED = {
  "a deep import": ["src/recall/planted.ts", 'export { placeBelow } from "../session/place.ts";', "room-recall"],
  "an import of a room below": ["src/session/planted.ts", 'export { view } from "../view/index.ts";', "room-session"],
  "an import of a room beside": ["src/tokens/planted.ts", 'export { openSession } from "../formats/index.ts";', "room-tokens"],
  "an import of a type alone": ["src/view/planted.ts", 'import type { Policy } from "../config/index.ts";\nexport type P = Policy;', "room-view"],
  "an import that waits": ["src/extract/planted.ts", 'export const later = () => import("../condense/index.ts");', "room-extract"],
  "a type named in an import expression": ["src/config/planted.ts", 'export type P = import("../session/index.ts").Place;', "room-config"],
  "a deep import of a type": ["src/condense/planted.ts", 'export type P = import("../session/place.ts").Place;', "room-condense"],
  "a file outside every room": ["src/planted/stray.ts", 'export { view } from "../view/index.ts";', "room-unknown"],
  "an import that leads nowhere": ["src/cli/planted.ts", 'export { gone } from "../view/gone.ts";', "unresolved"],
} as const;

describe("planted in a copy of the tree", () => {
  test("every import that breaks the rule is found, one that keeps it is not", () => {
    const files = Object.fromEntries(Object.values(PLANTED).map(([file, content]) => [file, content]));
    const fine = {
      "src/recall/fine.ts": 'import type { Place } from "../session/index.ts";\nexport { view } from "../view/index.ts";\nexport type P = Place;',
    };
    const { status, lines } = check(copy({ ...files, ...fine }));
    expect(status).toBe(1);
    for (const [kind, [file, , rule]] of Object.entries(PLANTED))
      expect(
        lines.filter((line) => line.startsWith(`${rule}: ${file} → `)),
        kind,
      ).toHaveLength(1);
    expect(lines.filter((line) => line.includes("src/recall/fine.ts"))).toEqual([]);
  });

  test("a circle of files in one room is found", () => {
    const { status, lines } = check(
      copy(
        {
          "src/tokens/one.ts": 'export { two } from "./two.ts";\nexport const one = 1;',
          "src/tokens/two.ts": 'export { one } from "./one.ts";\nexport const two = 2;',
        },
        "without-source",
      ),
    );
    expect(status).toBe(1);
    expect(lines.filter((line) => line.startsWith("no-cycle: "))).not.toEqual([]);
  });
});

test("a tree that keeps the rule passes, and the number of modules read is said", () => {
  const { status, lines } = check(
    copy({ "src/session/index.ts": "export const place = 1;", "src/view/index.ts": 'export { place } from "../session/index.ts";' }, "without-source"),
  );
  expect([status, lines[0]]).toEqual([0, "rooms: 2 modules, no import breaks the rules"]);
});

test("a check that read no module fails instead of finding nothing wrong", () => {
  const { status, lines } = check(copy({ "src/notes.txt": "no code here", "test/made.ts": "export const made = 1;" }, "without-source"));
  expect(status).toBe(1);
  expect(lines[0]).toMatch(/^rooms: no file was read/);
});

test("a checkout without src is told apart from an empty one", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-rooms-"));
  made.push(folder);
  expect(check(folder)).toMatchObject({ status: 1 });
  expect(check(folder).lines[0]).toContain("is not there");
});
