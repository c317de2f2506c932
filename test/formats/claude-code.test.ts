import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { expectFullText, expectReading } from "./expected.ts";
import { vectorCases } from "./vectors.ts";

const opened: Opened[] = [];
afterAll(() => {
  for (const { close } of opened) close();
});

describe("Claude Code", () => {
  test.each(vectorCases("claude-code"))("$name", async ({ files }) => {
    for (const { path, expected } of files) {
      const reading = await openSession(path);
      opened.push(reading);
      expectReading(reading, expected);
      if ("fullText" in expected && expected.fullText) expectFullText(reading, expected.fullText as never);
    }
    expect(files.length).toBeGreaterThan(0);
  });
});
