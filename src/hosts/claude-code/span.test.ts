import fc from "fast-check";
import { expect, test } from "vitest";
import { spanAt, spliced } from "./span.ts";

test.each<[name: string, json: string, path: readonly (string | number)[], found: string | undefined]>([
  ["a top-level string", '{"a":1,"sessionId":"x","b":2}', ["sessionId"], '"x"'],
  ["not the one inside another value", '{"data":{"sessionId":"in"},"sessionId":"out"}', ["sessionId"], '"out"'],
  ["not a string that looks like a key", '{"t":"\\"sessionId\\":\\"no\\"","sessionId":"yes"}', ["sessionId"], '"yes"'],
  ["an escaped key", '{"session\\u0049d":"x"}', ["sessionId"], '"x"'],
  ["of equal keys the last", '{"sessionId":"a","sessionId":"b"}', ["sessionId"], '"b"'],
  ["blanks around", '{ "a" : [ 1 , { "b" : 1.50 } ] }', ["a", 1, "b"], "1.50"],
  ["brackets in strings", '{"a":["]}",{"b":"[{"}]}', ["a", 1, "b"], '"[{"'],
  ["an escaped quote and a backslash at the end", '{"a":"\\"\\\\","b":3}', ["b"], "3"],
  ["nothing there", '{"a":{"b":1}}', ["a", "c"], undefined],
  ["nothing in a list", '{"a":[1]}', ["a", 1], undefined],
  ["no object", '"text"', ["a"], undefined],
  ["an empty object and an empty list", '{"a":{},"b":[],"c":null}', ["c"], "null"],
  ["letters of more than one byte", '{"é":"→","a":"x"}', ["a"], '"x"'],
])("%s", (_name, json, path, found) => {
  const bytes = Buffer.from(json);
  const span = spanAt(bytes, path);
  expect(span && bytes.toString("utf8", span.start, span.end)).toBe(found);
});

test("what stands at any path of any JSON is what a parser finds there", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(3), (json, blanks) => {
      const spaced = blanks === 0 ? json : JSON.stringify(JSON.parse(json), undefined, blanks);
      const bytes = Buffer.from(spaced);
      const visit = (value: unknown, path: readonly (string | number)[]): void => {
        const span = spanAt(bytes, path);
        expect(span && (JSON.parse(bytes.toString("utf8", span.start, span.end)) as unknown)).toEqual(value);
        if (Array.isArray(value)) for (const [index, each] of value.entries()) visit(each, [...path, index]);
        else if (typeof value === "object" && value !== null) for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
      };
      visit(JSON.parse(spaced), []);
    }),
  );
});

test("spans are replaced whatever their order, and nothing else changes", () => {
  const bytes = Buffer.from('{"a": 1.0 ,"b":"x"}');
  const edits = [
    { ...spanAt(bytes, ["b"]), by: Buffer.from('"longer"') },
    { ...spanAt(bytes, ["a"]), by: Buffer.from("2") },
  ] as Parameters<typeof spliced>[1];
  expect(spliced(bytes, edits).toString()).toBe('{"a": 2 ,"b":"longer"}');
});
