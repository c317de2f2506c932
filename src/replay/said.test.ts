import { describe, expect, test } from "vitest";
import { type CallFact, type MessageFact, textBody } from "../session/index.ts";
import { said } from "./said.ts";

const message = (content: string): MessageFact => ({
  kind: "message",
  role: "assistant",
  blocks: [
    { type: "thinking", body: textBody("thought_of") },
    { type: "text", body: textBody(content) },
  ],
});
const call = (input: unknown): CallFact => ({
  kind: "call",
  callId: "c",
  tool: "tool",
  input: textBody(typeof input === "string" ? input : JSON.stringify(input)),
});

describe("what a request says", () => {
  test("text without fenced code and without thinking", () => {
    expect(said(message("one\n```ts\ntwo\n```\nthree"), []).texts).toEqual(["one\nthree"]);
  });

  test.each<[string, unknown, readonly string[], readonly (readonly string[])[]]>([
    ["strings at any depth", { a: "x", b: { c: ["y", 3, true, null] } }, ["x", "y"], []],
    ["free text that is no JSON", "ls -l", ["ls -l"], []],
    ["no new content", { path: "p", content: "c", newText: "n", new_string: "n", new_source: "n", new_str: "n", file_text: "n" }, ["p"], []],
    ["nothing below new content", { todos: [{ title: "t", state: "s" }] }, [], []],
    ["edits", { path: "p", old_string: "a\nb", new_string: "c" }, ["p", "a\nb"], [["a", "b"]]],
    [
      "several edits",
      {
        edits: [
          { oldText: "a", newText: "b" },
          { oldText: "c", newText: "d" },
        ],
      },
      ["a", "c"],
      [["a"], ["c"]],
    ],
    [
      "a patch in an envelope",
      "*** Begin Patch\n*** Update File: a.ts\n@@ class A\n keep\n-old\n+new\n@@\n-two\n*** Add File: b.ts\n+all new\n*** End Patch",
      ["*** Begin Patch\n*** Update File: a.ts\n@@ class A\nkeep\nold\n@@\ntwo\n*** Add File: b.ts\n*** End Patch"],
      [["keep", "old"], ["two"]],
    ],
    [
      "a patch in a command",
      { cmd: "cd x && apply <<'E'\n+ not in the patch\n*** Begin Patch\n@@\n-old\n+new\n*** End Patch\nE" },
      ["cd x && apply <<'E'\n+ not in the patch\n*** Begin Patch\n@@\nold\n*** End Patch\nE"],
      [["old"]],
    ],
    ["a unified diff", { patch: "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n keep\n-old\n+new" }, ["--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\nkeep\nold"], [["keep", "old"]]],
    ["plus signs alone are no patch", { command: "+ a\n@@ b" }, ["+ a\n@@ b"], []],
  ])("%s", (_, input, texts, edits) => {
    expect(said(message(""), [call(input)])).toEqual({ texts: ["", ...texts], edits });
  });
});

test("arguments nested 100,000 deep end the run", () => {
  const input = `${'{"a":['.repeat(50_000)}"deepest"${"]}".repeat(50_000)}`;
  expect(said(message("x"), [{ kind: "call", callId: "c", tool: "t", input: textBody(input) }]).texts).toEqual(["x", "deepest"]);
});

test("strings come in their order, under the nearest key that says what they are", () => {
  const input = JSON.stringify({ a: ["1", { content: { b: "new" } }, "2"], old_string: "o", z: "3" });
  expect(said(message("x"), [{ kind: "call", callId: "c", tool: "t", input: textBody(input) }])).toEqual({ texts: ["x", "1", "2", "o", "3"], edits: [["o"]] });
});
