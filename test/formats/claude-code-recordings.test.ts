// Recorded Claude Code sessions, compared with what their bytes hold when they are counted without any reader.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { isShowable, type Place, recordId, type Session } from "../../src/session/index.ts";
import { pairFaults, view } from "../../src/view/index.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpus/claude-code/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith(".jsonl")) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings of Claude Code sessions are not there");

const opened: Opened[] = [];
afterAll(() => {
  for (const { close } of opened) close();
});

async function read(name: string): Promise<Opened> {
  const reading = await openSession(join(corpus, name));
  opened.push(reading);
  return reading;
}

interface Counted {
  readonly type?: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly sessionId?: string;
  readonly isSidechain?: boolean;
  readonly isCompactSummary?: boolean;
  readonly data?: { readonly type?: string };
  readonly message?: { readonly content?: unknown };
}

/** Every value of a file by its line: a line that is no value is parted where `}{` makes two. */
function valuesOf(name: string): { line: number; value: Counted }[] {
  return readFileSync(join(corpus, name), "utf8")
    .split("\n")
    .flatMap((text, at) => (text.trim() === "" ? [] : parted(text).map((value) => ({ line: at + 1, value: value as Counted }))));
}

function parted(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    for (let at = text.indexOf("}{"); at > 0; at = text.indexOf("}{", at + 1)) {
      try {
        return [JSON.parse(text.slice(0, at + 1)), JSON.parse(text.slice(at + 1))];
      } catch {}
    }
    throw new Error("a line holds neither one value nor two");
  }
}

/** Ids in the blocks of one type, copies and side chains left out. */
function blockIds(name: string, type: "tool_use" | "tool_result"): string[] {
  const ids = new Set<string>();
  for (const { value } of valuesOf(name)) {
    const content = value.isSidechain === true ? [] : value.message?.content;
    for (const block of Array.isArray(content) ? content : []) if (block.type === type) ids.add(type === "tool_use" ? block.id : block.tool_use_id);
  }
  return [...ids].sort();
}

function callIds(session: Session, kind: "call" | "result"): string[] {
  return [...session.entries()].flatMap(({ entry: { data, side } }) => (data.kind === kind && !side ? [data.callId] : [])).sort();
}

function inLine(session: Session, line: number): Place[] {
  return [...session.entries()].filter(({ entry }) => entry.records?.some((record) => record.line === line));
}

describe.each(recordings)("recording %s", (name) => {
  test("holds each call and each result once, and no more than the file", async () => {
    const { session } = await read(name);
    const calls = blockIds(name, "tool_use");
    expect(calls.length).toBeGreaterThan(20);
    expect(callIds(session, "call")).toEqual(calls);
    expect(callIds(session, "result")).toEqual(blockIds(name, "tool_result"));
    expect(session.illegal).toEqual([]);
    for (const head of session.heads()) expect(pairFaults(view(session, head))).toEqual([]);
  });

  test("counts the usage of each response once", async () => {
    const { session } = await read(name);
    const reports = [...session.entries()].flatMap(({ entry: { data } }) => (data.kind === "usage" ? [data.messageId] : []));
    expect(new Set(reports).size).toBe(reports.length);
    expect(reports.length).toBeGreaterThan(10);
  });
});

const is = (name: string) => test.skipIf(!recordings.includes(name));

is("2a8af1a8.jsonl")("2a8af1a8: 201 records of one session and 13 of another in one chain, and a second root in line 125", async () => {
  const name = "2a8af1a8.jsonl";
  const counts = new Map<string, number>();
  for (const { value } of valuesOf(name)) if (value.sessionId) counts.set(value.sessionId.slice(0, 8), (counts.get(value.sessionId.slice(0, 8)) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ "2a8af1a8": 13, "4931d45a": 201 });
  const { session, diagnostics } = await read(name);
  expect(diagnostics).toEqual([]);
  expect(session.identity.id.slice(0, 8)).toBe("2a8af1a8");
  expect(session.identity.sessionIds?.map((id) => id.slice(0, 8)).sort()).toEqual(["2a8af1a8", "4931d45a"]);
  const [root] = session.path();
  expect(root?.entry.records?.[0]?.line).toBe(125);
  const roots = [...session.entries()].filter(({ parent }) => parent === null).map(({ entry }) => entry.records?.[0]?.line);
  expect(roots).toEqual([1, 125]);
  // Each root is a conversation with an end of its own, and together they hold all that was said.
  const ends = session.heads().map((head) => session.path(head).filter(({ entry }) => isShowable(entry.data)));
  expect(ends).toHaveLength(2);
  expect(ends.flat().length).toBe([...session.entries()].filter(({ entry }) => isShowable(entry.data)).length);
});

is("fdd24234.jsonl")("fdd24234: three boundaries, of which two clear results and one compacts with the one summary", async () => {
  const values = valuesOf("fdd24234.jsonl");
  const lines = (subtype: string) => values.flatMap(({ line, value }) => (value.subtype === subtype ? [line] : []));
  expect([...lines("microcompact_boundary"), ...lines("compact_boundary")]).toEqual([215, 352, 483]);
  expect(values.filter(({ value }) => value.isCompactSummary).map(({ line }) => line)).toEqual([484]);
  const { session, diagnostics } = await read("fdd24234.jsonl");
  expect(diagnostics).toEqual([]);
  const path = session.path();
  const compacts = path.filter(({ entry }) => entry.data.kind === "compact");
  expect(compacts.map(({ entry }) => entry.records?.map(({ line }) => line))).toEqual([[483, 484]]);
  const cleared = path.flatMap(({ entry: { data, records } }) => (data.kind === "replace" ? [[records?.[0]?.line, data.body.as]] : []));
  expect(new Set(cleared.map(([line]) => line))).toEqual(new Set([215, 352]));
  expect(cleared.every(([, as]) => as === "unknown")).toBe(true);
  expect(path.filter(({ entry }) => entry.data.kind === "epoch")).toHaveLength(3);
  expect(session.heads()).toHaveLength(1);
  // All calls are on the one path, before the compaction and after it; the view begins with the summary.
  expect(path.filter(({ entry }) => entry.data.kind === "call")).toHaveLength(blockIds("fdd24234.jsonl", "tool_use").length);
  const [first] = view(session);
  expect(first?.kind === "block" && first.place).toBe(compacts[0]);
});

is("4b3ddf27.jsonl")("4b3ddf27: two hooks whose parents are missing follow the record before them, and the chain holds", async () => {
  const name = "4b3ddf27.jsonl";
  const values = valuesOf(name);
  const known = new Set(values.map(({ value }) => value.uuid));
  const missing = values.filter(({ value }) => typeof value.parentUuid === "string" && !known.has(value.parentUuid));
  expect(missing.map(({ line, value }) => [line, value.data?.type])).toEqual([
    [889, "hook_progress"],
    [911, "hook_progress"],
  ]);
  const { session, diagnostics } = await read(name);
  // The compaction in line 530 stands behind a record that is not there either.
  expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["missing-parent 530", "missing-parent 889", "missing-parent 911"]);
  for (const { line } of missing) {
    const [hook] = inLine(session, line);
    expect(hook?.entry.data.kind).toBe("marker");
    expect(hook?.parent && inLine(session, line - 1)).toContain(hook?.parent);
  }
  expect(session.heads()).toHaveLength(1);
  expect(session.path().filter(({ entry }) => entry.data.kind === "call")).toHaveLength(blockIds(name, "tool_use").length);
});

is("4a07cdcd.jsonl")("4a07cdcd: the record in line 133 stands below the one in line 134", async () => {
  const name = "4a07cdcd.jsonl";
  const values = valuesOf(name);
  const lineOf = new Map(values.map(({ line, value }) => [value.uuid, line]));
  const early = values.filter(({ line, value }) => typeof value.parentUuid === "string" && (lineOf.get(value.parentUuid) ?? 0) > line);
  expect(early.map(({ line, value }) => [line, lineOf.get(value.parentUuid as string)])).toEqual([[133, 134]]);
  const { session, diagnostics } = await read(name);
  expect(diagnostics).toEqual([]);
  expect(session.heads()).toHaveLength(1);
  const order = session.path().map(({ entry }) => recordId(entry.id));
  const [child, parent] = [133, 134].map((line) => order.indexOf(values.find((each) => each.line === line)?.value.uuid as string));
  expect(parent).toBeGreaterThan(0);
  expect(child).toBeGreaterThan(parent as number);
});
