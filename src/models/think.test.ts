// Thinking that leaked into a text, and texts that only talk about it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutThinking } from "./think.ts";

test.each([
  ["none", "Hi.\n", "Hi.\n"],
  ["before the answer", "<think>hm</think>\n\nHi.", "Hi."],
  ["behind it", "Hi.\n<think>was that right?</think>", "Hi."],
  ["never closed", "<think>hm", ""],
  ["never closed, behind the answer", "Hi.\n<think>hm", "Hi."],
  ["never opened", "hm\n</think>\n\nHi.", "Hi."],
  ["never opened, on one line", "hm</think>Hi.", "Hi."],
  ["never opened, twice", "a</think> b</think> Hi.", "Hi."],
  ["nothing behind it", "hm</think>", ""],
  ["twice", "<think>a</think><think>b</think>Hi.", "Hi."],
  ["in itself", "<think>a <think>b</think> c</think>Hi.", "Hi."],
  ["with a fence in it that is not closed", "<think>\n```js\nx\n</think>\nHi.\n```js\ny\n```", "Hi.\n```js\ny\n```"],
  ["talked about in backticks", "It strips `</think>` and `<think>` tags.", "It strips `</think>` and `<think>` tags."],
  ["talked about in quotes", 'The tag "</think>" ends it.', 'The tag "</think>" ends it.'],
  ["in a fenced block", "So:\n```js\nx = </think>;\n```\nDone.", "So:\n```js\nx = </think>;\n```\nDone."],
  ["in JSON", '{"text":"the tag <think> is not closed"}', '{"text":"the tag <think> is not closed"}'],
])("%s", (_, text, expected) => {
  expect(withoutThinking(text)).toBe(expected);
});

test("what stands between the tags is never left, whatever stands around them", () => {
  const prose = fc.stringMatching(/^[a-z \n.]{0,30}$/);
  fc.assert(
    fc.property(prose, prose, prose, (before, thought, after) => {
      expect(withoutThinking(`${before}<think>${thought}SECRET</think>${after}`)).toBe(`${before}${after}`.trim());
    }),
  );
});
