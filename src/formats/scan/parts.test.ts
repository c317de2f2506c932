// Elements of lists, whatever pieces their bytes come in: the same as a parser finds, each with its own place.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../session/index.ts";
import type { Diagnostic, RawRecord } from "../reader.ts";
import { BufferSource } from "../source.ts";
import { hasParts, PartScanner } from "./parts.ts";
import { RecordScanner } from "./scan.ts";
import type { Parts, ScanSink } from "./sink.ts";

const PARTS: Parts = { lists: ["", "messages", "$set.messages", "history"], members: ["system"] };

interface Walked {
  readonly records: RawRecord[];
  readonly diagnostics: Diagnostic[];
  readonly scanner: PartScanner;
}

function walk(
  content: string | Buffer,
  { cuts = [], parts = PARTS, limit = 1 << 20 }: { cuts?: readonly number[]; parts?: Parts; limit?: number } = {},
): Walked {
  const bytes = Buffer.from(content);
  const source = new BufferSource("-");
  source.push(bytes);
  const records: RawRecord[] = [];
  const diagnostics: Diagnostic[] = [];
  const scanner = new PartScanner(
    source,
    { record: (record) => records.push(record), diagnostic: (each) => diagnostics.push(each) },
    parts,
    { offset: 0, line: 1 },
    limit,
  );
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length];
  for (const [index, end] of ends.entries()) scanner.take(bytes.subarray(ends[index - 1] ?? 0, end));
  return { records, diagnostics, scanner };
}

const told = ({ records }: Walked) => records.map(({ element, value }) => [element?.list, element?.index, value]);

describe("what is a part", () => {
  test.each<[string, string, unknown[]]>([
    [
      "the elements of a list that is the value",
      '[{"a":1},2,"x",null,[3]]',
      [
        ["", 0, { a: 1 }],
        ["", 1, 2],
        ["", 2, "x"],
        ["", 3, null],
        ["", 4, [3]],
      ],
    ],
    ["the elements of a member", '{"v":[{"no":1}],"messages":[{"a":"]}\\"["}],"w":{"messages":[1]}}', [["messages", 0, { a: ']}"[' }]]],
    [
      "a member itself, before or behind",
      '{"messages":[1],"system":{"a":[2]},"history":[3]}',
      [
        ["messages", 0, 1],
        ["system", 0, { a: [2] }],
        ["history", 0, 3],
      ],
    ],
    ["a list two keys down", '{"$set":{"x":1,"messages":[{"id":"a"}]}}', [["$set.messages", 0, { id: "a" }]]],
    [
      "texts with quotes in them",
      '{"messages":["a\\"]","\\\\"]}',
      [
        ["messages", 0, 'a"]'],
        ["messages", 1, "\\"],
      ],
    ],
    ["an escaped name", '{"m\\u0065ssages":[1]}', [["messages", 0, 1]]],
    ["nothing of another shape", '{"messages":{"0":[1]},"history":"[1]","$set":[{"messages":[1]}]}', []],
    ["nothing of an empty list", '{"messages":[ ]}', []],
    ["nothing of what stands behind the value", '{"messages":[1]}{"messages":[2]}', [["messages", 0, 1]]],
  ])("%s", (_, content, expected) => {
    for (let cut = 0; cut < content.length; cut++) expect(told(walk(content, { cuts: [cut] })), `cut at ${cut}`).toEqual(expected);
    expect(hasParts(JSON.parse(content.replace(/\]\}\{.*$/, "]}")), PARTS)).toBe(expected.length > 0 || content.includes('"messages":[ ]'));
  });

  test("texts and numbers beside the lists are known when a part comes, long ones are not", () => {
    const content = `{"sessionId":"s","n":7,"long":"${"x".repeat(5000)}","o":{"sessionId":"no"},"messages":[1]}`;
    for (const cuts of [[], [3, 20, 100, 4000]]) expect(walk(content, { cuts }).records[0]?.element?.head).toEqual({ sessionId: "s", n: 7 });
  });
});

describe("damage", () => {
  test("an element that is no JSON costs itself, and the walk tells where the value ends", () => {
    const { records, diagnostics, scanner } = walk('{"messages":[1,{"a":,},\n{"b":2}]} rest');
    expect(records.map(({ value }) => value)).toEqual([1, { b: 2 }]);
    expect(diagnostics.map(({ code, line, start, end }) => [code, line, start, end])).toEqual([["bad-line", 1, 15, 22]]);
    expect(scanner.doneAt).toBe(33);
    expect(walk('{"messages":[1]}').scanner.doneAt).toBeUndefined();
  });

  test.each([
    ['{"messages":[{"a":1},\n{"b":', 20, 1],
    ['{"messages":[{"a":1},\n{"b":2}', 29, 2],
    ['{"messages":[', 0, 1],
  ])("%s: what was handed over ends at %i", (content, offset, line) => {
    expect(walk(content).scanner.behind).toEqual({ offset, line });
  });

  test("an element too large to hold is a stub between whole ones", () => {
    const { records, diagnostics } = walk(`[1,"${"x".repeat(5000)}",2]`, { limit: 1000, cuts: [700, 3000] });
    expect(records.map(({ value, oversized }) => value ?? oversized?.head.length)).toEqual([1, 5002, 2]);
    expect(diagnostics.map(({ code, start, end }) => [code, start, end])).toEqual([["oversized", 3, 5005]]);
  });
});

test("any value in any pieces gives the elements that a parser finds, each where its bytes are", () => {
  const element = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.record({ role: fc.string(), content: fc.string({ unit: "grapheme" }) }));
  const value = fc.record({ id: fc.string(), before: fc.jsonValue({ maxDepth: 2 }), messages: fc.array(element), behind: fc.jsonValue({ maxDepth: 2 }) });
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1, "\t"), fc.array(fc.nat(3000)), (each, space, cuts) => {
      const text = JSON.stringify(each, null, space);
      const bytes = Buffer.from(text);
      const { records, diagnostics } = walk(bytes, { cuts: cuts.sort((a, b) => a - b), parts: { lists: ["messages"] } });
      expect(diagnostics).toEqual([]);
      expect(records.map((record) => record.value)).toEqual(JSON.parse(JSON.stringify(each.messages)));
      for (const { range, value: found } of records) {
        const own = bytes.subarray(range.start, range.end);
        expect(JSON.parse(own.toString("utf8"))).toEqual(found);
        expect(sha256(own)).toBe(range.sha256);
        expect(range.line).toBe(bytes.subarray(0, range.start).filter((byte) => byte === 0x0a).length + 1);
      }
    }),
    { numRuns: 500 },
  );
});

describe("in the record scanner", () => {
  function scan(content: string, limit?: number, piece = 77) {
    const source = new BufferSource("-");
    source.push(Buffer.from(content));
    const records: RawRecord[] = [];
    const diagnostics: Diagnostic[] = [];
    const sink: ScanSink = { record: (record) => records.push(record), diagnostic: (each) => diagnostics.push(each), parts: () => PARTS };
    const scanner = new RecordScanner(source, sink, { ...(limit !== undefined && { limit }) });
    for (let at = 0; at < content.length; at += piece) scanner.push(Buffer.from(content.slice(at, at + piece)));
    return { records, diagnostics, tail: scanner.end().tail };
  }
  const list = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `m${index}`, text: "x".repeat(40) }));

  test.each([
    [0, 77],
    [1, 77],
    [0, 1 << 20],
    [1, 1 << 20],
  ])("a value too large to hold is read part by part, its head comes behind them (indent %i, pieces of %i)", (space, piece) => {
    const content = JSON.stringify({ sessionId: "s", messages: list(50) }, null, space);
    const { records, diagnostics, tail } = scan(content, 500, piece);
    expect(records.slice(0, -1).map(({ value }) => value)).toEqual(list(50));
    expect(records.at(-1)).toMatchObject({ value: { sessionId: "s" }, range: { start: 0, end: content.length, sha256: sha256(content) } });
    expect(records.at(-1)?.oversized).toBeUndefined();
    expect([diagnostics, tail]).toEqual([[], null]);
  });

  test("one without any part is a stub, as ever", () => {
    const { records, diagnostics } = scan(JSON.stringify({ other: list(50) }), 500);
    expect(records.map(({ oversized }) => oversized !== undefined)).toEqual([true]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["oversized"]);
  });

  test.each([0, 1])("of one that was cut off the whole parts are there, and the rest is the tail (indent %i)", (space) => {
    const content = JSON.stringify({ messages: list(3) }, null, space);
    const second = content.indexOf("}", content.indexOf('"m1"')) + 1;
    for (let cut = second; cut < content.indexOf("}", second); cut++) {
      const { records, tail } = scan(content.slice(0, cut));
      expect(records.map(({ value }) => value)).toEqual(list(2));
      expect(tail).toMatchObject({ start: second, end: cut });
    }
  });

  test("a list of a member with an element a line is one value, and a record behind it another", () => {
    const content = `{"messages":[\n${list(3)
      .map((each) => JSON.stringify({ type: "x", ...each }))
      .join(",\n")}\n]}\n{"type":"y"}\n`;
    const { records, diagnostics } = scan(content);
    expect(records.map(({ range }) => range.line)).toEqual([1, 6]);
    expect(diagnostics).toEqual([]);
  });
});
