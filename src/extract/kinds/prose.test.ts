// Prose: its headings, what its parts begin with, which code it has.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const GUIDE = [
  "# The guide to the whole thing",
  "",
  "This guide explains how the whole thing works and what to do when it does not.",
  ...Array.from({ length: 12 }, (_, at) => [
    "",
    `## Part ${at} of the guide`,
    "",
    `The first sentence of part ${at} says what the part is about in some detail.`,
    ...Array.from({ length: 6 }, (__, line) => `Further on it says more about it, in words that nobody needs to read twice, line ${line}.`),
    "```bash",
    `# this is no heading but a comment ${at}`,
    "npm run thing",
    "```",
  ]).flat(),
  "",
  "```ts",
  "run();",
  "```",
  "",
  "See https://example.org/guide/next for what comes next in the series of guides.",
];

function prose(lines: readonly string[], tool = "WebFetch", budget?: number): string {
  const extracted = extract({ tool, args: { url: "https://example.org/guide" }, text: lines.join("\n"), status: "ok" }, budget === undefined ? {} : { budget });
  expect(extracted.kind).toBe("prose");
  return extracted.text;
}

describe("prose", () => {
  test("keeps its headings, its beginnings, its links and the languages of its code", () => {
    const text = prose(GUIDE);
    const shown = text.split("\n");
    expect(shown[0]).toBe("1| # The guide to the whole thing");
    for (let at = 0; at < 12; at++) expect(text).toContain(`| ## Part ${at} of the guide`);
    expect(text).toContain("~ code in it: bash ×12, ts ×1");
    expect(text).toContain("3| This guide explains how");
    expect(text).toContain("| The first sentence of part 0");
    expect(text).toContain("https://example.org/guide/next");
    expect(text).not.toContain("this is no heading but a comment 11");
  });

  test("takes the higher headings first", () => {
    const lines = GUIDE.flatMap((line) => (line.startsWith("The first") ? [line, "", "### A detail that matters less than the parts do", ""] : [line]));
    const text = prose(lines, "Task", 700);
    expect(text.match(/## Part/g)).toHaveLength(12);
    expect(text.match(/### A detail/g)?.length ?? 0).toBeLessThan(12);
  });

  test("knows headings that are underlined", () => {
    const lines = GUIDE.flatMap((line) => (line.startsWith("## ") ? [line.slice(3), "-----------"] : [line]));
    expect(prose(lines)).toContain("| Part 7 of the guide");
  });

  test.each([
    ["messages of a tool", Array.from({ length: 60 }, (_, at) => `Checked ${at} files in ${at}ms. No fixes applied.`)],
    ["a script's echo", ["> app@1.0.0 check", "> biome check --write . && tsc", "", ...Array.from({ length: 50 }, (_, at) => `> app-${at}@1.0.0 check`)]],
    ["code", Array.from({ length: 60 }, (_, at) => `  const value${at} = await read(options, ${at}); // what is read here is kept for later use`)],
  ])("is not %s", (_, lines) => {
    expect(extract({ tool: "bash", args: { command: "./run" }, text: lines.join("\n"), status: "ok" }).kind).not.toBe("prose");
  });
});
