import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { expectReading } from "./expected.ts";
import { vectorCases } from "./vectors.ts";

const opened: Opened[] = [];
afterAll(() => {
  for (const { close } of opened) close();
});

describe("Codex", () => {
  test.each(vectorCases("codex"))("$name", async ({ files }) => {
    for (const { path, expected } of files) {
      const reading = await openSession(path);
      opened.push(reading);
      expectReading(reading, expected);
    }
    expect(files.length).toBeGreaterThan(0);
  });
});
