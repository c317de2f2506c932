import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diagnostic, RawRecord } from "../reader.ts";
import { BufferSource } from "../source.ts";
import { RecordScanner, type ScanOptions, type Tail } from "./scan.ts";
import type { ScanPosition } from "./sink.ts";

interface Scanned {
  readonly records: RawRecord[];
  readonly diagnostics: Diagnostic[];
  readonly tail: Tail | null;
  readonly resumeAt: ScanPosition;
}

function scan(content: string | Uint8Array, options: ScanOptions & { readonly cuts?: readonly number[] } = {}): Scanned {
  const bytes = Buffer.from(content as Uint8Array);
  const source = new BufferSource("test.jsonl");
  source.push(bytes);
  const records: RawRecord[] = [];
  const diagnostics: Diagnostic[] = [];
  const scanner = new RecordScanner(source, { record: (record) => records.push(record), diagnostic: (diagnostic) => diagnostics.push(diagnostic) }, options);
  // One buffer for every piece, wiped in between: what the scanner keeps must be its own.
  const piece = Buffer.alloc(bytes.length);
  let from = options.from?.offset ?? 0;
  for (const to of [...(options.cuts ?? []).filter((cut) => cut < bytes.length), bytes.length]) {
    if (to <= from) continue;
    bytes.copy(piece, 0, from, to);
    scanner.push(piece.subarray(0, to - from));
    piece.fill(0xff);
    from = to;
  }
  return { records, diagnostics, ...scanner.end() };
}

const values = ({ records }: Scanned) => records.map(({ value }) => value);
const places = ({ records }: Scanned) => records.map(({ range }) => [range.line, range.start, range.end]);
const noticed = ({ diagnostics }: Scanned) => diagnostics.map(({ code, line, start, end }) => [code, line, start, end]);

describe("lines", () => {
  test("one value a line, each with its place and hash", () => {
    const scanned = scan('{"a":1}\n{"b":"\u00e9"}\n');
    expect(values(scanned)).toEqual([{ a: 1 }, { b: "\u00e9" }]);
    expect(places(scanned)).toEqual([
      [1, 0, 7],
      [2, 8, 18],
    ]);
    expect(scanned.records[1]?.range.sha256).toBe(createHash("sha256").update('{"b":"\u00e9"}').digest("hex"));
    expect(scanned.tail).toBeNull();
    expect(scanned.resumeAt).toEqual({ offset: 19, line: 3 });
    expect(scanned.diagnostics).toEqual([]);
  });

  test("blanks, blank lines, carriage returns and a byte order mark are no part of a value", () => {
    expect(places(scan('\ufeff {"a":1}\t\r\n\n \r\n{"b":2}\r\n'))).toEqual([
      [1, 4, 11],
      [4, 18, 25],
    ]);
  });

  test("only 0x0A ends a line", () => {
    const scanned = scan('{"a":"x\u2028y\u2029z\u0085"}\n{"b":1}\n');
    expect(values(scanned)).toEqual([{ a: "x\u2028y\u2029z\u0085" }, { b: 1 }]);
    expect(scanned.records[1]?.range.line).toBe(2);
  });

  test("lone surrogates and whole-line bare values", () => {
    expect(values(scan('{"a":"\\ud83d"}\n"text"\n12\nnull\n[1]\n'))).toEqual([{ a: "\ud83d" }, "text", 12, null, [1]]);
  });

  test("bytes that are no UTF-8 read as U+FFFD, and are noticed", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from([0xff]), Buffer.from('"}\n{"b":"\ufffd"}\n')]);
    const scanned = scan(bytes);
    expect(values(scanned)).toEqual([{ a: "x\ufffd" }, { b: "\ufffd" }]);
    expect(noticed(scanned)).toEqual([["invalid-utf8", 1, 0, 10]]);
    expect(scanned.records[0]?.range.sha256).toBe(createHash("sha256").update(bytes.subarray(0, 10)).digest("hex"));
  });
});

describe("several values on a line, one over many lines", () => {
  test("glued values are values of their own", () => {
    expect(places(scan('{"a":"}{"}{"b":[{}]} [1]{"c":3}\n'))).toEqual([
      [1, 0, 10],
      [1, 10, 20],
      [1, 21, 24],
      [1, 24, 31],
    ]);
  });

  test("pretty-printed values, one behind the other", () => {
    const first = JSON.stringify({ a: [1, { b: 'x{"\\' }], c: null }, null, 2);
    const second = JSON.stringify({ d: {} }, null, 2);
    const scanned = scan(`${first}\n${second} ${first}\n`);
    expect(values(scanned)).toEqual([JSON.parse(first), JSON.parse(second), JSON.parse(first)]);
    expect(scanned.records.map(({ range }) => range.line)).toEqual([1, 10, 12]);
    expect(scanned.records[0]?.range.end).toBe(first.length);
  });

  test("a pretty-printed list of objects that stand at the start of lines", () => {
    expect(values(scan('[\n{"a":1},\n{"b":2}\n]\n'))).toEqual([[{ a: 1 }, { b: 2 }]]);
  });
});

describe("torn lines", () => {
  const record = (id: string) => `{"type":"message","id":"${id}","parentId":null}`;

  test("a line torn within a string costs itself alone", () => {
    const scanned = scan(`${record("a")}\n{"type":"message","id":"b\n${record("c")}\n`);
    expect(values(scanned).map((value) => (value as { id: string }).id)).toEqual(["a", "c"]);
    expect(noticed(scanned)).toEqual([["bad-line", 2, 44, 69]]);
  });

  test("a line torn between two names ends where a whole object begins a line", () => {
    const torn = '{"type":"message","id":"b",';
    const scanned = scan(`${torn}\n${record("c")}\n${record("d")}\n`);
    expect(values(scanned).map((value) => (value as { id: string }).id)).toEqual(["c", "d"]);
    expect(noticed(scanned)).toEqual([["bad-line", 1, 0, torn.length]]);
  });

  test("glued records behind a torn line are both there", () => {
    expect(scan(`{"type":"message",\n${record("a")}${record("b")}\n`).records.length).toBe(2);
  });

  test("records glued behind a torn one on its line are there", () => {
    const torn = '{"type":"message","id":"b","content":[{"type":"text","text":"x"},{"ty';
    const scanned = scan(`${record("a")}\n${torn}${record("c")}${record("d")}\n`);
    expect(values(scanned).map((value) => (value as { id: string }).id)).toEqual(["a", "c", "d"]);
    expect(noticed(scanned)).toEqual([["bad-line", 2, 44, 44 + torn.length]]);
  });

  test("quotes within a glued record do not hide its start", () => {
    const glued = '{"type":"message","id":"c","parentId":"x\\"}{\\\\"}';
    const scanned = scan(`${record("a")}\n{"type":"mess${glued}\n`);
    expect(values(scanned)[1]).toEqual({ type: "message", id: "c", parentId: 'x"}{\\' });
  });

  test("a part of a torn record is no record", () => {
    const scanned = scan(`${record("a")}\nxx"id":"b","content":[{"type":"text","id":"x"}\n`);
    expect(scanned.records.length).toBe(1);
    expect(scanned.diagnostics.length).toBe(1);
  });

  test("garbage is a bad line without its blanks", () => {
    expect(noticed(scan('  %%% not json at all \r\n{"a":1}\n'))).toEqual([["bad-line", 1, 2, 21]]);
  });

  test("a block of NUL bytes, on its own line or before a record", () => {
    const scanned = scan(`{"a":1}\n${"\0".repeat(9000)}\n${"\0".repeat(3)}{"b":2}\n`);
    expect(values(scanned)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(noticed(scanned)).toEqual([
      ["nul-block", 2, 8, 9008],
      ["nul-block", 3, 9009, 9012],
    ]);
  });
});

describe("the end", () => {
  test("a last line without its end is a record when it is whole", () => {
    const scanned = scan('{"a":1}\n{"b":2}');
    expect(values(scanned)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(scanned).toMatchObject({ tail: null, resumeAt: { offset: 15, line: 2 } });
  });

  test.each(['{"b":"x', '{"b":', "tru", "12", "\0\0\0", '{\n"b": 1,\n', '{\n"b": 1,\n"c'])("an unfinished end %j is a tail, and no error", (end) => {
    const scanned = scan(`{"a":1}\n${end}`);
    expect(values(scanned)).toEqual([{ a: 1 }]);
    expect(scanned.tail).toEqual({ line: 2, start: 8, end: 8 + end.length });
    expect(scanned.resumeAt).toEqual({ offset: 8, line: 2 });
    expect(scanned.diagnostics).toEqual([]);
  });

  test("reading goes on where it ended", () => {
    const content = '{"a":1}\n{"b":"torn"}\n{"c":3}';
    for (let cut = 0; cut <= content.length; cut++) {
      const first = scan(content.slice(0, cut));
      const second = scan(content, { from: first.resumeAt });
      expect([...places(first), ...places(second)], `cut at ${cut}`).toEqual(places(scan(content)));
    }
  });
});

describe("values too large to hold", () => {
  const big = (size: number) => `{"id":"big","text":"${"x".repeat(size)}"}`;

  test.each([[[]], [[1000]], [[10, 500, 4000, 70_000, 199_999]]])("is a stub with place, hash, head and tail, cut at %j", (cuts) => {
    const value = big(200_000);
    const scanned = scan(`{"a":1}\n${value}\n{"b":2}{"c":3}\n`, { limit: 1000, cuts });
    expect(places(scanned)).toEqual([
      [1, 0, 7],
      [2, 8, 8 + value.length],
      [3, 9 + value.length, 16 + value.length],
      [3, 16 + value.length, 23 + value.length],
    ]);
    const stub = scanned.records[1];
    expect(stub?.value).toBeUndefined();
    expect(stub?.range.sha256).toBe(createHash("sha256").update(value).digest("hex"));
    expect(stub?.oversized?.head === value.slice(0, 65_536)).toBe(true);
    expect(stub?.oversized?.tail === value.slice(-65_536)).toBe(true);
    expect(noticed(scanned)).toEqual([["oversized", 2, 8, 8 + value.length]]);
  });

  test("glued and pretty-printed ones, and one that is torn", () => {
    const pretty = `{\n"id": "${"y".repeat(3000)}",\n"b": 1\n}`;
    const content = `${big(2000)}{"a":1}\n${pretty}\n${big(3000).slice(0, -5)}\n{"b":2}\n{"c":\n${big(2000)}\n{"d":4}\n`;
    const whole = scan(content, { limit: 1000 });
    expect(whole.records.map(({ value, oversized }) => (oversized ? "stub" : value))).toEqual(["stub", { a: 1 }, "stub", { b: 2 }, "stub", { d: 4 }]);
    expect(whole.diagnostics.map(({ code }) => code)).toEqual(["oversized", "oversized", "bad-line", "bad-line", "oversized"]);
    for (let cut = 1; cut < content.length; cut += 211) expect(places(scan(content, { limit: 1000, cuts: [cut, cut + 90] }))).toEqual(places(whole));
  });

  test("a torn one ends with its line, whatever follows", () => {
    const torn = `${big(3000).slice(0, -5)}\n`;
    for (const cuts of [[], [1500, 2500]]) {
      expect(values(scan(`${torn}[1]\n{"b":2}\n`, { limit: 1000, cuts }))).toEqual([[1], { b: 2 }]);
      const alone = scan(torn, { limit: 1000, cuts });
      expect([noticed(alone), alone.tail]).toEqual([[["bad-line", 1, 0, torn.length - 1]], null]);
    }
  });

  test("a long line that is no value is one bad line", () => {
    const garbage = `%${"z".repeat(5000)}`;
    for (const cuts of [[], [700, 1500, 4000]])
      expect(noticed(scan(`{"a":1}\n${garbage}\n{"b":2}\n`, { limit: 1000, cuts }))).toEqual([["bad-line", 2, 8, 8 + garbage.length]]);
  });

  test("one that does not end is a tail", () => {
    const content = `{"a":1}\n${big(5000).slice(0, -3)}`;
    for (const cuts of [[], [1200, 3000]]) expect(scan(content, { limit: 1000, cuts }).tail).toEqual({ line: 2, start: 8, end: content.length });
  });

  test("what the scanner keeps of it does not grow with it", () => {
    const scanner = new RecordScanner(new BufferSource("-"), { record() {}, diagnostic() {} }, { limit: 1 << 20 });
    const piece = Buffer.alloc(1 << 20, "x");
    scanner.push(Buffer.from('{"a":"'));
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    for (let count = 0; count < 200; count++) {
      scanner.push(piece);
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }
    expect(peak).toBeLessThan(100 << 20);
    expect(scanner.end().tail?.end).toBe((200 << 20) + 6);
  });
});

const line = fc.oneof(
  { weight: 4, arbitrary: fc.json() },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("message"), id: fc.string(), text: fc.string({ unit: "grapheme" }) }).map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.object().map((value) => JSON.stringify(value, null, 1)) },
  { weight: 1, arbitrary: fc.tuple(fc.object(), fc.object()).map(([a, b]) => JSON.stringify(a) + JSON.stringify(b)) },
  { weight: 1, arbitrary: fc.string() },
);

test("any content gives the same in any pieces", () => {
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom("\n", "\r\n", "\n\n"),
      fc.boolean(),
      fc.array(fc.nat(2000)),
      fc.constantFrom(20, 100, 1 << 20),
      (lines, end, ended, cuts, limit) => {
        const content = lines.join(end) + (ended ? end : "");
        const pieces = scan(content, { cuts: cuts.sort((a, b) => a - b), limit });
        const whole = scan(content, { limit });
        expect(pieces.records.map(({ range: { source: _, ...range }, value }) => ({ range, value }))).toEqual(
          whole.records.map(({ range: { source: _, ...range }, value }) => ({ range, value })),
        );
        expect(pieces.tail).toEqual(whole.tail);
        expect(pieces.resumeAt).toEqual(whole.resumeAt);
        if (limit > 1000) expect(pieces.diagnostics).toEqual(whole.diagnostics);
      },
    ),
    { numRuns: 1000 },
  );
});

test("one JSON value a line: every value is found", () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { minLength: 1 }), (lines) => {
      const scanned = scan(`${lines.join("\n")}\n`);
      expect(values(scanned)).toEqual(lines.map((each) => JSON.parse(each) as unknown));
      expect(scanned.diagnostics).toEqual([]);
    }),
  );
});

test("a changed byte costs at most the records of the lines it touches", () => {
  const record = fc
    .record({ type: fc.constant("message"), id: fc.string({ maxLength: 8 }), parentId: fc.constant(null), message: fc.object({ maxDepth: 2 }) })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(record, { minLength: 3, maxLength: 8 }), fc.nat(), fc.nat(255), (lines, place, byte) => {
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      const at = place % bytes.length;
      const isNewline = bytes[at] === 0x0a;
      const touched = bytes.subarray(0, at).toString("latin1").split("\n").length - 1;
      bytes[at] = byte;
      const scanned = scan(bytes);
      const kept = lines.filter((_, index) => index !== touched && !(isNewline && index === touched + 1));
      const found = scanned.records.map(({ range }) => bytes.toString("utf8", range.start, range.end));
      let next = 0;
      for (const text of found) if (text === kept[next]) next += 1;
      expect(next).toBe(kept.length);
    }),
    { numRuns: 3000 },
  );
});
