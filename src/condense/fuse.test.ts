import { expect, test } from "vitest";
import { fuseRefs, placeholdersToRefs } from "./fuse.ts";

test.each([
  ["in backticks", "Read `t9` and `t1`.", "Read and `t1`."],
  ["bare", "Read t9, then t1.", "Read, then t1."],
  ["alone in brackets", "Read it (`t9`, t8).", "Read it."],
  ["a longer number", "`t1` not `t11`", "`t1` not"],
  ["a leading zero", "`t1` or `t01`", "`t1` or"],
  ["not a piece of a name", "on t3.large, src/b2/x, t9-a, #t9 and t9_b with $t9", "on t3.large, src/b2/x, t9-a, #t9 and t9_b with $t9"],
  ["fenced code", "```\n`t9` t8\n```", "```\n`t9` t8\n```"],
  ["a line that would become a fence", "`t9` ```\nx\n```", " \\```\nx\n```"],
])("refs that no part holds are taken out: %s", (_, answer, expected) => {
  expect(fuseRefs(answer, ["- `t1` x", "- `t2` y"]).text.trimEnd()).toBe(expected);
});

test("refs are told in the order of the parts, or of the answer", () => {
  const { text: _, ...refs } = fuseRefs("`t7` `t2` `t9` `t7`", ["- `t3` a `b1`", "- `t2` b `t3`"]);
  expect(refs).toEqual({ kept: ["t2"], removed: ["t7", "t9"], missing: ["t3", "b1"] });
});

test("placeholders of blocks that are there become refs", () => {
  expect(placeholdersToRefs("{b1} {b2} {b3} {b4} {b0} {b01} {t1} {b1}", 3)).toEqual({ text: "`b1` `b2` {b3} {b4} {b0} {b01} {t1} `b1`", refs: ["b1", "b2"] });
});
