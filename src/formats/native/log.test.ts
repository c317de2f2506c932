import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contents, fact, fourBatches, ids, memory, plain, recorded, stored } from "../../../test/build/native.ts";
import { arbitrarySession, FULL_IDENTITY, sessionOf } from "../../../test/generate/sessions.ts";
import { bodyText, entryId, type RecordRange, Session, type Source, SourceChangedError, sha256, textBody } from "../../session/index.ts";
import type { FormatReader } from "../reader.ts";
import { NativeLogError, nativeReader, openNative, readNative, writeNative } from "./log.ts";

let folder = "";
let log = "";
let bodies = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "native-log-"));
  log = join(folder, "a.jsonl");
  bodies = join(folder, "a.bodies");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Reads a log as any format is read: by records, with nothing but what a scanner gives. */
function readByRecords(path: string, reader: FormatReader = nativeReader()): FormatReader {
  const source: Source = { name: path, read: (start, end) => readFileSync(path).subarray(start, end) };
  let start = 0;
  for (const [n, text] of readFileSync(path, "utf8").split("\n").entries()) {
    const end = start + Buffer.byteLength(text);
    if (text !== "") reader.add({ range: { source, line: n + 1, start, end, sha256: sha256(text) }, value: JSON.parse(text) });
    start = end + 1;
  }
  return reader;
}

describe("a written session", () => {
  test("reads back with the same entries, refs, heads and texts, whatever it holds", () => {
    fc.assert(
      fc.property(arbitrarySession({ size: 30 }), fc.nat(), (entries, pick) => {
        const session = sessionOf(entries, FULL_IDENTITY);
        const head = entries[pick % Math.max(entries.length, 1)];
        if (head && pick % 2 === 0) session.continueAt(head.id);
        writeNative(session, log, { existing: "replace" });
        const { session: read, diagnostics } = readNative(log);
        expect(contents(read)).toEqual(contents(session));
        expect(read.identity).toEqual(session.identity);
        expect(read.head?.entry.id).toBe(session.head?.entry.id);
        expect(read.heads().map((place) => place.entry.id)).toEqual(session.heads().map((place) => place.entry.id));
        expect(diagnostics.map((each) => each.code)).toEqual(session.illegal.map(() => "illegal-decision"));
        expect(contents(readByRecords(log).session())).toEqual(contents(session));
      }),
      { numRuns: 150 },
    );
  });

  test("is the same when it was appended batch by batch", () => {
    fc.assert(
      fc.property(arbitrarySession({ size: 20 }), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (entries, sizes) => {
        const identity = { id: "s", format: "palimpsest" };
        const whole = sessionOf([], identity);
        writeNative(whole, log, { existing: "replace" });
        const open = openNative(log);
        for (let at = 0, n = 0; at < entries.length; n += 1) {
          const batch = entries.slice(at, at + (sizes[n % sizes.length] ?? 1));
          const refusal = open.append(batch);
          const expected = whole.appendAll(batch);
          expect(refusal).toEqual(expected);
          at += batch.length;
        }
        expect(contents(open.session)).toEqual(contents(whole));
        open.close();
        expect(contents(readNative(log).session)).toEqual(contents(whole));
        expect(readNative(log).session.head?.entry.id).toBe(whole.head?.entry.id);
      }),
      { numRuns: 60 },
    );
  });

  test("needs no other file: records are recalled byte for byte under the name they were read from", () => {
    const session = recorded();
    writeNative(session, log);
    const read = readNative(log).session;
    expect(contents(read)).toEqual(contents(session));
    const places = [...read.entries()];
    expect(places.map(({ entry }) => entry.records?.map(({ source, line, start }) => [source.name, line, start]))).toEqual([
      [["/elsewhere/host.jsonl", 1, 0]],
      [["/elsewhere/host.jsonl", 1, 0]],
      [["/elsewhere/host.jsonl", 2, session.path()[2]?.entry.records?.[0]?.start]],
    ]);
    expect(places[0]?.entry.records?.[0]).toBe(places[1]?.entry.records?.[0]);
    expect(readdirSync(folder).sort()).toEqual(["a.bodies", "a.jsonl"]);
  });

  test("holds each record once, and no text that lies in one", () => {
    writeNative(recorded(), log);
    const records = [...recorded().entries()].flatMap(({ entry }) => entry.records ?? []);
    const sizes = new Map(records.map(({ sha256: hash, start, end }) => [hash, end - start]));
    expect(statSync(bodies).size).toBe([...sizes.values()].reduce((sum, size) => sum + size, 0));
  });

  test("survives being copied from log to log", () => {
    writeNative(recorded(), log);
    const again = join(folder, "b.jsonl");
    writeNative(readNative(log).session, again);
    rmSync(log);
    rmSync(bodies);
    expect(contents(readNative(again).session)).toEqual(contents(recorded()));
  });

  test("never takes the place of a file, unless told to", () => {
    writeFileSync(log, "mine");
    expect(() => writeNative(recorded(), log)).toThrow(/a\.jsonl: expected no file, found one/);
    expect(readFileSync(log, "utf8")).toBe("mine");
    writeNative(recorded(), log, { existing: "replace" });
    expect(contents(readNative(log).session)).toEqual(contents(recorded()));
    rmSync(log);
    expect(() => writeNative(recorded(), log)).toThrow(NativeLogError);
    expect(readdirSync(folder)).toEqual(["a.bodies"]);
  });

  test("leaves nothing behind when a record was changed since it was read", () => {
    const session = new Session({ id: "s", format: "pi" });
    const records: RecordRange[] = [{ source: memory("host.jsonl", '{"now":2}'), line: 1, start: 0, end: 9, sha256: sha256('{"now":1}') }];
    session.load({ ...fact("a", null), records });
    expect(() => writeNative(session, log)).toThrow(SourceChangedError);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("damage", () => {
  test("to a body is noticed when it is read, to a record too", () => {
    writeNative(recorded(), log);
    const bytes = readFileSync(bodies);
    bytes.write("#", 30);
    writeFileSync(bodies, bytes);
    const [first, , third] = [...readNative(log).session.entries()];
    expect(() => first && plain(first)).toThrow(
      new RegExp(
        `a\\.bodies, bytes 0 to \\d+: expected the bytes read before, found bytes with the sha256 ${sha256(bytes.subarray(0, first?.entry.records?.[0]?.end))}`,
      ),
    );
    expect(third && plain(third)).toEqual([...recorded().entries()].map(plain)[2]);
  });

  test("to a body that lies by itself is noticed", () => {
    fourBatches(log);
    const bytes = readFileSync(bodies);
    bytes[3] = 0x23;
    writeFileSync(bodies, bytes);
    const first = readNative(log).session.path()[0];
    expect(() => first && plain(first)).toThrow(SourceChangedError);
  });

  test("to a line costs its batch and is reported, what does not hang on it is kept", () => {
    const session = new Session({ id: "s", format: "palimpsest" });
    for (const entry of [fact("a", null), fact("b", "a"), fact("c", "b"), fact("d", "a")]) session.load(entry);
    writeNative(session, log);
    writeFileSync(log, readFileSync(log, "utf8").replace('"id":"b"', '"id":7'));
    const { session: read, diagnostics } = readNative(log);
    expect(ids(read)).toEqual(["a", "d"]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ["bad-entry", 3],
      ["missing-parent", 4],
    ]);
    expect(diagnostics[0]?.message).toMatch(/id: .*expected string/);
  });

  test("inside a batch costs that batch alone", () => {
    const steps = fourBatches(log);
    const bytes = readFileSync(log);
    bytes.write("#", steps[3]?.lines ?? 0);
    writeFileSync(log, bytes);
    const open = openNative(log);
    expect(open.append([fact("x", "m")])).toBeUndefined();
    open.close();
    const { session, diagnostics } = readNative(log);
    expect(ids(session)).toEqual(["u", "a", "c", "r", "m", "x"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["bad-line", "broken-batch"]);
    expect(diagnostics[1]?.message).toContain("has 2 lines, of which 1 can be read");
  });

  test("to the last line of a batch does not cost the next one", () => {
    writeNative(new Session({ id: "s", format: "palimpsest" }), log);
    const open = openNative(log);
    open.append([fact("a", null), fact("b", "a"), fact("c", "b")]);
    open.append([fact("d", null), fact("e", "d")]);
    open.close();
    writeFileSync(log, readFileSync(log, "utf8").replace('"batch":3', '"batch":"3"'));
    const { session, diagnostics } = readNative(log);
    expect(ids(session)).toEqual(["d", "e"]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ["bad-entry", 4],
      ["broken-batch", 3],
    ]);
  });

  test("of the first line, another version and a file of another kind are told apart", () => {
    expect(() => readNative(log)).toThrow(/expected a native log, found no file/);
    writeFileSync(log, "");
    expect(() => readNative(log)).toThrow(/found no whole line/);
    writeFileSync(log, '{"type":"session","version":3}\n');
    expect(() => openNative(log)).toThrow(/found something else/);
    writeFileSync(log, '{"type":"palimpsest","version":2,"id":"s","origin":{"format":"palimpsest"}}\n{}\n');
    expect(() => openNative(log)).toThrow(/version 1, found another: version: .*newer program/);
    const reader = readByRecords(log);
    expect(reader.session().size).toBe(0);
    expect(reader.diagnostics.map(({ code }) => code)).toEqual(["bad-header"]);
    expect(readFileSync(log, "utf8")).toContain('"version":2');
  });
});

describe("bodies", () => {
  test("that are not there at all are asked for, and nothing is cut", () => {
    fourBatches(log);
    const before = readFileSync(log);
    rmSync(bodies);
    expect(() => openNative(log)).toThrow(/expected its texts in .*a\.bodies, found no such file/);
    expect(readFileSync(log)).toEqual(before);
    expect(readNative(log).diagnostics.map(({ code }) => code)).toEqual(["bodies-missing"]);
  });

  test("are read from the log's own folder only: a link there is not followed", () => {
    fourBatches(log);
    const elsewhere = mkdtempSync(join(tmpdir(), "native-log-other-"));
    try {
      renameSync(bodies, join(elsewhere, "a.bodies"));
      symlinkSync(join(elsewhere, "a.bodies"), bodies);
      expect(() => openNative(log)).toThrow(NativeLogError);
      expect(readNative(log).session.size).toBe(0);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test("of a log that came through a pipe are missed, not looked for", () => {
    fourBatches(log);
    const reader = nativeReader();
    const source: Source = { name: "-", read: () => new Uint8Array() };
    for (const line of readFileSync(log, "utf8").trimEnd().split("\n"))
      reader.add({ range: { source, line: 1, start: 0, end: line.length, sha256: sha256(line) }, value: JSON.parse(line) });
    expect(reader.session().size).toBe(0);
    expect(reader.diagnostics.map(({ code }) => code)).toEqual(["bodies-missing"]);
  });

  test("are stored once, over all batches", () => {
    fourBatches(log);
    const size = statSync(bodies).size;
    const open = openNative(log);
    open.append([fact("x", "e", { kind: "notice", code: "n", text: stored("u") })]);
    open.close();
    expect(statSync(bodies).size).toBe(size);
    expect(bodyText(stored("u"))).toBe(lastText());
  });

  test("that UTF-8 cannot hold come back as they were", () => {
    const lone = "\ud83d".repeat(300);
    const replaced = "\ufffd".repeat(300);
    writeNative(new Session({ id: "s", format: "palimpsest" }), log);
    const open = openNative(log);
    open.append([
      fact("a", null, { kind: "notice", code: "n", text: textBody(replaced) }),
      fact("b", "a", { kind: "notice", code: "n", text: textBody(lone) }),
    ]);
    open.close();
    expect(lastText()).toBe(lone);
  });
});

function lastText(): string {
  const data = [...readNative(log).session.entries()].at(-1)?.entry.data;
  return data?.kind === "notice" ? bodyText(data.text) : "";
}

describe("an open log", () => {
  test("takes a batch whole or not at all", () => {
    fourBatches(log);
    const before = readFileSync(log);
    const open = openNative(log);
    expect(open.append([fact("x", "e"), fact("x", "x")])?.code).toBe("duplicate-id");
    expect(open.append([fact("x", "e"), fact("y", "nowhere")])?.code).toBe("missing-parent");
    expect(
      open.append([fact("x", "e"), fact("y", "x", { kind: "fold", from: entryId("u"), to: entryId("x"), kept: [], body: stored("y"), by: "agent" })])?.code,
    ).toBe("refused");
    expect(open.append([])).toBeUndefined();
    expect(open.session.find(entryId("x"))).toBeUndefined();
    expect(readFileSync(log)).toEqual(before);
    expect(open.append([fact("x", "e"), fact("y", "x")])).toBeUndefined();
    open.close();
    expect(open.append([fact("z", "y")])).toMatchObject({ code: "closed" });
    expect(ids(readNative(log).session).slice(-2)).toEqual(["x", "y"]);
    expect(open.session.size).toBe(readNative(log).session.size);
  });

  test("refuses after another writer wrote, and loses neither's batches", () => {
    fourBatches(log);
    const [one, other] = [openNative(log), openNative(log)];
    expect(one.append([fact("x", "e")])).toBeUndefined();
    const refusal = other.append([fact("y", "e")]);
    expect(refusal?.code).toBe("other-writer");
    expect(refusal?.message).toMatch(/another writer was here.*open it again/);
    expect(other.session.find(entryId("y"))).toBeUndefined();
    expect(one.append([fact("z", "x")])).toBeUndefined();
    one.close();
    other.close();
    expect(ids(readNative(log).session).slice(-2)).toEqual(["x", "z"]);
    expect(readNative(log).diagnostics).toEqual([]);
  });

  test("refuses when bodies were written, or another file has its name", () => {
    fourBatches(log);
    const open = openNative(log);
    appendFileSync(bodies, "half a body of somebody else");
    expect(open.append([fact("x", "e")])?.code).toBe("other-writer");
    open.close();
    const again = openNative(log);
    writeNative(recorded(), log, { existing: "replace" });
    expect(again.append([fact("x", "e")])?.code).toBe("other-writer");
    again.close();
    expect(contents(readNative(log).session)).toEqual(contents(recorded()));
  });

  test("reports a record that was changed since it was read, and takes nothing of the batch", () => {
    fourBatches(log);
    const open = openNative(log);
    const records: RecordRange[] = [{ source: memory("host.jsonl", "12345"), line: 1, start: 0, end: 5, sha256: sha256("1") }];
    expect(open.append([fact("x", "e"), { ...fact("y", "x"), records }])).toMatchObject({
      code: "not-written",
      message: expect.stringContaining("host.jsonl"),
    });
    expect(open.session.find(entryId("x"))).toBeUndefined();
    expect(open.append([fact("x", "e")])).toBeUndefined();
    open.close();
    expect(existsSync(`${log}.cut`)).toBe(false);
  });

  test("grows under a reader that reads on", () => {
    fourBatches(log);
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    const reader = nativeReader();
    const source: Source = { name: log, read: () => new Uint8Array() };
    const sizes = lines.map((line, n) => {
      reader.add({ range: { source, line: n + 1, start: 0, end: line.length, sha256: sha256(line) }, value: JSON.parse(line) });
      return [reader.session().size, reader.diagnostics.map(({ code }) => code).join()];
    });
    expect(sizes).toEqual([
      [0, ""],
      [0, "torn-tail"],
      [0, "torn-tail"],
      [3, ""],
      [4, ""],
      [5, ""],
      [5, "torn-tail"],
      [7, ""],
    ]);
  });
});
