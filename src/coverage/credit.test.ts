import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Credit, credit, type WindowCall, type WindowReply } from "./credit.ts";
import { windowNonces } from "./nonce.ts";

const SHOWN = "The build failed at 14:02.\nThe port was 8443.\n".repeat(20);
const NONCES = windowNonces(SHOWN, "0-940");
const PROMPT = `Read this.\n${NONCES.head}\n${SHOWN}${NONCES.tail}\nRepeat the words above and below it.`;
const REPLY: WindowReply = { finish: "stop", acks: [NONCES.head, NONCES.tail], promptTokens: 300 };
const CALL: WindowCall = { prompt: PROMPT, shown: SHOWN, nonces: NONCES, reply: REPLY, extracted: true };

function withReply(reply: Partial<WindowReply>): WindowCall {
  return { ...CALL, reply: { ...REPLY, ...reply } };
}

function failed({ reply, ...call }: WindowCall): WindowCall {
  return call;
}

/** A prompt whose words and window stand in another order. */
function prompted(...parts: readonly string[]): WindowCall {
  return { ...CALL, prompt: parts.join("\n") };
}

const { head, tail } = NONCES;
const credited = (verified: boolean): Credit => ({ credited: true, verified });

test("a window that was delivered, acknowledged and extracted is credited, and verified where the tokens were reported", () => {
  expect(credit(CALL)).toEqual(credited(true));
  expect(credit(withReply({ promptTokens: undefined }))).toEqual(credited(false));
  expect(credit(withReply({ finish: "other" }))).toEqual(credited(true));
});

describe("each clause by itself takes the credit away", () => {
  test.each<[string, WindowCall, Credit & { credited: false } extends { why: infer Why } ? Why : never]>([
    ["the call failed", failed(CALL), "not-delivered"],
    ["it ended in an error", withReply({ finish: "error" }), "not-delivered"],
    ["the prompt lacks the window's end", prompted(head, SHOWN.slice(0, -2), tail), "not-delivered"],
    ["the prompt lacks the window's beginning", prompted(head, SHOWN.slice(1), tail), "not-delivered"],
    ["the prompt lacks the head", prompted(SHOWN, tail), "not-delivered"],
    ["the prompt lacks the tail", prompted(head, SHOWN), "not-delivered"],
    ["the window stands behind its tail", prompted(head, tail, SHOWN), "not-delivered"],
    ["the window stands before its head", prompted(SHOWN, head, tail), "not-delivered"],
    ["the tail can be read before the window too", prompted(`Repeat ${tail}.`, head, SHOWN, tail), "not-delivered"],
    ["the head can be read behind the window too", prompted(head, SHOWN, tail, `Repeat ${head}.`), "not-delivered"],
    ["the reply was cut at its length", withReply({ finish: "length" }), "cut"],
    ["the reply was stopped by a filter", withReply({ finish: "refused" }), "cut"],
    ["the head is not repeated", withReply({ acks: [tail] }), "no-head"],
    ["nothing is repeated", withReply({ acks: [] }), "no-head"],
    ["the tail is not repeated", withReply({ acks: [head] }), "no-tail"],
    ["too few tokens were read", withReply({ promptTokens: Math.floor(PROMPT.length / 8) - 1 }), "prompt-cut"],
    ["no tokens were read, which is a report", withReply({ promptTokens: 0 }), "prompt-cut"],
    ["the report is no number", withReply({ promptTokens: Number.NaN }), "prompt-cut"],
    ["nothing was extracted", { ...CALL, extracted: false }, "no-extraction"],
  ])("%s", (_, call, why) => {
    expect(credit(call)).toEqual({ credited: false, why });
  });
});

describe("a word counts as repeated", () => {
  test.each([
    ["in a list of two", [head, tail]],
    ["in one text", [`${head}\n- The build failed.\n${tail}`]],
    ["in quotes and JSON", [JSON.stringify({ ack: [head, tail] })]],
    ["in brackets, at the end of a sentence", [`[${head}] and (${tail}).`]],
    ["behind a longer one of which it is a part", [`${head}0 ${head} ${tail}`]],
  ])("%s", (_, acks) => {
    expect(credit(withReply({ acks }))).toEqual(credited(true));
  });
});

describe("a word does not count as repeated", () => {
  test.each([
    ["as part of a longer one", [`${head}0`, tail], "no-head"],
    ["behind other letters", [head, `x${tail}`], "no-tail"],
    ["in capitals", [head.toUpperCase(), tail], "no-head"],
    ["without its last digit", [head, tail.slice(0, -1)], "no-tail"],
    ["by the other one", [head, head], "no-tail"],
  ])("%s", (_, acks, why) => {
    expect(credit(withReply({ acks }))).toEqual({ credited: false, why });
  });

  test("where there is none", () => {
    expect(credit({ ...CALL, nonces: { head: "", tail: "" } }).credited).toBe(false);
  });
});

test("the fewest tokens are those of its bytes, not of its letters", () => {
  const shown = "日本語で書く\n".repeat(100);
  const nonces = windowNonces(shown, "0");
  const prompt = [nonces.head, shown, nonces.tail].join("\n");
  const call = { prompt, shown, nonces, extracted: true };
  const acks = [nonces.head, nonces.tail];
  const fewest = Math.floor(Buffer.byteLength(prompt) / 8);
  expect(credit({ ...call, reply: { finish: "stop", acks, promptTokens: fewest } })).toEqual(credited(true));
  expect(credit({ ...call, reply: { finish: "stop", acks, promptTokens: fewest - 1 } })).toEqual({ credited: false, why: "prompt-cut" });
  expect(credit({ ...call, reply: { finish: "stop", acks, promptTokens: fewest - 1 } }, 9)).toEqual(credited(true));
});

test("a model that was shown a part of its prompt and repeats what it saw is never credited for the whole", () => {
  const seen = (from: number, to: number) => PROMPT.slice(from, to);
  fc.assert(
    fc.property(fc.nat(PROMPT.length), fc.nat(PROMPT.length), (a, b) => {
      const part = seen(Math.min(a, b), Math.max(a, b));
      const acks = [head, tail].filter((word) => part.includes(word));
      const result = credit(withReply({ acks, promptTokens: undefined }));
      if (part.includes(SHOWN) && acks.length === 2) expect(result).toEqual(credited(false));
      else expect(result.credited).toBe(false);
    }),
  );
});
