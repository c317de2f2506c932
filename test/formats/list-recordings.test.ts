// Recorded sessions that are one object, compared with what a JSON parser finds in them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openSession } from "../../src/formats/index.ts";
import { type Block, bodyText, type Place, sha256 } from "../../src/session/index.ts";
import { pairFaults, view } from "../../src/view/index.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const files = {
  gemini: "gemini/f7633853.jsonl",
  calling: "swe-agent/marshmallow-1867.function-calling.traj",
  old: "swe-agent/networking_1.traj",
};
const present = (name: string) => existsSync(join(corpus, name));
for (const name of Object.values(files)) if (!present(name)) console.warn(`SKIPPED: the recording ${name} is not there`);

interface Recorded {
  readonly sessionId?: string;
  readonly messages: readonly {
    readonly id: string;
    readonly type: string;
    readonly content: string;
    readonly thoughts?: readonly unknown[];
    readonly tokens?: { readonly input: number; readonly output: number; readonly cached: number; readonly thoughts: number };
    readonly toolCalls?: readonly {
      readonly id: string;
      readonly name: string;
      readonly status: string;
      readonly result: readonly { readonly functionResponse: { readonly response: { readonly output?: string; readonly error?: string } } }[];
    }[];
  }[];
  readonly history: readonly { readonly role: string; readonly content: string; readonly tool_calls?: readonly unknown[] }[];
}

async function read(name: string) {
  const path = join(corpus, name);
  const opened = await openSession(path);
  return { ...opened, bytes: readFileSync(path), recorded: JSON.parse(readFileSync(path, "utf8")) as Recorded, places: opened.session.path() };
}

const textOf = (blocks: readonly Block[]) => blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])).join("");
const texts = (places: readonly Place[], role: string) =>
  places.flatMap(({ entry: { data } }) => (data.kind === "message" && data.role === role ? [textOf(data.blocks)] : []));
const count = (places: readonly Place[], kind: string) => places.filter(({ entry }) => entry.data.kind === kind).length;

describe.each(Object.values(files).filter(present))("%s", (name) => {
  test("each record's bytes are the element of the list that it is, and the view has every pair", async () => {
    const { session, diagnostics, tail, bytes, recorded, places, close } = await read(name);
    expect([diagnostics, tail, session.heads().length]).toEqual([[], null, 1]);
    const elements = recorded.messages ?? recorded.history;
    const ranges = new Map(places.flatMap(({ entry }) => (entry.records ?? []).map((range) => [range.start, range])));
    expect([...ranges.values()].map(({ start, end }) => JSON.parse(bytes.subarray(start, end).toString("utf8")))).toEqual(elements);
    for (const { start, end, line, sha256: hash } of ranges.values()) {
      expect(sha256(bytes.subarray(start, end))).toBe(hash);
      expect(bytes.subarray(0, start).toString("latin1").split("\n").length).toBe(line);
    }
    expect(pairFaults(view(session))).toEqual([]);
    close();
  });
});

test.skipIf(!present(files.gemini))("Gemini CLI: messages, thoughts, calls, results and tokens are those of the file", async () => {
  const { session, recorded, places, close } = await read(files.gemini);
  const spoken = recorded.messages.filter(({ type }) => type === "gemini");
  const calls = spoken.flatMap(({ toolCalls = [] }) => toolCalls);
  expect(session.identity.id).toBe(recorded.sessionId);
  expect([spoken.length, calls.length, recorded.messages.length]).toEqual([15, 13, 17]);
  expect(texts(places, "assistant")).toEqual(spoken.map(({ content }) => content));
  expect(texts(places, "user")).toEqual(recorded.messages.filter(({ type }) => type === "user").map(({ content }) => content));
  expect(count(places, "marker")).toBe(recorded.messages.filter(({ type }) => type !== "gemini" && type !== "user").length);
  const thoughts = places.flatMap(({ entry: { data } }) => (data.kind === "message" ? data.blocks.filter(({ type }) => type === "thinking") : []));
  expect(thoughts).toHaveLength(spoken.reduce((sum, { thoughts: list = [] }) => sum + list.length, 0));
  const results = places.flatMap(({ entry: { data } }) => (data.kind === "result" ? [[data.callId, data.tool, data.status, textOf(data.blocks)]] : []));
  expect(results).toEqual(
    calls.map(({ id, name, status, result }) => [
      id,
      name,
      status === "success" ? "ok" : "error",
      result.map(({ functionResponse: { response } }) => response.output ?? response.error).join(""),
    ]),
  );
  const tokens = spoken.flatMap((each) => each.tokens ?? []);
  const sum = (of: (each: (typeof tokens)[number]) => number) => tokens.reduce((total, each) => total + of(each), 0);
  const usage = places.flatMap(({ entry: { data } }) => (data.kind === "usage" ? [data] : []));
  expect(usage.reduce((total, each) => total + each.input + each.cacheRead, 0)).toBe(sum(({ input }) => input));
  expect(usage.reduce((total, each) => total + each.output, 0)).toBe(sum(({ output, thoughts: thought }) => output + thought));
  close();
});

test.skipIf(!present(files.calling))("SWE-agent with function calls: prompt, calls and their results", async () => {
  const { recorded, places, close } = await read(files.calling);
  const of = (role: string) => recorded.history.filter((each) => each.role === role).map(({ content }) => content);
  expect([of("system").length, of("user").length, of("assistant").length, of("tool").length]).toEqual([1, 1, 11, 11]);
  expect(texts(places, "user")).toEqual(of("user"));
  expect(texts(places, "assistant")).toEqual(of("assistant"));
  expect(places.flatMap(({ entry: { data } }) => (data.kind === "result" ? [textOf(data.blocks)] : []))).toEqual(of("tool"));
  expect(count(places, "call")).toBe(recorded.history.flatMap((each) => each.tool_calls ?? []).length);
  expect(places.flatMap(({ entry: { data } }) => (data.kind === "prompt" ? data.sections.map(({ body }) => bodyText(body)) : []))).toEqual(of("system"));
  close();
});

test.skipIf(!present(files.old))("SWE-agent without: observations are user messages, of which a person typed the first alone", async () => {
  const { recorded, places, close } = await read(files.old);
  const of = (role: string) => recorded.history.filter((each) => each.role === role).map(({ content }) => content);
  expect([of("user").length, of("assistant").length]).toEqual([18, 18]);
  expect(texts(places, "user")).toEqual(of("user"));
  expect(texts(places, "assistant")).toEqual(of("assistant"));
  expect(places.flatMap(({ entry: { data } }) => (data.kind === "message" && data.role === "user" ? [data.mark] : []))).toEqual([
    undefined,
    ...Array.from({ length: 17 }, () => "meta"),
  ]);
  close();
});
