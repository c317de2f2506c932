import { Readable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { expectReading } from "./expected.ts";
import { vectorCases } from "./vectors.ts";

const opened: Opened[] = [];
afterAll(() => {
  for (const { close } of opened) close();
});

describe.each([
  ["Gemini CLI", "gemini"],
  ["chats", "chat"],
  ["SWE-agent", "swe-agent"],
])("%s", (_, format) => {
  test.each(vectorCases(format))("$name", async ({ files }) => {
    for (const { path, expected } of files) {
      const reading = await openSession(path);
      opened.push(reading);
      expectReading(reading, expected);
    }
    expect(files.length).toBeGreaterThan(0);
  });
});

test.each([
  ["gemini", '{"sessionId":"g","projectHash":"p","startTime":"t","lastUpdated":"t","messages":[]}'],
  ["gemini", '{"sessionId":"g","projectHash":"p","startTime":"t"}'],
  ["gemini", '{"$set":{"messages":[]}}'],
  ["gemini", '{"id":"m","type":"gemini","content":"x"}'],
  ["swe-agent", '{"trajectory":[],"history":[],"info":{}}'],
  ["swe-agent", '{"messages":[{"role":"user","content":"hi"}],"trajectory_format":"mini-swe-agent-1.1"}'],
  ["chat", '{"messages":[{"role":"user","content":"hi"}]}'],
  ["chat", '[\n{"role":"user","content":"hi"},\n{"role":"assistant","content":"yo"}\n]'],
  ["chat", '{"role":"user","content":"hi"}'],
])("%s is told by %s", async (format, content) => {
  const { session, diagnostics } = await openSession("-", { input: Readable.from([Buffer.from(`${content}\n`)]) });
  expect(session.identity.format).toBe(format);
  expect(diagnostics).toEqual([]);
});
