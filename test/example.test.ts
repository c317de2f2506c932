// The recorded example: it opens cleanly, gives the model what Pi gives it, and names no machine.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { neutralText } from "../examples/recording/neutral.ts";
import { openSession } from "../src/formats/index.ts";
import { ourRequest, piEntries, piRequest } from "./oracle/messages.ts";

const file = fileURLToPath(new URL("../examples/pi-session.jsonl", import.meta.url));
const text = readFileSync(file, "utf8");

test("opens with no diagnostic, two branches and a call id used twice", async () => {
  const { session, diagnostics, tail, close } = await openSession(file);
  const ids = piEntries(text).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? entry.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
      : [],
  );
  close();
  expect({ diagnostics, tail, illegal: session.illegal }).toEqual({ diagnostics: [], tail: null, illegal: [] });
  expect(session.heads()).toHaveLength(2);
  expect(ids.length).toBeGreaterThanOrEqual(60);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual(["call_007"]);
});

test("gives the model what Pi gives it, at every entry of both branches", async () => {
  const { session, close } = await openSession(file);
  const entries = piEntries(text);
  for (const { id } of entries) expect({ id, ...ourRequest(session, session.named(id).at(-1) ?? null) }).toEqual({ id, ...piRequest(entries, id) });
  close();
});

test("names no path of a machine", () => {
  const neutral = /^\/(?:home\/dev|usr\/lib\/node_modules|usr\/bin\/env)(?:\/|$)/;
  const paths = text.match(/(?<![\w.~-])\/(?:home|Users|root|tmp|private|var|usr|work|opt)\/[^"'\s\\)]*/g) ?? [];
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !neutral.test(path))).toEqual([]);
});

test("a text that still names the machine is refused", () => {
  const places = { base: "/tmp/recording-x", root: "/tmp/recording-x/inventory" };
  expect(neutralText("at /tmp/recording-x/inventory/src/a.js:1, /tmp/recording-x/agent", places)).toBe("at /home/dev/inventory/src/a.js:1, /home/dev/agent");
  expect(() => neutralText(`${fileURLToPath(new URL("..", import.meta.url))}src`, places)).toThrow("still names");
  expect(() => neutralText(`at ${new URL("..", import.meta.url)}src`, places)).toThrow("still names");
});
