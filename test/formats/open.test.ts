// Opening files of every kind: sessions under any name, what is none, what grows, what is too large.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Opened, openSession, resume, SessionFileError } from "../../src/formats/index.ts";
import { bodyText, entryId, SourceChangedError, sha256 } from "../../src/session/index.ts";
import { unprivileged } from "../build/unprivileged.ts";
import { expectAcrossFiles } from "./expected.ts";
import { expectGrowing, growingCases } from "./growing.ts";
import { type ExpectedRecord, readJson, VECTORS, vectorCases } from "./vectors.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-formats-"));
afterAll(() => rmSync(folder, { recursive: true }));

const linear = join(VECTORS, "pi/linear/session.jsonl");

async function failure(path: string, input?: Readable): Promise<SessionFileError> {
  const error: unknown = await openSession(path, { ...(input && { input }) }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SessionFileError);
  return error as SessionFileError;
}

const texts = ({ session }: Opened) =>
  session
    .path()
    .flatMap(({ entry: { data } }) => ("blocks" in data ? data.blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])) : []));

describe("what is no session", () => {
  const { files } = readJson<{ files: { file: string; format: null }[] }>(join(VECTORS, "not-sessions/expected.json"));
  const codes: Record<string, string> = {
    "empty.jsonl": "empty",
    "only-newlines.jsonl": "empty",
    "binary.jsonl": "binary",
    "folder.jsonl": "is-folder",
    "page.html": "not-a-session",
    "notes.md": "not-a-session",
    "package.json": "not-a-session",
  };

  test.each(files)("$file", async ({ file }) => {
    const path = join(VECTORS, "not-sessions", file);
    const error = await failure(path);
    expect(error.code).toBe(codes[file]);
    expect(error.path).toBe(path);
    expect(error.message.startsWith(`${path}: expected `)).toBe(true);
    expect(error.message).toMatch(/, found .+\. [A-Z`].+\.$/);
    expect(error.message).not.toMatch(/SyntaxError|ENOENT|undefined|\n/);
  });

  test("a path where nothing is", async () => {
    expect((await failure(join(folder, "none.jsonl"))).code).toBe("not-found");
    expect((await failure(join(linear, "below-a-file"))).code).toBe("not-found");
  });

  test("a file without permission", async () => {
    const path = join(folder, "closed.jsonl");
    copyFileSync(linear, path);
    chmodSync(path, 0);
    expect((await unprivileged(folder, () => failure(path))).code).toBe("permission");
  });

  test("a log of ours from a newer version says so", async () => {
    const path = join(folder, "newer.jsonl");
    writeFileSync(path, '{"type":"palimpsest","version":99,"id":"s"}\n');
    expect((await failure(path)).code).toBe("unsupported-version");
  });

  test("a large file that shows no format is not read to its end", async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 1;
        this.push(Buffer.from(`{"n":${given}}\n`.repeat(100)));
      },
    });
    expect((await failure("-", endless)).code).toBe("not-a-session");
    expect(given).toBeLessThan(20);
  });
});

describe("detection", () => {
  const { files } = readJson<{ files: { file: string; format: string; contentFacts: number }[] }>(join(VECTORS, "detection/expected.json"));

  test.each(files)("$file is told by its content", async ({ file, format, contentFacts }) => {
    const path = join(VECTORS, "detection", file);
    const { session, close } = await openSession(path);
    expect(session.identity.format).toBe(format);
    expect(session.path().filter(({ entry }) => ["message", "call", "result"].includes(entry.data.kind)).length).toBe(contentFacts);
    close();
  });

  test("unknown records and bad lines before the first known one are kept", async () => {
    const path = join(folder, "late.jsonl");
    writeFileSync(path, `{"type":"title","title":"T"}\n{"torn\n${readFileSync(linear, "utf8")}`);
    const { session, diagnostics, close } = await openSession(path);
    expect(session.identity).toMatchObject({ format: "pi", id: "0198a1b2-0000-7000-8000-000000000001" });
    expect([...session.entries()].map(({ entry: { data } }) => (data.kind === "marker" ? data.what : data.kind))).toContain("title");
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([["bad-line", 2]]);
    close();
  });
});

describe("standard input", () => {
  test("gives the same session as the file, whatever the pieces", async () => {
    const bytes = readFileSync(linear);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) => Buffer.from(bytes.subarray(index * 7, index * 7 + 7)));
    const seen: (number | undefined)[] = [];
    const piped = await openSession("-", { input: Readable.from(pieces), onProgress: (read, total) => seen.push(read, total) });
    const file = await openSession(linear);
    expect(texts(piped)).toEqual(texts(file));
    expect([...piped.session.entries()].map(({ entry }) => entry.records?.map(({ sha256, start }) => [start, sha256]))).toEqual(
      [...file.session.entries()].map(({ entry }) => entry.records?.map(({ sha256, start }) => [start, sha256])),
    );
    expect(seen.slice(-2)).toEqual([bytes.length, undefined]);
    expect(piped.checkpoint).toBeNull();
    await expect(resume(piped)).rejects.toThrow(TypeError);
    file.close();
  });
});

describe("a file that grows", () => {
  test.each(growingCases())("%s", async (name) => {
    expect(await expectGrowing(name, join(folder, `${name}.jsonl`))).toBe(3);
  });

  const user = (id: string, parent: string | null, content: string) =>
    `{"type":"message","id":"${id}","parentId":${parent === null ? null : `"${parent}"`},"message":{"role":"user","content":"${content}"}}\n`;
  const header = '{"type":"session","version":3,"id":"s","cwd":"/"}\n';

  test("every cut of a file, read on to its end, gives the session of the whole", async () => {
    const whole = Buffer.from(header + user("a", null, "é one") + user("b", "a", "two").trimEnd() + user("c", "b", "three"));
    const path = join(folder, "cuts.jsonl");
    for (let cut = header.length; cut <= whole.length; cut += 5) {
      writeFileSync(path, whole.subarray(0, cut));
      const before = await openSession(path);
      writeFileSync(path, whole);
      const after = await resume(before);
      expect(after.how, `cut at ${cut}`).toBe("append");
      expect(texts(after), `cut at ${cut}`).toEqual(["é one", "two", "three"]);
      after.close();
    }
  });

  test.each<[string, (path: string, content: string) => void]>([
    ["rewritten at the same size", (path, content) => writeFileSync(path, content.replace("two", "TWO"))],
    ["rewritten and longer", (path, content) => writeFileSync(path, content.replace("one", "a longer one") + user("c", "b", "three"))],
    ["cut short", (path) => writeFileSync(path, header + user("a", null, "one"))],
    [
      "put in its place anew",
      (path, content) => {
        writeFileSync(`${path}.new`, content + user("c", "b", "three"));
        unlinkSync(path);
        copyFileSync(`${path}.new`, path);
        writeFileSync(`${path}.other`, "");
      },
    ],
  ])("%s: the session is that of the file as it is now", async (_, change) => {
    const path = join(folder, "changed.jsonl");
    const content = header + user("a", null, "one") + user("b", "a", "two");
    writeFileSync(path, content);
    const before = await openSession(path);
    change(path, content);
    const after = await resume(before);
    const fresh = await openSession(path);
    expect(texts(after)).toEqual(texts(fresh));
    after.close();
    fresh.close();
  });

  test.each([
    ["first", 100],
    ["last", -100],
  ])("a change near the %s byte that was read is found", async (_, at) => {
    const path = join(folder, "long.jsonl");
    const content = header + user("a", null, "x".repeat(20_000));
    writeFileSync(path, content);
    const before = await openSession(path);
    const place = at < 0 ? content.length + at : at;
    writeFileSync(path, `${content.slice(0, place)}y${content.slice(place + 1)}${user("b", "a", "more")}`);
    const after = await resume(before);
    expect(after.how).toBe("reread");
    after.close();
  });

  test("a rewritten file is read anew, an unchanged one is not", async () => {
    const path = join(folder, "same.jsonl");
    writeFileSync(path, header + user("a", null, "one"));
    const before = await openSession(path);
    expect((await resume(before)).how).toBe("append");
    writeFileSync(path, header + user("a", null, "ONE"));
    expect((await resume(before)).how).toBe("reread");
    rmSync(path);
    await expect(resume(before)).rejects.toMatchObject({ code: "not-found" });
  });

  test("a text whose place was cut off since says that the file was changed", async () => {
    const path = join(folder, "cut-off.jsonl");
    writeFileSync(path, header + user("a", null, "long ".repeat(100)));
    const { session, close } = await openSession(path);
    writeFileSync(path, header);
    const data = session.find(entryId("a"))?.entry.data;
    if (data?.kind !== "message" || data.blocks[0]?.type !== "text") throw new Error("no text");
    const { body } = data.blocks[0];
    expect(() => bodyText(body)).toThrow(SourceChangedError);
    close();
  });

  test("texts can be read after the file was closed", async () => {
    const path = join(folder, "closed-again.jsonl");
    writeFileSync(path, header + user("a", null, "long ".repeat(100)));
    const opened = await openSession(path);
    opened.close();
    expect(texts(opened)).toEqual(["long ".repeat(100)]);
    opened.close();
  });
});

test.each(vectorCases("claude-code").flatMap(({ name, files, expected: { acrossFiles } }) => (acrossFiles ? [{ name, files, acrossFiles }] : [])))(
  "$name: what a file shares with the one it was copied from",
  async ({ files, acrossFiles }) => {
    const [copy, original] = await Promise.all(files.map(({ path }) => openSession(path)));
    expect(original?.session.identity.id).toBe(acrossFiles.copyOf);
    expectAcrossFiles((copy as Opened).session, (original as Opened).session, acrossFiles);
    copy?.close();
    original?.close();
  },
);

describe("a record of 100 MB", () => {
  const out = join(folder, "oversized");
  beforeAll(() => {
    mkdirSync(out);
    execFileSync(process.execPath, [join(VECTORS, "oversized/make-oversized.mjs"), out, "100"]);
  });

  test("is a stub; the records around it are whole and memory does not hold it", async () => {
    const expected = readJson<{ oversized: ExpectedRecord; facts: { records: ExpectedRecord[]; kind?: string; stub?: boolean; first60?: string }[] }>(
      join(out, "expected.json"),
    );
    const before = process.memoryUsage();
    let peak = 0;
    const opened = await openSession(join(out, "session.jsonl"), {
      onProgress: () => {
        const now = process.memoryUsage();
        peak = Math.max(peak, now.arrayBuffers - before.arrayBuffers);
      },
    });
    // Twice the limit of 32 MiB, where the held bytes are joined, and some pieces.
    expect(peak).toBeLessThan(90 * 1024 * 1024);
    const { line, byteStart, byteEnd } = expected.oversized;
    expect(opened.diagnostics.filter(({ code }) => code === "oversized")).toEqual([expect.objectContaining({ line, start: byteStart, end: byteEnd })]);
    const facts = opened.session.path().filter(({ entry }) => entry.data.kind !== "usage");
    expect(facts.length).toBe(expected.facts.length);
    for (const [index, fact] of expected.facts.entries()) {
      const { entry } = facts[index] as (typeof facts)[number];
      expect(entry.records?.map((range) => ({ line: range.line, byteStart: range.start, byteEnd: range.end, sha256: range.sha256 }))).toEqual(fact.records);
      expect(fact.stub ? ["marker", "result"] : [fact.kind]).toContain(entry.data.kind);
    }
    expect(texts(opened).at(-1)).toBe("That was a lot.");
    opened.close();
  });
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/pi/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith(".jsonl")) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings of Pi sessions are not there");

test.each(recordings)("recording %s: nothing of it is lost", async (name) => {
  const path = join(corpus, name);
  const opened = await openSession(path);
  const { session, diagnostics, tail } = opened;
  expect(diagnostics).toEqual([]);
  expect(tail).toBeNull();
  const bytes = readFileSync(path);
  const covered = new Map<number, number>();
  for (const { entry } of session.entries())
    for (const range of entry.records ?? []) {
      expect(sha256(bytes.subarray(range.start, range.end))).toBe(range.sha256);
      covered.set(range.start, range.end);
    }
  // Between the records stand the header and blanks alone.
  let at = bytes.indexOf(0x0a);
  for (const [start, end] of [...covered].sort(([a], [b]) => a - b)) {
    expect(bytes.subarray(at, start).toString("utf8").trim()).toBe("");
    at = end;
  }
  expect(bytes.subarray(at).toString("utf8").trim()).toBe("");
  expect(statSync(path).size).toBe(bytes.length);
  for (const { entry } of session.entries())
    if ("blocks" in entry.data) for (const block of entry.data.blocks) if (block.type === "text") expect(sha256(bodyText(block.body))).toBe(block.body.sha256);
  opened.close();
});

test.skipIf(!recordings.includes("compact.jsonl"))("recording compact.jsonl: a message and a compaction glued on its last line are both there", async () => {
  const { session, close } = await openSession(join(corpus, "compact.jsonl"));
  const last = [...session.entries()].filter(({ entry }) => entry.records?.[0]?.line === 1013).map(({ entry }) => entry.data.kind);
  expect(last).toContain("message");
  expect(last).toContain("compact");
  close();
});
