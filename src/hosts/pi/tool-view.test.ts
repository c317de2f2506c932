import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columns } from "./lines.ts";
import { callView, resultView } from "./tool-view.ts";

/** A theme that marks what it colours. */
const named = { fg: (color: string, text: string) => `<${color}:${text}>`, bold: (text: string) => text };
const plain = { fg: (_: string, text: string) => text, bold: (text: string) => text };
const text = (value: string) => ({ type: "text", text: value }) as const;
const folded = { expanded: false, isError: false, hint: "ctrl+o to expand" };
const open = { ...folded, expanded: true };

describe("a call", () => {
  test.each([
    [{ ref: "t17" }, "<toolTitle:context_tree_query><accent: t17>"],
    [{ ref: "t17", search: "a b" }, '<toolTitle:context_tree_query><accent: t17><toolOutput: "a b">'],
    [{ search: "a" }, '<toolTitle:context_tree_query><toolOutput: "a">'],
    [{ ref: "t1", offset: 2001 }, "<toolTitle:context_tree_query><accent: t1><muted: from line 2001>"],
    [{ ref: "t1", offset: 9, limit: 5, unit: "bytes" }, "<toolTitle:context_tree_query><accent: t1><muted: from byte 9, at most 5>"],
    [{}, "<toolTitle:context_tree_query>"],
  ] as const)("%j", (asked, line) => {
    expect(callView(asked, named).render(80)).toEqual([line]);
  });
});

describe("a result", () => {
  const told = [text("[original of t1, bash: 2 lines, 9 bytes]\ncall: {}"), text("one\ntwo"), { type: "image" } as const];

  test("is the line that says what it is, and the key that shows more", () => {
    expect(resultView(told, folded, named).render(80)).toEqual(["<toolOutput:[original of t1, bash: 2 lines, 9 bytes]>", "<muted:ctrl+o to expand>"]);
    expect(resultView([text("no line holds it")], folded, named).render(80)).toEqual(["<toolOutput:no line holds it>"]);
  });

  test("is all of it where it is expanded, or an error", () => {
    const all = ["[original of t1, bash: 2 lines, 9 bytes]", "call: {}", "one", "two"];
    expect(resultView(told, open, plain).render(80)).toEqual(all);
    expect(resultView(told, { ...folded, isError: true }, named).render(80)).toEqual(all.map((line) => `<error:${line}>`));
  });

  test("is drawn up to a number of lines, and says how many are left", () => {
    const lines = resultView([text("line\n".repeat(2600))], open, plain).render(80);
    expect(lines).toHaveLength(2501);
    expect(lines.at(-1)).toBe("… 101 more lines");
  });
});

test("no line is wider than the terminal or holds a control character, whatever a tool said", () => {
  const said = fc.string({ unit: fc.oneof(fc.constantFrom("\u001b[31m", "\t", "\r", "\n", "漢", "😀", "e\u0301", "\u202e"), fc.string()) });
  fc.assert(
    fc.property(said, fc.integer({ min: 2, max: 60 }), fc.boolean(), (value, width, expanded) => {
      const views = [callView({ ref: value, search: value, offset: 1 }, plain), resultView([text(value)], { ...folded, expanded }, plain)];
      for (const line of views.flatMap((view) => view.render(width))) {
        expect(columns(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }),
  );
});
