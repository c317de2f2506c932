// A batch of ours in a Pi file: `custom` with what recovery needs, the note, the edits, `custom` with the epoch. Pi applies each edit as it stands.
import type { AttemptDecision, Block, Body, Decision, Economics, EntryId, Ref, ReplaceDecision } from "../../session/index.ts";
import { textBody } from "../../session/index.ts";
import { isObject, type JsonObject, stringOf } from "../json.ts";

/** The `customType` of records of ours. */
export const BATCH_TYPE = "palimpsest";

/** A record that an edit of the batch changes. */
export interface BatchTarget {
  /** Its id. */
  readonly entry: string;
  /** Of the result in it, or of what is changed in it. */
  readonly refs: readonly Ref[];
  /** Of its `message.content` as JSON text. */
  readonly sha256: string;
  /** What the edit is made from: the record itself, or an earlier edit of it. */
  readonly base: "record" | "edit";
}

/** The data of the record that opens a batch. */
export interface BatchData {
  readonly version: 1;
  readonly kind: "batch";
  /** Names the batch in its file. */
  readonly batch: string;
  /** Of the note; null where it has none. */
  readonly note: Ref | null;
  readonly targets: readonly BatchTarget[];
  /** Who made its stubs and its note; absent: nobody but us. */
  readonly by?: "model";
  /** More was due than one batch may edit: another follows. */
  readonly more?: true;
}

/** The data of the record that closes it. Without it the batch was not finished; its edits count all the same. */
export interface EpochData {
  readonly version: 1;
  readonly kind: "epoch";
  readonly batch: string;
  readonly economics: Economics;
}

/** The data of the record that says what a model was asked, and what that came to. */
export type AttemptData = { readonly version: 1 } & AttemptDecision;

/** The data of the record that says that a model cannot be reached, or answers again. */
export interface OutageData {
  readonly version: 1;
  readonly kind: "outage";
  /** `PROVIDER/ID`. */
  readonly model: string;
  readonly state: "down" | "up";
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly code?: string;
}

/** A batch that began on the path and has not ended. */
export interface OpenBatch {
  readonly batch: string;
  /** By the ids of records. */
  readonly targets: ReadonlyMap<string, BatchTarget["base"]>;
  readonly by: "extractive" | "model";
  /** The edits behind its record, linked, as branches share the beginning of them. */
  readonly newest?: EditOfBatch;
}

interface EditOfBatch {
  readonly target: EntryId;
  /** Of a result, where it is one text of the batch's own. */
  readonly stub: Body | undefined;
  readonly before: EditOfBatch | undefined;
}

type Opens = {
  readonly kind: "batch";
  readonly batch: string;
  readonly targets: ReadonlyMap<string, BatchTarget["base"]>;
  readonly by: "extractive" | "model";
};
type Closes = { readonly kind: "epoch"; readonly batch: string; readonly economics: Economics | undefined };

/** What a `custom` record of ours says; undefined for one of another version or kind. */
export function batchRecord(data: unknown): Opens | Closes | undefined {
  if (!isObject(data) || data.version !== 1 || typeof data.batch !== "string") return undefined;
  if (data.kind === "epoch") return { kind: "epoch", batch: data.batch, economics: economics(data.economics) };
  if (data.kind !== "batch" || !Array.isArray(data.targets)) return undefined;
  const targets = data.targets.filter(isObject).flatMap((target: JsonObject) => {
    const entry = stringOf(target.entry);
    return entry === undefined ? [] : [[entry, target.base === "record" ? "record" : "edit"] as const];
  });
  return { kind: "batch", batch: data.batch, targets: new Map(targets), by: data.by === "model" ? "model" : "extractive" };
}

function economics(value: unknown): Economics | undefined {
  if (!isObject(value) || typeof value.rewritten !== "number" || typeof value.saving !== "number") return undefined;
  return { rewritten: value.rewritten, saving: value.saving };
}

/** The batch after one of its edits, or after somebody else's edit of what it changed. */
export function afterEdit(batch: OpenBatch, edits: readonly ReplaceDecision[], ours: boolean): OpenBatch {
  let newest = batch.newest;
  for (const { target, mode, body } of edits) {
    const stub = ours && mode === "aposteriori" && body.as === "blocks" ? onlyText(body.blocks) : undefined;
    newest = { target, stub, before: newest };
  }
  return newest ? { ...batch, newest } : batch;
}

function onlyText(blocks: readonly Block[]): Body | undefined {
  const [block] = blocks;
  return blocks.length === 1 && block?.type === "text" ? block.body : undefined;
}

/** The batch as one decision, at its end: it shows what its edits show already, and gives the note a ref. The note itself is a message. */
export function closing({ newest, by }: OpenBatch): Decision | undefined {
  const last = new Map<EntryId, Body | undefined>();
  for (let edit = newest; edit; edit = edit.before) if (!last.has(edit.target)) last.set(edit.target, edit.stub);
  const done = [...last].reverse().flatMap(([target, stub]) => (stub ? [{ target, stub }] : []));
  if (done.length === 0) return undefined;
  return { kind: "condense", targets: done.map(({ target }) => target), stubs: done.map(({ stub }) => stub), summary: textBody(""), by };
}
