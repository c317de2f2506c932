import { describe, expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import type { CallFact } from "../session/index.ts";
import { isRecall } from "./grace.ts";

function isRecallOf(tool: string, input: Record<string, unknown>): boolean {
  return isRecall(tool, new Log().call("c1", tool, input).entry.data as CallFact);
}

describe("a call reads an original back", () => {
  test.each([
    ["by the tool", "context_tree_query", { ref: "t1" }],
    ["by the tool of a server", "mcp__palimpsest__context_tree_query", { ref: "t1" }],
    ["by the command", "bash", { command: "palimpsest recall /a/b.jsonl t3" }],
    ["by npx, in a line of others", "Bash", { command: "cd /srv && npx palimpsest recall --latest t3 | head" }],
    ["by its place", "bash", { command: "node /opt/palimpsest/bin/palimpsest.js recall /a/b.jsonl t3" }],
    ["by its place in quotes", "bash", { command: "node '/opt/my tools/bin/palimpsest.js' recall '/a b.jsonl' t3" }],
    ["as words", "shell", { command: ["bash", "-lc", "palimpsest recall s.jsonl t3"] }],
    ["under another key", "exec_command", { cmd: "palimpsest recall s.jsonl b2" }],
  ])("%s", (_, tool, input) => expect(isRecallOf(tool, input)).toBe(true));

  test.each([
    ["another command of ours", "bash", { command: "palimpsest view s.jsonl" }],
    ["another program", "bash", { command: "mypalimpsest recall s.jsonl t1" }],
    ["a text that is no command", "write", { path: "notes.md", content: "palimpsest recall s.jsonl t1" }],
    ["no words", "bash", { command: 7 }],
  ])("not by %s", (_, tool, input) => expect(isRecallOf(tool, input)).toBe(false));
});
