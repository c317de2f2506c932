import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CsvError, formatCsv, parseCsv, parseTable } from "../src/index.js";

const fieldsOf = (text, options) => parseCsv(text, options).map(({ fields }) => fields);

describe("parseCsv", () => {
  for (const [what, text, expected] of [
    [
      "plain fields",
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CRLF",
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["no newline at the end", "a,b", [["a", "b"]]],
    ["empty fields", ",a,,\n", [["", "a", "", ""]]],
    ["blank lines", "a\n\n\nb\n", [["a"], ["b"]]],
    ["spaces around a bare field", " a , b \n", [["a", "b"]]],
    ["a separator in quotes", '"a,b",c\n', [["a,b", "c"]]],
    ["doubled quotes", '"say ""hi""",b\n', [['say "hi"', "b"]]],
    ["a line break in quotes", '"a\r\nb",c\n', [["a\r\nb", "c"]]],
    ["an empty quoted field alone", '""\n', [[""]]],
    ["spaces inside quotes", '"  a ",b\n', [["  a ", "b"]]],
  ]) {
    it(`reads ${what}`, () => assert.deepEqual(fieldsOf(text), expected));
  }
  it("takes another separator", () => assert.deepEqual(fieldsOf("a;b,c\n", { separator: ";" }), [["a", "b,c"]]));
  it("keeps the line a record began on", () =>
    assert.deepEqual(
      parseCsv('a\n"b\nb"\nc\n').map(({ line }) => line),
      [1, 2, 4],
    ));
  it("says where a quote was opened", () => assert.throws(() => parseCsv('a\n"b\nc'), { name: "CsvError", line: 2 }));
  it("refuses text after a closing quote", () => assert.throws(() => parseCsv('"a"b\n'), CsvError));
});

describe("parseTable", () => {
  it("names the fields", () => assert.deepEqual(parseTable("SKU,Reorder point\nX,5\n"), [{ line: 2, values: { sku: "X", reorder_point: "5" } }]));
  it("says which line is too short", () => assert.throws(() => parseTable("a,b\n1,2\n3\n"), /expected 2 fields, found 1 \(line 3/));
});

describe("formatCsv", () => {
  it("gives back what it wrote", () => {
    const rows = [
      ["a", 'b "quoted"', "c,d"],
      ["line\nbreak", " spaces ", ""],
    ];
    assert.deepEqual(fieldsOf(formatCsv(rows)), rows);
  });
});
