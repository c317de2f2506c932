import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coverageTable } from "../../test/vectors/coverage.ts";
import { checkedLength, checkedOffset, checkedSpan, SpanError } from "./span.ts";

interface Vectors {
  readonly errors: readonly {
    readonly id: string;
    readonly len: number;
    readonly span: { readonly s: unknown; readonly e: unknown };
    readonly error: readonly string[];
  }[];
  readonly lengthErrors: readonly { readonly id: string; readonly len: unknown; readonly error: readonly string[] }[];
}

const vectors = coverageTable<Vectors>("spans");

function thrown(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

function codeOf(make: () => unknown): unknown {
  const error = thrown(make);
  expect(error).toBeInstanceOf(SpanError);
  return (error as SpanError).code;
}

test.each(vectors.errors)("no span: $id", ({ len, span, error }) => {
  expect(error).toContain(codeOf(() => checkedSpan({ start: span.s, end: span.e }, len)));
});

test.each(vectors.lengthErrors)("no length: $id", ({ len, error }) => {
  expect(error).toContain(codeOf(() => checkedLength(len)));
});

describe("the first fault in the order of the codes is told, wherever it stands", () => {
  test.each([
    [{ start: -1, end: 0.5 }, "E_NOT_INTEGER"],
    [{ start: 7, end: -1 }, "E_NEGATIVE"],
    [{ start: -0, end: 5 }, "E_NOT_INTEGER"],
    [{ start: 30, end: 20 }, "E_INVERTED"],
    [{ start: 20, end: 20 }, "E_EMPTY"],
    [{ start: 2 ** 53, end: 2 ** 53 + 2 }, "E_NOT_INTEGER"],
    [{ start: 5n, end: 6 }, "E_NOT_INTEGER"],
    [{ start: Symbol("five"), end: 6 }, "E_NOT_INTEGER"],
    [{ start: [5], end: 6 }, "E_NOT_INTEGER"],
  ])("%o", (asked, code) => {
    expect(codeOf(() => checkedSpan(asked, 10))).toBe(code);
  });
});

test("a span comes back as two numbers and nothing else", () => {
  const asked = { start: 0, end: 10, note: "x" };
  expect(checkedSpan(asked, 10)).toEqual({ start: 0, end: 10 });
  expect(checkedSpan({ start: 0, end: Number.MAX_SAFE_INTEGER })).toEqual({ start: 0, end: Number.MAX_SAFE_INTEGER });
});

test("the message says where, what was expected and what was found", () => {
  expect(() => checkedSpan({ start: 0, end: 11 }, 10)).toThrow("E_OUT_OF_SCOPE: end: expected at most 10, the bytes of the scope, found 11");
  expect(() => checkedSpan({ start: "0", end: 11 }, 10)).toThrow('E_NOT_INTEGER: start: expected a whole number from 0 to 9007199254740991, found "0"');
  expect(() => checkedSpan({ start: -0, end: 11 }, 10)).toThrow("found -0");
  expect(() => checkedSpan({ start: 6, end: 5 }, 10)).toThrow("E_INVERTED: end: expected more than start, 6, found 5");
  expect((thrown(() => checkedSpan({ start: "x".repeat(1_000_000), end: 1 }, 10)) as Error).message.length).toBeLessThan(200);
});

test("an offset may be the end of its text, and no more", () => {
  expect(checkedOffset(10, 10)).toBe(10);
  expect(codeOf(() => checkedOffset(11, 10))).toBe("E_OUT_OF_SCOPE");
  expect(codeOf(() => checkedOffset(-1, 10))).toBe("E_NEGATIVE");
});

test("nothing is clamped: what is accepted is what was asked", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.nat(20), (start, end, length) => {
      const result = thrown(() => checkedSpan({ start, end }, length));
      const legal =
        [start, end].every((value) => Number.isSafeInteger(value) && !Object.is(value, -0)) &&
        0 <= Number(start) &&
        Number(start) < Number(end) &&
        Number(end) <= length;
      if (legal) expect(result).toEqual({ start, end });
      else expect(result).toBeInstanceOf(SpanError);
    }),
  );
});
