// Recorded Codex sessions, compared with what their bytes hold when they are counted without any reader.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { openSession, resume } from "../../src/formats/index.ts";
import { type Block, bodyText, type Fact, type Session, sha256 } from "../../src/session/index.ts";
import { itemText, pairFaults, view } from "../../src/view/index.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpus/codex/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith(".jsonl")) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings of Codex sessions are not there");

const folder = mkdtempSync(join(tmpdir(), "palimpsest-codex-recordings-"));
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
  rmSync(folder, { recursive: true, force: true });
});

async function read(name: string): Promise<Session> {
  const { session, diagnostics, tail, close } = await openSession(join(corpus, name));
  closing.push(close);
  expect(diagnostics).toEqual([]);
  expect(tail).toBeNull();
  return session;
}

interface Tokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
}
interface Counted {
  readonly type: string;
  readonly payload: {
    readonly type?: string;
    readonly role?: string;
    readonly call_id?: string;
    readonly output?: string;
    readonly content?: readonly { readonly text: string }[] | null;
    readonly info?: { readonly last_token_usage: Tokens; readonly total_token_usage: Tokens } | null;
    readonly replacement_history?: readonly { readonly content: readonly { readonly text: string }[] }[];
  };
}

/** Every record of a file with the byte that it starts at. */
function recordsOf(name: string): (Counted & { readonly line: number; readonly start: number })[] {
  let start = 0;
  return readFileSync(join(corpus, name), "utf8")
    .split("\n")
    .flatMap((text, at) => {
      const from = start;
      start += Buffer.byteLength(text) + 1;
      return text === "" ? [] : [{ ...(JSON.parse(text) as Counted), line: at + 1, start: from }];
    });
}

function items(name: string, ...types: readonly string[]) {
  return recordsOf(name).filter(({ type, payload }) => type === "response_item" && types.includes(payload.type ?? ""));
}

function facts<K extends Fact["kind"]>(session: Session, kind: K): Extract<Fact, { readonly kind: K }>[] {
  return session.path().flatMap(({ entry: { data } }) => (data.kind === kind ? [data as Extract<Fact, { readonly kind: K }>] : []));
}

const texts = (blocks: readonly Block[]) => blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []));

describe.each(recordings)("recording %s", (name) => {
  test("holds each call and each result once, in order", async () => {
    const session = await read(name);
    const calls = items(name, "function_call", "custom_tool_call");
    const results = items(name, "function_call_output", "custom_tool_call_output");
    expect(calls.length).toBeGreaterThan(200);
    expect(facts(session, "call").map(({ callId }) => callId)).toEqual(calls.map(({ payload }) => payload.call_id));
    expect(facts(session, "result").map(({ callId, blocks }) => [callId, ...texts(blocks)])).toEqual(
      results.map(({ payload }) => [payload.call_id, payload.output]),
    );
    const failed = results.filter(({ payload }) => /^Process exited with code [1-9]/m.test(payload.output?.split("\nOutput:")[0] ?? ""));
    expect(failed.length).toBeGreaterThan(3);
    expect(facts(session, "result").filter(({ status }) => status === "error")).toHaveLength(failed.length);
    expect(session.illegal).toEqual([]);
    expect(session.heads()).toHaveLength(1);
    expect(pairFaults(view(session))).toEqual([]);
  });

  test("holds every word of the assistant's and of the user's once, though events repeat them", async () => {
    const session = await read(name);
    const said = (role: string) =>
      items(name, "message").flatMap(({ payload }) => (payload.role === role ? (payload.content ?? []).map(({ text }) => text) : []));
    const held = (role: string) => facts(session, "message").flatMap((fact) => (fact.role === role ? texts(fact.blocks) : []));
    expect(said("assistant").length).toBeGreaterThan(100);
    expect(held("assistant")).toEqual(said("assistant"));
    expect(held("user")).toEqual(said("user"));
    expect(held("system")).toEqual(said("developer"));
    expect(facts(session, "message").some(({ mark }) => mark === "fallback")).toBe(false);
    const typed = recordsOf(name).filter(({ payload }) => payload.type === "user_message").length;
    expect(facts(session, "message").filter(({ role, mark }) => role === "user" && mark === undefined)).toHaveLength(typed);
  });

  test("counts usage once: its reports add up to the last total", async () => {
    const session = await read(name);
    const reports = recordsOf(name).flatMap(({ payload }) => (payload.type === "token_count" && payload.info ? [payload.info] : []));
    const { input_tokens, cached_input_tokens, output_tokens } = (reports.at(-1) as (typeof reports)[number]).total_token_usage;
    const usages = facts(session, "usage");
    const sum = (key: "input" | "cacheRead" | "output") => usages.reduce((total, usage) => total + usage[key], 0);
    expect(usages.length).toBeLessThan(reports.length);
    expect([sum("input"), sum("cacheRead"), sum("output")]).toEqual([input_tokens - cached_input_tokens, cached_input_tokens, output_tokens]);
    expect(new Set(usages.map(({ window }) => window))).toEqual(new Set([258400]));
  });

  test("loses no record: each is held by an entry, and its bytes are those of the file", async () => {
    const session = await read(name);
    const bytes = readFileSync(join(corpus, name));
    const held = new Set<number>();
    for (const { entry } of session.entries())
      for (const { start, end, sha256: hash } of entry.records ?? []) {
        expect(sha256(bytes.subarray(start, end))).toBe(hash);
        held.add(start);
      }
    expect([...held].sort((a, b) => a - b)).toEqual(recordsOf(name).map(({ start }) => start));
  });

  test("an aborted turn is a failure, and the call that got no result is shown as such", async () => {
    const session = await read(name);
    const aborted = recordsOf(name).filter(({ payload }) => payload.type === "turn_aborted");
    expect(facts(session, "failure").map((each) => each.class)).toEqual(aborted.map(() => "aborted"));
    const answered = new Set(items(name, "function_call_output", "custom_tool_call_output").map(({ payload }) => payload.call_id));
    const open = items(name, "function_call", "custom_tool_call").filter(({ payload }) => !answered.has(payload.call_id));
    expect([...view(session)].flatMap((each) => (each.kind === "placeholder" ? [each.callId] : []))).toEqual(open.map(({ payload }) => payload.call_id));
  });
});

const is = (name: string) => test.skipIf(!recordings.includes(name));

is("019dc0d3.jsonl")("019dc0d3: the list of the compaction stands in place of the history", async () => {
  const [record] = recordsOf("019dc0d3.jsonl").filter(({ type }) => type === "compacted");
  const list = record?.payload.replacement_history ?? [];
  expect(list).toHaveLength(54);
  const session = await read("019dc0d3.jsonl");
  const shown = [...view(session)];
  const blocks = shown.filter((each) => each.kind === "block");
  expect(blocks.map(itemText)).toEqual(list.map(({ content }) => content.map(({ text }) => text).join("\n")));
  expect(shown.slice(0, 2).map(({ kind }) => kind)).toEqual(["prompt", "block"]);
  // Nothing of before is shown beside it.
  const [decision] = session.path().filter(({ entry }) => entry.data.kind === "compact");
  expect(shown.filter(({ kind, place }) => kind !== "prompt" && place.depth < (decision?.depth ?? 0))).toEqual([]);
});

is("019dc0d3.earlier-snapshot.jsonl")("019dc0d3: the earlier snapshot, read on when it has grown, is the session of the whole file", async () => {
  const path = join(folder, "growing.jsonl");
  copyFileSync(join(corpus, "019dc0d3.earlier-snapshot.jsonl"), path);
  const before = await openSession(path);
  const ids = [...before.session.entries()].map(({ entry }) => entry.id);
  writeFileSync(path, readFileSync(join(corpus, "019dc0d3.jsonl")));
  const after = await resume(before);
  closing.push(after.close);
  expect(after.how).toBe("append");
  const now = [...after.session.entries()].map(({ entry }) => entry.id);
  expect(now.slice(0, ids.length)).toEqual(ids);
  const whole = await read("019dc0d3.jsonl");
  expect(now).toEqual([...whole.entries()].map(({ entry }) => entry.id));
  expect(view(after.session).hash()).toBe(view(whole).hash());
});
