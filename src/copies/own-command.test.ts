import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ownCommand } from "./own-command.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-own-command-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const bin = join(root, "it's here", "palimpsest.js");
const byPlace = `node '${root}/it'\\''s here/palimpsest.js'`;

/** A folder with a program of our name: a link to what is given, or another program. */
function folder(name: string, target?: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  if (target === undefined) writeFileSync(join(path, "palimpsest"), "another program");
  else symlinkSync(target, join(path, "palimpsest"));
  return path;
}

mkdirSync(join(root, "it's here"));
writeFileSync(bin, "");
const ours = folder("bin", bin);
const others = folder("others");
const passing = folder("project/node_modules/.bin", bin);

test.each([
  ["nowhere on the PATH", "", byPlace],
  ["folders that are not there", `/none${delimiter}relative`, byPlace],
  ["a link to it, behind another program", [others, ours].join(delimiter), "palimpsest"],
  ["another program of that name", others, byPlace],
  ["where npm puts it for as long as it runs a command", passing, byPlace],
])("%s", (_, path, command) => {
  expect(ownCommand(path, bin)).toBe(command);
});

test("without its launcher its name is all there is to say", () => {
  expect(ownCommand("", join(root, "none.js"))).toBe("palimpsest");
});
