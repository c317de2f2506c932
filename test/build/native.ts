// Small native logs and sessions of records, and what two of them are compared by.
import { statSync } from "node:fs";
import { openNative, writeNative } from "../../src/formats/native/log.ts";
import {
  type Body,
  bodyText,
  type Decision,
  type Entry,
  entryId,
  type Fact,
  type Place,
  pointedBody,
  type RecordRange,
  refOf,
  Session,
  type Source,
  sha256,
  textBody,
} from "../../src/session/index.ts";
import { FULL_IDENTITY } from "../generate/sessions.ts";

/** An entry with every body as its text, and every record as its bytes: what two logs can be compared by. */
export function plain({ entry, illegal, ...place }: Place): unknown {
  const { records, ...rest } = entry;
  const data: unknown = JSON.parse(JSON.stringify(rest, (_key, value: unknown) => (isBody(value) ? { ...value, at: bodyText(value) } : value)));
  const copies = records?.map(({ source, ...range }) => ({
    ...range,
    source: source.name,
    bytes: Buffer.from(source.read(range.start, range.end)).toString("latin1"),
  }));
  return { data, copies, illegal, ref: refOf({ entry, ...place }), depth: place.depth };
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && "sha256" in value && "chars" in value;
}

export function contents(session: Session): unknown[] {
  return [...session.entries()].map(plain);
}

export function ids(session: Session): string[] {
  return [...session.entries()].map((place) => place.entry.id);
}

/** A text just long enough to be stored beside the lines. */
export function stored(owner: string): Body {
  return textBody(`${owner}: größer than a line holds, `.repeat(6));
}

export function fact(
  id: string,
  parent: string | null,
  data: Fact | Decision = { kind: "message", role: "user", blocks: [{ type: "text", body: stored(id) }] },
): Entry {
  return { id: entryId(id), parent: parent === null ? null : entryId(parent), data };
}

/** A record source in memory. */
export function memory(name: string, text: string): Source {
  const bytes = Buffer.from(text);
  return { name, read: (start, end) => bytes.subarray(start, end) };
}

/** A session of records as a reader makes it: two entries share the first, texts point into them. */
export function recorded(): Session {
  const long = 'a long "text" with\nlines and größer words, '.repeat(8);
  const first = JSON.stringify({ id: "r1", text: long, other: "x".repeat(200) });
  const second = JSON.stringify({ id: "r2", text: "short" });
  const source = memory("/elsewhere/host.jsonl", `${first}\n${second}\n`);
  const range = (line: number, start: number, text: string): RecordRange => ({
    source,
    line,
    start,
    end: start + Buffer.byteLength(text),
    sha256: sha256(text),
  });
  const records = [range(1, 0, first)];
  const pointed = (text: string, pick: readonly string[]) => pointedBody(text, { source, start: records[0]?.start ?? 0, end: records[0]?.end ?? 0, pick });
  const session = new Session(FULL_IDENTITY);
  session.load({ ...fact("r1#0", null, { kind: "message", role: "assistant", blocks: [{ type: "text", body: pointed(long, ["text"]) }] }), records });
  session.load({ ...fact("r1#1", "r1#0", { kind: "call", callId: "c", tool: "read", input: pointed("x".repeat(200), ["other"]) }), records });
  session.load({
    ...fact("r2", "r1#1", { kind: "result", callId: "c", tool: "read", status: "ok", blocks: [{ type: "text", body: textBody("short") }] }),
    records: [range(2, Buffer.byteLength(first) + 1, second)],
  });
  return session;
}

/** A log of four batches, and the sizes of its files before and after each. */
export function fourBatches(log: string): { lines: number; bodies: number; entries: number }[] {
  writeNative(new Session({ id: "s", format: "palimpsest" }), log);
  const open = openNative(log);
  const at = () => ({ lines: statSync(log).size, bodies: statSync(log.replace(/jsonl$/, "bodies")).size, entries: open.session.size });
  const steps = [at()];
  const batches = [
    [
      fact("u", null),
      fact("a", "u", { kind: "message", role: "assistant", blocks: [] }),
      fact("c", "a", { kind: "call", callId: "1", tool: "read", input: stored("c") }),
    ],
    [fact("r", "c", { kind: "result", callId: "1", tool: "read", status: "ok", blocks: [{ type: "text", body: stored("r") }] })],
    [fact("m", "r", { kind: "message", role: "assistant", blocks: [{ type: "text", body: textBody("inline only") }] })],
    [
      fact("d", "m", { kind: "condense", targets: [entryId("r")], stubs: [textBody("t1 read")], summary: stored("u"), by: "extractive" }),
      fact("e", "d", { kind: "epoch", cause: "on-demand", applies: [entryId("d")] }),
    ],
  ];
  for (const batch of batches) {
    if (open.append(batch)) throw new Error("a batch was refused");
    steps.push(at());
  }
  open.close();
  return steps;
}
