import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { examplePrompts } from "./prompts.ts";

test.each(examplePrompts().map(({ version, text }) => [version, text] as const))("the prompt %s stands in the documents word for word", (version, text) => {
  const document = readFileSync(new URL("../../docs/models.md", import.meta.url), "utf8");
  expect(document).toContain(`\`${version}\``);
  expect(document).toContain(text);
});
