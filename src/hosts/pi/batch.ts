// The batch of edits that makes a copy smaller: recovery data, the note, one edit a record, the epoch, each below the one before.
import { randomUUID } from "node:crypto";
import type { Telling } from "../../condense/index.ts";
import {
  CopyError,
  type CopyPlan,
  copyNote,
  type Expected,
  type LeftWhole,
  type PlannedCall,
  type PlannedMessage,
  type PlannedResult,
} from "../../copies/index.ts";
import {
  type AttemptData,
  BATCH_TYPE,
  type BatchData,
  type BatchTarget,
  type EpochData,
  jsonText,
  type OutageData,
  type RawRecord,
} from "../../formats/index.ts";
import {
  type Block,
  bodyText,
  type Economics,
  isOnPath,
  isShowable,
  type Place,
  type Ref,
  recordId,
  refOf,
  type Session,
  sha256,
} from "../../session/index.ts";
import type { RecordIds } from "./migrate.ts";

type JsonObject = Readonly<Record<string, unknown>>;
type Content = readonly JsonObject[];

/** A record without id, parent and time: what Pi calls a draft. */
export type PiDraft =
  | { readonly type: "custom"; readonly customType: string; readonly data: BatchData | EpochData | AttemptData | OutageData }
  | { readonly type: "custom_message"; readonly customType: string; readonly content: string; readonly display: false; readonly details: object }
  | { readonly type: "context_edit"; readonly targetId: string; readonly replacement: { readonly content: Content } };

/** Where the planned records are read. */
export interface PlannedRecords {
  /** The message of a place's record; undefined where it is none. */
  message(place: Place): JsonObject | undefined;
  /** The calls of a place's record, in order. */
  calls(place: Place): readonly Place[];
  /** What the record shows now: its newest edit on the path, else itself. */
  content(place: Place): { readonly base: BatchTarget["base"]; readonly content: unknown };
  /** The id by which an edit names a place's record; undefined where it has none. */
  id(place: Place): string | undefined;
}

export interface Batch {
  /** In the order in which they are written; empty where the plan holds nothing that Pi can show. */
  readonly drafts: readonly PiDraft[];
  readonly shown: Omit<Expected, "note">;
  readonly note: string;
  /** Of the note. */
  readonly ref: Ref | undefined;
  readonly left: readonly LeftWhole[];
}

/** The planned records as the file has them, and the newest edit of each on the path: collected while the file is read. */
export class Originals implements PlannedRecords {
  readonly #wanted: ReadonlySet<number>;
  readonly #wantedIds: ReadonlySet<string>;
  readonly #session: Session;
  readonly #head: Place | null;
  readonly #ids: RecordIds;
  readonly #messages = new Map<number, JsonObject>();
  readonly #edits = new Map<string, unknown>();

  constructor({ head, results, calls, messages }: CopyPlan, session: Session, ids: RecordIds) {
    const places = [...results, ...calls, ...messages].map(({ place }) => place);
    this.#wanted = new Set(places.map(startOf));
    this.#wantedIds = new Set(places.map(({ entry }) => recordId(entry.id)));
    this.#session = session;
    this.#head = head;
    this.#ids = ids;
  }

  id(place: Place): string | undefined {
    return this.#ids.named(startOf(place), recordId(place.entry.id));
  }

  add({ range, value }: RawRecord): void {
    const { type, id, message, targetId, replacement } = (value ?? {}) as JsonObject;
    if (this.#wanted.has(range.start) && type === "message") this.#messages.set(range.start, message as JsonObject);
    if (type !== "context_edit" || typeof targetId !== "string" || !this.#wantedIds.has(targetId)) return;
    const [place] = this.#session.named(String(id));
    if (place && isOnPath(place, this.#head)) this.#edits.set(targetId, (replacement as JsonObject | null)?.content);
  }

  /** The message of a record; undefined where it is none. */
  message(place: Place): JsonObject | undefined {
    return this.#messages.get(startOf(place));
  }

  /** The calls of a place's record, in order. */
  calls(place: Place): readonly Place[] {
    return this.#session.named(recordId(place.entry.id)).filter(({ entry }) => entry.data.kind === "call");
  }

  /** What the record shows now: its newest edit, else itself. */
  content(place: Place): { readonly base: BatchTarget["base"]; readonly content: unknown } {
    const id = recordId(place.entry.id);
    if (this.#edits.has(id)) return { base: "edit", content: this.#edits.get(id) };
    return { base: "record", content: this.message(place)?.content };
  }
}

function startOf({ entry }: Place): number {
  return entry.records?.[0]?.start ?? -1;
}

/** What is planned for one record of the path. */
interface Planned {
  readonly place: Place;
  readonly result?: PlannedResult;
  readonly calls: PlannedCall[];
  message?: PlannedMessage;
}

/** The edits of a batch in the making, and the refs that reading them gives. */
interface Edits {
  readonly targets: BatchTarget[];
  readonly contents: { readonly entry: string; readonly content: Content }[];
  readonly results: Map<Place, readonly Block[]>;
  readonly inputs: Map<Place, string>;
  readonly messages: Map<Place, readonly Block[]>;
  readonly left: LeftWhole[];
  readonly callRefs: Ref[];
  readonly messageRefs: Ref[];
  blocks: number;
}

/** What a plan is as a batch. `silent`: without a note, as each stub says all there is to say. */
export function batchOf(
  plan: CopyPlan,
  originals: PlannedRecords,
  made: { readonly path: string; readonly economics?: Economics; readonly silent?: true; readonly more?: true; readonly told?: Telling },
): Batch {
  const edits: Edits = {
    targets: [],
    contents: [],
    results: new Map(),
    inputs: new Map(),
    messages: new Map(),
    left: [],
    callRefs: [],
    messageRefs: [],
    blocks: plan.head?.blocks ?? 0,
  };
  for (const planned of byRecord(plan)) {
    const entry = originals.id(planned.place);
    const message = originals.message(planned.place);
    if (entry === undefined || !message) leave(edits, planned, "its record has no id that an edit could name");
    else if (planned.result) editResult(edits, planned.result, entry, originals);
    else editAssistant(edits, planned, entry, originals, message);
  }
  const refs = [...edits.results.keys()].map((place) => refOf(place) as Ref);
  const ref: Ref | undefined = refs.length > 0 ? `b${edits.blocks + 1}` : undefined;
  const note = copyNote({ ref, results: refs, calls: edits.callRefs, messages: edits.messageRefs, path: made.path, ...(made.told && { told: made.told }) });
  const shown = { results: edits.results, inputs: edits.inputs, messages: edits.messages };
  const drafts =
    edits.contents.length === 0
      ? []
      : draftsOf(edits, made.silent ? undefined : note, ref ?? null, made.economics ?? plan.economics, {
          ...(made.more && { more: true }),
          ...(made.told && made.told.stubs.size > 0 && { by: "model" }),
        });
  return { drafts, shown, note, ref, left: edits.left };
}

function byRecord({ results, calls, messages }: CopyPlan): Planned[] {
  const planned = new Map<number, Planned>();
  const at = (place: Place): Planned => {
    const known = planned.get(startOf(place)) ?? { place, calls: [] };
    planned.set(startOf(place), known);
    return known;
  };
  for (const result of results) planned.set(startOf(result.place), { place: result.place, result, calls: [] });
  for (const call of calls) at(call.place).calls.push(call);
  for (const message of messages) at(message.place).message = message;
  return [...planned.values()].sort((a, b) => a.place.depth - b.place.depth);
}

function leave({ left }: Edits, { result, calls, message }: Planned, why: string): void {
  if (result) left.push({ what: refOf(result.place) ?? result.place.entry.id, kind: "result", why });
  for (const call of calls) left.push({ what: call.place.entry.id, kind: "call", why });
  if (message) left.push({ what: message.place.entry.id, kind: "message", why });
}

function editResult(edits: Edits, { place, ref, blocks }: PlannedResult, entry: string, originals: PlannedRecords): void {
  const { base } = originals.content(place);
  edits.targets.push({ entry, refs: [ref], sha256: hashOf(originals, place), base });
  edits.contents.push({ entry, content: blocks.flatMap(piBlock) });
  edits.results.set(place, blocks);
}

function piBlock(block: Block): JsonObject[] {
  if (block.type === "text") return [{ type: "text", text: bodyText(block.body) }];
  return block.type === "image" ? [{ type: "image", data: bodyText(block.data), mimeType: block.mediaType }] : [];
}

function hashOf(originals: PlannedRecords, place: Place): string {
  return sha256(jsonText(originals.message(place)?.content ?? null));
}

/** One edit joins the arguments of a message's calls and its thinking; all else in it stays as it is. */
function editAssistant(edits: Edits, planned: Planned, entry: string, originals: PlannedRecords, message: JsonObject): void {
  const { base, content } = originals.content(planned.place);
  if (!Array.isArray(content)) {
    leave(edits, planned, "its content is no list of blocks");
    return;
  }
  const refs: Ref[] = [];
  const spoken = withoutThinking(edits, planned, content as Content, message);
  // An edit of what was edited before says the whole message again, and counts as one of it.
  if (spoken !== content || base === "edit") refs.push(`b${edits.blocks + 1}`);
  if (spoken !== content) edits.messageRefs.push(`b${edits.blocks + 1}`);
  const { cut, refs: callRefs } = withInputs(edits, planned, spoken, { originals, base, blocks: edits.blocks + refs.length });
  if (cut === content) return;
  refs.push(...callRefs);
  edits.blocks += refs.length;
  edits.targets.push({ entry, refs, sha256: hashOf(originals, planned.place), base });
  edits.contents.push({ entry, content: cut });
}

/** Thinking goes whole, and not where a provider checks that each call has its own. */
function withoutThinking(edits: Edits, { message: planned }: Planned, content: Content, { api }: JsonObject): Content {
  if (!planned) return content;
  const spoken = content.filter(({ type }) => type !== "thinking");
  const why =
    typeof api === "string" && api.includes("responses")
      ? "OpenAI Responses checks that each call has its reasoning: thinking stays"
      : spoken.length === 0
        ? "it is all that the message holds"
        : undefined;
  if (why !== undefined) {
    edits.left.push({ what: planned.place.entry.id, kind: "message", why });
    return content;
  }
  edits.messages.set(planned.place, planned.blocks);
  return spoken;
}

interface From {
  readonly originals: PlannedRecords;
  readonly base: BatchTarget["base"];
  /** Refs counted before the first call's. */
  readonly blocks: number;
}

/** The content with the planned arguments, and the ref of each call that is changed. */
function withInputs(
  edits: Edits,
  planned: Planned,
  content: Content,
  { originals, base, blocks }: From,
): { readonly cut: Content; readonly refs: readonly Ref[] } {
  const refs: Ref[] = [];
  const places = originals.calls(planned.place);
  const inputs = new Map(planned.calls.map((call) => [call.place, call]));
  let cut = content;
  for (const place of places) {
    const index = blockOf(content, place, places);
    const block = content[index];
    if (!block) continue;
    const call = inputs.get(place);
    const ref: Ref = `b${blocks + refs.length + 1}`;
    const args = call && argumentsOf(call, ref);
    if (call && !args) edits.left.push({ what: place.entry.id, kind: "call", why: "its shortened arguments are no JSON object, which Pi needs" });
    if (args) {
      cut = cut.map((each, at) => (at === index ? { ...each, arguments: args } : each));
      edits.inputs.set(place, jsonText(args));
      edits.callRefs.push(ref);
    }
    if (args || (base === "edit" && isEdited(place, block))) refs.push(ref);
  }
  return { cut, refs };
}

/** The index of a call's block: of several calls with one id in a message, the one that comes as late. */
function blockOf(content: Content, place: Place, places: readonly Place[]): number {
  const idOf = ({ entry: { data } }: Place) => (data.kind === "call" ? data.callId : undefined);
  let before = places.slice(0, places.indexOf(place)).filter((each) => idOf(each) === idOf(place)).length;
  return content.findIndex(({ type, id }) => type === "toolCall" && (typeof id === "string" ? id : "") === idOf(place) && before-- === 0);
}

function isEdited({ entry: { data } }: Place, block: JsonObject): boolean {
  const input = typeof block.arguments === "string" ? block.arguments : jsonText(block.arguments);
  return data.kind === "call" && sha256(input) !== data.input.sha256;
}

/** The planned input as an object, with the copy's own ref where it names the one that it had. */
function argumentsOf({ input, ref }: PlannedCall, own: Ref): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(ref === undefined ? input : input.replaceAll(`[${ref}:`, `[${own}:`));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Recovery data first, the epoch last: any beginning of it is a session that loses nothing. */
function draftsOf(edits: Edits, note: string | undefined, ref: Ref | null, economics: Economics, more: Pick<BatchData, "more" | "by">): PiDraft[] {
  const batch = randomUUID().slice(0, 8);
  const opens: BatchData = { version: 1, kind: "batch", batch, note: note === undefined ? null : ref, targets: edits.targets, ...more };
  return [
    { type: "custom", customType: BATCH_TYPE, data: opens },
    ...(note === undefined ? [] : [{ type: "custom_message", customType: BATCH_TYPE, content: note, display: false, details: { batch } } as const]),
    ...edits.contents.map(({ entry, content }): PiDraft => ({ type: "context_edit", targetId: entry, replacement: { content } })),
    { type: "custom", customType: BATCH_TYPE, data: { version: 1, kind: "epoch", batch, economics } },
  ];
}

/** Drafts as records of a file, each below the one before it, from the end of the path on. @throws CopyError */
export function chained(drafts: readonly PiDraft[], head: Place | null, ids: RecordIds, time: Date): object[] {
  if (drafts.length === 0) return [];
  let parentId = endOf(head, ids);
  return drafts.map(({ type, ...rest }) => {
    const record = { type, id: ids.fresh(), parentId, timestamp: time.toISOString(), ...rest };
    parentId = record.id;
    return record;
  });
}

/**
 * The record that the path ends with: the newest that can be named.
 * @throws CopyError where a record behind it is shown: what is written below its parent would leave it out
 */
function endOf(head: Place | null, ids: RecordIds): string | null {
  let unnamed: Place | undefined;
  for (let at = head; at; at = at.parent) {
    const id = ids.named(startOf(at), recordId(at.entry.id));
    if (id !== undefined && unnamed)
      throw new CopyError(
        "copy-no-id",
        `expected an id in the record that the path ends with, as what a copy adds stands below it, found none in ${unnamed.entry.id} (line ${unnamed.entry.records?.[0]?.line}). Copy the session as far as the record before it: --at ${id}.`,
      );
    if (id !== undefined) return id;
    if (isShowable(at.entry.data)) unnamed = at;
  }
  if (unnamed) throw new CopyError("copy-no-id", `expected an id in one record of the path at least, found none: ${unnamed.entry.id} is all there is.`);
  return null;
}
