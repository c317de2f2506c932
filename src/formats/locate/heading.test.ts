// What a session is about, by the head of its file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { assistant, lines, said, user } from "../../../test/build/claude-records.ts";
import { sessionHeading } from "../index.ts";

const folder = mkdtempSync(join(tmpdir(), "heading-"));
afterAll(() => rmSync(folder, { recursive: true }));

const header = { type: "session", version: 3, id: "s", cwd: "/" };
const typed = (id: string, text: string) => ({ type: "message", id, parentId: null, message: { role: "user", content: text } });
const command = "<command-message>review</command-message>\n<command-name>/review</command-name>";

test.each<readonly [string, string, string | undefined]>([
  ["what was typed first, on one line", lines([header, typed("a", "  Fix\n\tthe   bug \n"), typed("b", "Then go on")]), "Fix the bug"],
  ["a title that Pi recorded", lines([header, typed("a", "Fix"), { type: "session_info", id: "i", parentId: "a", name: "The bug" }]), "The bug"],
  ["the last title of several", lines([user("u", null, "Fix"), { type: "ai-title", aiTitle: "One" }, { type: "custom-title", customTitle: "Two" }]), "Two"],
  ["an empty title is none", lines([header, typed("a", "Fix"), { type: "session_info", id: "i", parentId: "a", name: " " }]), "Fix"],
  ["words behind a command", lines([user("u", null, command), user("v", "u", "Look at it")]), "Look at it"],
  ["a command where nothing else was typed", lines([user("u", null, command), assistant("a", "u", "m/q", [said("ok")])]), "/review"],
  [
    "not what the agent sends in the user's name",
    lines([user("u", null, "caveat", { isMeta: true }), user("v", "u", "<local-command-stdout>x"), user("w", "v", "Go")]),
    "Go",
  ],
  ["cut where it is long", lines([header, typed("a", "x".repeat(500))]), `${"x".repeat(199)}…`],
  ["behind a long first record", lines([{ ...header, instructions: "x".repeat(100_000) }, typed("a", "Far")]), "Far"],
  ["not behind half a megabyte", lines([{ ...header, instructions: "x".repeat(600_000) }, typed("a", "Far")]), undefined],
  ["of a file that is written", `${lines([header, typed("a", "Fix")])}{"type":"mess`, "Fix"],
  ["of no session", "# Notes\n", undefined],
  ["of an empty file", "", undefined],
])("%s", async (_, content, heading) => {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, content);
  expect(await sessionHeading(path)).toBe(heading);
});

test("a file that is not there has none", async () => {
  expect(await sessionHeading(join(folder, "nowhere.jsonl"))).toBeUndefined();
});
