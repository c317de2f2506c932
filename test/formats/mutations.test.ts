// Small sessions of every format, one value of them after the other replaced by something else: each opens, is shown, condensed and replayed, or is refused with a reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { condense } from "../../src/condense/index.ts";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { openSession, SessionFileError } from "../../src/formats/index.ts";
import { recall, textOf } from "../../src/recall/index.ts";
import { replay, replayMask } from "../../src/replay/index.ts";
import { view } from "../../src/view/index.ts";
import { eager } from "../build/policies.ts";
import { VECTORS } from "./vectors.ts";

/** What each value is replaced by, as JSON. */
const SHALLOW = [
  "null",
  "-1.5",
  '"x"',
  '""',
  "{}",
  "[]",
  "[null]",
  '{"type":{"a":1}}',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"role":1},"hasOwnProperty":1}',
];
const DEPTH = 12_000;
const DEEP_LIST = "[".repeat(DEPTH) + "]".repeat(DEPTH);
const DEEP_OBJECT = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const DEEP = [DEEP_LIST, DEEP_OBJECT, JSON.stringify(DEEP_OBJECT)];
/** Every so many-th value is replaced by deep ones too: they take long. */
const DEEP_EVERY = Number(process.env.DEEP_EVERY ?? 200);

const FILES = [
  "pi/bash-execution/session.jsonl",
  "pi/branch-summary/session.jsonl",
  "claude-code/compaction/session.jsonl",
  "claude-code/content-shapes/session.jsonl",
  "codex/compacted-replacement-history/session.jsonl",
  "codex/custom-tool-call/session.jsonl",
  "gemini/jsonl-reappended-records/session.jsonl",
  "gemini/parts-images-thoughts-error/session.jsonl",
  "gemini/single-object-one-line/session-2026-03-02T09-00-f7633853.json",
  "chat/array/session.json",
  "chat/object-with-messages-pretty/session.json",
];

type Path = readonly (string | number)[];
type Json = Readonly<Record<string | number, unknown>>;

function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

const MARK = "@replaced@";

/** The JSON text of a value with other JSON at a path. */
function replaced(value: unknown, path: Path, by: string): string {
  const put = (at: unknown, [key, ...rest]: Path): unknown => {
    if (key === undefined) return MARK;
    const inner = put((at as Json)[key], rest);
    return Array.isArray(at) ? at.with(key as number, inner) : { ...(at as Json), [key]: inner };
  };
  return JSON.stringify(put(value, path)).replace(`"${MARK}"`, () => by);
}

function recordsOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as unknown]));
  }
}

/** Deep values in the places that other readings go into: roles, arguments, commands. */
const DEEP_PLACES = /(?:role|arguments|args|input|command|summary|total_token_usage)$|(?:arguments|args|input)\.\w+$/;

/** Everything that a person may do with a session; false where it was refused. */
async function isRead(text: string): Promise<boolean> {
  const opened = await openSession("-", { input: Readable.from([Buffer.from(text)]) }).catch((error: unknown) => {
    if (error instanceof SessionFileError) return undefined;
    throw error;
  });
  if (!opened) return false;
  const { session } = opened;
  for (const item of view(session).items) if ("blocks" in item) textOf(item.blocks);
  condense(session, eager(1, { keepNewest: 0, smallResult: 0, arguments: { over: 0, share: 0.25 } }));
  replay(session, DEFAULT_POLICY.condense);
  replayMask(session);
  for (const { entry } of session.entries()) recall(session, `entry:${entry.id}`);
  return true;
}

test.each(FILES)("%s", { timeout: 120_000 }, async (file) => {
  const records = recordsOf(readFileSync(join(VECTORS, file), "utf8").replace(/^\uFEFF/, ""));
  const [failed, refused]: [string[], string[]] = [[], []];
  let count = 0;
  for (const [index, record] of records.entries())
    for (const path of placesIn(record)) {
      count += 1;
      const isDeep = count % DEEP_EVERY === 0 || DEEP_PLACES.test(path.join("."));
      for (const by of isDeep ? [...SHALLOW, ...DEEP] : SHALLOW) {
        const text = records.map((each, at) => (at === index ? replaced(each, path, by) : JSON.stringify(each))).join("\n");
        const what = `record ${index}, ${path.join(".")}: ${by.slice(0, 40)}`;
        const read = await isRead(text).catch((error: unknown) => failed.push(`${what}: ${String(error)}`) > 0);
        if (!read && path.length > 0 && !/^(?:messages|\d)/.test(path.join("."))) refused.push(what);
      }
    }
  expect({ failed: failed.slice(0, 5), refused }).toEqual({ failed: [], refused: [] });
});
