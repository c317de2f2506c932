import { expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import { exactCounter } from "../tokens/index.ts";
import { exactItemTokens, reportedTokens, view } from "./index.ts";

const WORDS = "The quick brown fox jumps over the lazy dog. ".repeat(40);

function reported(input: number) {
  return { kind: "usage", input, cacheRead: 0, cacheWrite: 0, output: 5, model: "m1" } as const;
}

test("a view is counted by what was reported: on it, between two reports, beyond the last, or not at all", () => {
  const log = new Log();
  const first = log.user(WORDS);
  expect(reportedTokens(log.session)).toEqual({ tokens: view(log.session).tokens, source: "estimated" });
  const estimate = view(log.session).tokens;
  log.assistant("one");
  log.add(reported(Math.round(estimate * 1.2)));
  expect(reportedTokens(log.session, first)).toMatchObject({ source: "estimated" });
  const middle = log.user(WORDS);
  const [beyond] = [reportedTokens(log.session)];
  expect(beyond).toMatchObject({ source: "extrapolated", model: "m1" });
  expect(beyond.tokens).toBeGreaterThan(view(log.session).tokens * 1.15);
  expect(beyond.tokens).toBeLessThan(view(log.session).tokens * 1.25);
  log.assistant("two");
  log.add(reported(9000));
  expect(middle.depth).toBeLessThan((log.session.head?.depth ?? 0) + 1);
  expect(reportedTokens(log.session).tokens).toBeGreaterThan(9000);
});

test("an epoch changes what reports speak of; they still calibrate", () => {
  const log = new Log();
  log.user("go");
  log.assistant();
  log.call("c1");
  const result = log.result("c1", WORDS);
  const asked = view(log.session).tokens;
  log.assistant("read");
  log.add(reported(Math.round(asked * 1.5)));
  const before = reportedTokens(log.session);
  log.epoch(log.condense([result]));
  const after = reportedTokens(log.session);
  expect(after.source).toBe("extrapolated");
  expect(after.tokens).toBeLessThan(before.tokens / 2);
  expect(after.tokens).toBeGreaterThan(view(log.session).tokens * 1.4);
});

test("exact counts are those of the vocabulary, with frames", async () => {
  const log = new Log();
  log.user("hello world");
  log.add({ kind: "message", role: "assistant", blocks: [text("const x = readFile(path);")] });
  const count = await exactCounter();
  expect(view(log.session).items.map((item) => exactItemTokens(item, count))).toEqual([count("hello world") + 4, count("const x = readFile(path);") + 4]);
  expect(count("hello world")).toBe(2);
});
