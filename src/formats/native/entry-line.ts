// One line of a native log: an entry as JSON, its bodies inline or by their place in the bodies file.
import { z } from "zod";
import {
  type Block,
  type Body,
  bodyText,
  type Entry,
  type EntryId,
  entryId,
  type Identity,
  type RecordRange,
  type Sha256,
  textBody,
} from "../../session/index.ts";
import { type BodyFile, type BodySink, CopiedRecord, type Stored } from "./bodies.ts";

export const NATIVE_VERSION = 1;

/** Texts up to this many UTF-16 units stand in the line itself. */
const INLINE_CHARS = 160;

/** Marks the last line of a batch. */
interface Closing {
  /** Lines of the batch, this one included: a lost line is noticed. */
  readonly lines: number;
  /** Where the host would continue, when that is not the last entry. */
  readonly head?: EntryId;
}

export interface ParsedLine {
  readonly entry: Entry;
  readonly closing?: Closing;
  /** What it needs of the bodies file. */
  readonly needs: readonly Stored[];
}

/** The first line of a log, without line end. The host's own format and version are its `origin`. */
export function headerLine({ id, format, version, ...rest }: Identity): string {
  return JSON.stringify({ type: "palimpsest", version: NATIVE_VERSION, id, ...rest, origin: { format, ...(version !== undefined && { version }) } });
}

/** Whether a file that begins with this value is a native log, of this version or another. */
export function isNativeHeader(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "palimpsest" && "version" in value;
}

const headerSchema = z.strictObject({
  type: z.literal("palimpsest"),
  version: z.literal(NATIVE_VERSION),
  id: z.string(),
  cwd: z.string().exactOptional(),
  title: z.string().exactOptional(),
  sessionIds: z.array(z.string()).readonly().exactOptional(),
  parentSession: z.string().exactOptional(),
  agentId: z.string().exactOptional(),
  origin: z.strictObject({ format: z.string(), version: z.union([z.number(), z.string()]).exactOptional() }),
});

/** The identity that a first line states, or what is wrong with it. */
export function parseHeader(value: unknown): Identity | { readonly problem: string } {
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) return { problem: problemOf(parsed.error) };
  const { type, version, origin, ...rest } = parsed.data;
  return { ...rest, ...origin };
}

/** The line of an entry, without line end; its long bodies and its records go to `sink`. */
export function entryLine(entry: Entry, closing: Closing | undefined, sink: BodySink): string {
  const { data, records, ...rest } = entry;
  const copies = records?.map((range) => ({ range, stored: sink.record(range) })) ?? [];
  return JSON.stringify(
    {
      ...rest,
      data,
      ...(copies.length > 0 && { records: copies.map(({ range, stored }) => recordJson(range, stored)) }),
      ...(closing && { batch: closing.lines, ...(closing.head !== undefined && { head: closing.head }) }),
    },
    (_key, value: unknown) => (isBody(value) ? bodyJson(value, copies, sink) : value),
  );
}

function recordJson(range: RecordRange, { start }: Stored) {
  return { source: range.source.name, line: range.line, start: range.start, bytes: range.end - range.start, sha256: range.sha256, at: start };
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && "sha256" in value && "chars" in value && "at" in value && typeof value.at !== "number";
}

interface Copy {
  readonly range: RecordRange;
  readonly stored: Stored;
}

/** A text that lies in a copied record is not stored again: its place there is enough. One that UTF-8 cannot hold stays in the line, where JSON can. */
function bodyJson(body: Body, copies: readonly Copy[], sink: BodySink): unknown {
  const { sha256, bytes, chars, at } = body;
  if (chars <= INLINE_CHARS) return bodyText(body);
  if (typeof at !== "string" && typeof at.pick === "object") {
    const copy = copies.find(({ range }) => range.source === at.source && range.start === at.start && range.end === at.end);
    if (copy) return { sha256, bytes, chars, at: copy.stored.start, within: copy.stored.end - copy.stored.start, pick: at.pick };
  }
  const text = bodyText(body);
  return text.isWellFormed() ? { sha256, bytes, chars, at: sink.text(body, text).start } : text;
}

const count = z.int().nonnegative();
const id = z.string().transform(entryId);
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => text as Sha256);
const author = z.enum(["host", "extractive", "model", "agent", "person"]);
const status = z.enum(["ok", "error"]);
const role = z.enum(["user", "assistant", "system"]);

/** Parses the lines after the first; bodies and records then read from `file`. */
export function lineParser(file: BodyFile): (value: unknown) => ParsedLine | { readonly problem: string } {
  let needs: Stored[] = [];
  const need = (start: number, length: number, sha256: Sha256): void => {
    needs.push({ start, end: start + length, sha256 });
  };
  const schema = lineSchema(file, need);
  let last: RecordRange | undefined;
  return (value) => {
    needs = [];
    const parsed = schema.safeParse(value);
    if (!parsed.success) return { problem: problemOf(parsed.error) };
    const { batch, head, records, ...entry } = parsed.data;
    const shared = records?.map((range) => (last && isSame(last, range) ? last : range));
    last = shared?.at(-1) ?? last;
    return {
      entry: { ...entry, ...(shared && { records: shared }) },
      ...(batch !== undefined && { closing: { lines: batch, ...(head !== undefined && { head }) } }),
      needs,
    };
  };
}

/** Entries of one record share its range in memory. */
function isSame(one: RecordRange, other: RecordRange): boolean {
  return one.start === other.start && one.sha256 === other.sha256 && one.line === other.line && one.source.name === other.source.name;
}

function lineSchema(file: BodyFile, need: (start: number, length: number, sha256: Sha256) => void) {
  const body = bodySchema(file, need);
  const record = z
    .strictObject({ source: z.string(), line: count, start: count, bytes: count, sha256: hash, at: count })
    .transform(({ source, line, start, bytes, sha256, at }): RecordRange => {
      need(at, bytes, sha256);
      return { source: new CopiedRecord(source, file, at - start), line, start, end: start + bytes, sha256 };
    });
  return z.strictObject({
    id,
    parent: id.nullable(),
    time: z.number().exactOptional(),
    data: z.discriminatedUnion("kind", [...factSchemas(body), ...decisionSchemas(body)]),
    side: z.literal(true).exactOptional(),
    records: z.array(record).readonly().exactOptional(),
    batch: z.int().positive().exactOptional(),
    head: id.exactOptional(),
  });
}

type BodySchema = ReturnType<typeof bodySchema>;

function bodySchema(file: BodyFile, need: (start: number, length: number, sha256: Sha256) => void) {
  const stored = z.strictObject({
    sha256: hash,
    bytes: count,
    chars: count,
    at: count,
    within: count.exactOptional(),
    pick: z.array(z.union([z.string(), count])).exactOptional(),
  });
  return z.union([z.string(), stored]).transform((value): Body => {
    if (typeof value === "string") return textBody(value);
    const { at, within, pick, ...known } = value;
    if (within === undefined) need(at, known.bytes, known.sha256);
    return { ...known, at: { source: file, start: at, end: at + (within ?? known.bytes), pick: pick ?? "whole" } };
  });
}

function blocksSchema(body: BodySchema) {
  const dimension = z.number().exactOptional();
  const block: z.ZodType<Block> = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text"), body }),
    z.strictObject({ type: z.literal("thinking"), body, signature: body.exactOptional() }),
    z.strictObject({ type: z.literal("image"), mediaType: z.string(), data: body, width: dimension, height: dimension }),
    z.strictObject({ type: z.literal("other"), was: z.string(), raw: body }),
  ]);
  return z.array(block).readonly();
}

function factSchemas(body: BodySchema) {
  const blocks = blocksSchema(body);
  const text = z.string();
  const named = z.array(z.strictObject({ name: text, body })).readonly();
  const mark = z.enum(["made", "fallback", "derived", "meta"]).exactOptional();
  return [
    z.strictObject({ kind: z.literal("prompt"), sections: named, tools: named }),
    z.strictObject({
      kind: z.literal("message"),
      role,
      blocks,
      mark,
      host: text.exactOptional(),
      messageId: text.exactOptional(),
    }),
    z.strictObject({ kind: z.literal("call"), callId: text, tool: text, input: body, summarize: z.literal(true).exactOptional() }),
    z.strictObject({
      kind: z.literal("result"),
      callId: text,
      tool: text,
      status,
      blocks,
      full: body.exactOptional(),
      lost: z.literal(true).exactOptional(),
    }),
    z.strictObject({
      kind: z.literal("usage"),
      what: text.exactOptional(),
      input: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      output: z.number(),
      window: z.number().exactOptional(),
      messageId: text.exactOptional(),
      model: text.exactOptional(),
    }),
    z.strictObject({ kind: z.literal("failure"), class: z.enum(["overflow", "transient", "aborted", "other"]), text: body.exactOptional() }),
    z.strictObject({ kind: z.literal("marker"), what: text, raw: body.exactOptional() }),
  ] as const;
}

const epochCost = z.strictObject({
  cache: z.enum(["warm", "cold"]),
  miss: z.number(),
  savingPerRequest: z.number(),
  paysAfterRequests: z.number().nullable(),
});

const attemptUsage = z.strictObject({
  model: z.string(),
  calls: z.number(),
  unreported: z.number(),
  input: z.number().exactOptional(),
  cacheRead: z.number().exactOptional(),
  output: z.number().exactOptional(),
  usd: z.number().exactOptional(),
  prompt: z.string().exactOptional(),
});

function decisionSchemas(body: BodySchema) {
  const ids = z.array(id).readonly();
  const bodies = z.array(body).readonly();
  const replacement = z.discriminatedUnion("as", [
    z.strictObject({ as: z.literal("blocks"), blocks: blocksSchema(body) }),
    z.strictObject({ as: z.literal("input"), input: body }),
    z.strictObject({ as: z.literal("nothing") }),
    z.strictObject({ as: z.literal("unknown") }),
  ]);
  return [
    z.strictObject({ kind: z.literal("condense"), targets: ids, stubs: bodies, summary: body, by: author }),
    z.strictObject({
      kind: z.literal("replace"),
      target: id,
      body: replacement,
      by: author,
      mode: z.enum(["apriori", "aposteriori", "spill", "duplicate", "prune", "media", "arguments", "thinking"]),
    }),
    z.strictObject({ kind: z.literal("fold"), from: id, to: id, kept: ids, body, by: author }),
    z.strictObject({
      kind: z.literal("compact"),
      cut: id.nullable(),
      summary: body.nullable(),
      shown: body.exactOptional(),
      shows: z
        .array(z.strictObject({ role, blocks: blocksSchema(body) }))
        .readonly()
        .exactOptional(),
      kept: ids.exactOptional(),
      autoRead: z.array(z.strictObject({ path: z.string(), body })).readonly(),
      references: bodies,
      quotes: z.array(z.strictObject({ entry: id, body })).readonly(),
      carried: bodies,
      by: author,
    }),
    z.strictObject({ kind: z.literal("molt"), keepFrom: id.nullable(), keepBatches: ids, briefing: body, by: author }),
    z.strictObject({ kind: z.literal("revert"), of: id, targets: ids.exactOptional() }),
    z.strictObject({
      kind: z.literal("epoch"),
      cause: z.enum(["host", "prompt", "cadence", "final-reply", "on-demand", "occupancy", "growth", "cold-cache", "revert"]),
      applies: ids,
      economics: z.strictObject({ rewritten: z.number(), saving: z.number(), cost: epochCost.exactOptional() }).exactOptional(),
    }),
    z.strictObject({ kind: z.literal("notice"), code: z.string(), text: body }),
    z.strictObject({
      kind: z.literal("attempt"),
      what: z.string(),
      phase: z.enum(["started", "done", "failed", "skipped"]),
      code: z.string().exactOptional(),
      usage: attemptUsage.exactOptional(),
      counts: z.record(z.string(), z.number()).exactOptional(),
    }),
  ] as const;
}

function problemOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`).join("; ");
}
