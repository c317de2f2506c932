import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pieces, table, textOfPieces } from "../../test/vectors/condense.ts";
import { type Block, type CallFact, type ResultFact, textBody } from "../session/index.ts";
import { dedupeKey, normalText, Originals, resultKey } from "./dedupe.ts";

interface Result {
  readonly id: string;
  readonly status: "ok" | "error";
  readonly tool: string;
  readonly args: unknown;
  readonly text: Pieces;
}
interface Dedupe {
  readonly normalise: readonly { readonly id: string; readonly text: string; readonly expected: string }[];
  readonly cases: readonly {
    readonly id: string;
    readonly condensedBefore: readonly Result[];
    readonly batch: readonly Result[];
    readonly expected: readonly { readonly id: string; readonly ref: string; readonly duplicateOf: string | null }[];
  }[];
}

const dedupe = table<Dedupe>("dedupe");

function keyOf({ tool, status, args, text }: Result) {
  return dedupeKey({ tool, status, input: JSON.stringify(args), text: textOfPieces(text), media: [] });
}

/** The first earlier result with the key; the next one is added behind it. */
function earlier(originals: Originals<string>, id: string, of: Parameters<typeof originals.first>[0]): string | undefined {
  const first = originals.first(of);
  originals.add(id, of);
  return first;
}

describe("the table", () => {
  test.each(dedupe.normalise)("normalise: $id", ({ text, expected }) => {
    expect(normalText(text)).toBe(expected);
  });

  test.each(dedupe.cases)("duplicates: $id", ({ condensedBefore, batch, expected }) => {
    const originals = new Originals<string>();
    for (const result of condensedBefore) originals.add(result.id, keyOf(result));
    const found = batch.map((result, at) => ({
      id: result.id,
      ref: `t${condensedBefore.length + at + 1}`,
      duplicateOf: earlier(originals, result.id, keyOf(result)) ?? null,
    }));
    expect(found).toEqual(expected);
  });
});

function key(input: string, more: { text?: string; tool?: string; media?: string[] } = {}) {
  return dedupeKey({ tool: more.tool ?? "read", status: "ok", input, text: more.text ?? "same", media: more.media ?? [] });
}

describe("what goes wrong", () => {
  test("two equal results of one flush are not seen as such", () => {
    const originals = new Originals<string>();
    expect(["r1", "r2", "r3"].map((id) => earlier(originals, id, key("{}")))).toEqual([undefined, "r1", "r1"]);
  });

  test("one that is in view no more is said to be repeated", () => {
    const originals = new Originals<string>();
    for (const id of ["r1", "r2"]) originals.add(id, key("{}"));
    expect(originals.first(key("{}"), (id) => id !== "r1")).toBe("r2");
    expect(originals.first(key("{}"), () => false)).toBeUndefined();
  });

  test("two files with equal text pass for one", () => {
    expect(key('{"path":"a"}')).not.toBe(key('{"path":"b"}'));
  });

  test("long numbers that JSON.parse rounds to one pass for one", () => {
    expect(key('{"id":9007199254740993}')).not.toBe(key('{"id":9007199254740992}'));
    expect(key('{"id":1e400}')).not.toBe(key('{"id":null}'));
  });

  test("arguments that are free text pass for the JSON text of the same letters", () => {
    expect(key("ls")).not.toBe(key('"ls"'));
    expect(key("ls")).toBe(key("ls"));
  });

  test("a part that ends where another begins moves between them", () => {
    expect(key("{}", { tool: 'read","ok', text: "x" })).not.toBe(key("{}", { tool: "read", text: "x" }));
    expect(key("{}", { text: "a", media: ["b"] })).not.toBe(key("{}", { text: "ab" }));
    expect(key('{"a":[1,2]}')).not.toBe(key('{"a":[2,1]}'));
    expect(key('{"__proto__":{"a":1}}')).not.toBe(key("{}"));
  });

  test("arguments nested too deep to be ordered end the run", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(key(deep)).toBe(key(deep));
    expect(key(deep)).not.toBe(key("[]"));
  });

  test("a line of blanks without end takes forever", () => {
    expect(normalText(`${" ".repeat(300_000)}x${" \t".repeat(300_000)}\ny`)).toBe("x\ny");
  });

  test("results that differ in an image, in an unknown block or in what lies behind a preview pass for one", () => {
    const call: CallFact = { kind: "call", callId: "c", tool: "read", input: textBody("{}") };
    const image = (data: string, mediaType = "image/png"): Block => ({ type: "image", mediaType, data: textBody(data) });
    const text: Block = { type: "text", body: textBody("same") };
    const result = (blocks: readonly Block[], full?: string): ResultFact => ({
      kind: "result",
      callId: "c",
      tool: "read",
      status: "ok",
      blocks,
      ...(full !== undefined && { full: textBody(full) }),
    });
    const results = [
      result([text]),
      result([text, image("QUJD")]),
      result([text, image("QUJE")]),
      result([text, image("QUJD", "image/jpeg")]),
      result([text, image("QUJD"), image("QUJD")]),
      result([text, { type: "other", was: "resource", raw: textBody('{"uri":"a"}') }]),
      result([text, { type: "other", was: "resource", raw: textBody('{"uri":"b"}') }]),
      result([text], "whole"),
      result([text], "another whole"),
    ];
    expect(new Set(results.map((each) => resultKey(call, each))).size).toBe(results.length);
    expect(resultKey(call, result([text, image("QUJD")]))).toBe(resultKey({ ...call, callId: "d" }, result([text, image("QUJD")])));
  });
});

test("the order of keys makes no difference, at any depth", () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, inner]) => [name, shuffled(inner)]),
    );
  };
  const args = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })).filter((value) => !/\d{16}|e[+-]?\d/.test(JSON.stringify(value)));
  fc.assert(fc.property(args, (value) => key(JSON.stringify(value)) === key(JSON.stringify(shuffled(value), null, 1))));
});

test("a normal form is its own", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", " ", "\t", "\r", "\n", "\r\n", "é")), (pieces) => {
      const once = normalText(pieces.join(""));
      expect(normalText(once)).toBe(once);
    }),
  );
});
