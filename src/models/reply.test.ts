// The answer in a reply: each row of replies.json, and what no row says.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pieces, textOfPieces } from "../../test/vectors/condense.ts";
import { type JsonObject, parseReply } from "./reply.ts";

interface Row {
  readonly id: string;
  readonly text: Pieces;
  readonly required?: Readonly<Record<string, string>>;
  readonly expected: { readonly ok: false } | { readonly ok: true; readonly value?: unknown; readonly valueIsWholeText?: true };
}

const { requiredByDefault, cases } = JSON.parse(readFileSync(new URL("../../test/vectors/models/replies.json", import.meta.url), "utf8")) as {
  readonly requiredByDefault: Readonly<Record<string, string>>;
  readonly cases: readonly Row[];
};

function having(required: Readonly<Record<string, string>>): (value: JsonObject) => boolean {
  return (value) => Object.entries(required).every(([key, type]) => Object.hasOwn(value, key) && typeof value[key] === type);
}

const anyAction = having({ action: "string" });

test.each(cases.map((row) => [row.id, row] as const))("%s", (_, { text, required, expected }) => {
  const whole = textOfPieces(text);
  const parsed = parseReply(whole, having(required ?? requiredByDefault));
  if (!expected.ok) expect(parsed.ok).toBe(false);
  else expect(parsed).toEqual({ ok: true, value: expected.valueIsWholeText ? JSON.parse(whole) : expected.value });
});

test("the table was read whole", () => {
  expect(cases.length).toBeGreaterThan(100);
});

describe("what no row says", () => {
  test.each([
    ["an array with the answer in it", '[{"action":"a"}]', "array"],
    ["the same behind thinking", '<think>x</think>[{"action":"a"}]', "array"],
    ["the same in a fence", '```json\n[{"action":"a"}]\n```', "no-object"],
    ["no JSON at all", "I could not.", "no-object"],
    ["an object of another shape", '{"note":1}', "not-valid"],
    ["one that is too large", `{"action":"${"é".repeat(500_000)}"}`, "too-large"],
    ["65 deep", `{"action":"a","x":${"[".repeat(64)}${"]".repeat(64)}}`, "no-object"],
    ["nothing behind a dangling tag", '{"action":"a"}</think>', "no-object"],
  ])("%s", (_, text, code) => {
    expect(parseReply(text, anyAction)).toMatchObject({ ok: false, code });
  });

  test("64 deep passes, in prose too", () => {
    const text = `{"action":"a","x":${"[".repeat(63)}${"]".repeat(63)}}`;
    expect(parseReply(text, anyAction)).toEqual({ ok: true, value: JSON.parse(text) });
    expect(parseReply(`so ${text} it is`, anyAction)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test("any object, with any prose around it, is found as JSON.parse reads it", () => {
    const prose = fc.stringMatching(/^[a-z {}[\],.:]{0,20}$/);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), prose, prose, fc.constantFrom(undefined, 1), (value, before, after, indent) => {
        const text = JSON.stringify({ action: "x", ...value, last: 1 }, undefined, indent);
        const parsed = parseReply(`${before.replaceAll(/[{[]/g, "")} ${text} ${after.replaceAll("{", "")}`, having({ last: "number" }));
        expect(parsed).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test("texts made to be slow are read to their end", () => {
    for (const text of [
      "{".repeat(200_000),
      '{"a":'.repeat(40_000),
      `{"a":[${'{"b":0},'.repeat(25_000)}`,
      "<think>".repeat(30_000),
      "```\n[1]\n```\n".repeat(15_000),
    ])
      expect(parseReply(text, anyAction).ok).toBe(false);
  });
});
