// A Pi session while it runs: our session as a fold of Pi's branch, and the drafts that make it smaller.
import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { Decider, type DeciderOptions, type Occasion, type Plan, type Proposal, type ResultRecord, type Telling } from "../../condense/index.ts";
import type { CondensePolicy } from "../../config/index.ts";
import type { CopyPlan } from "../../copies/index.ts";
import { BATCH_TYPE, type BatchTarget, jsonText, MemorySession } from "../../formats/index.ts";
import { type Economics, isOnPath, type MessageFact, type Place, recordId, type Session, textBody } from "../../session/index.ts";
import type { View } from "../../view/index.ts";
import { batchOf, type PiDraft, type PlannedRecords } from "./batch.ts";
import { OurRecords } from "./records.ts";
import { type UndoDraft, undoDrafts } from "./undo.ts";

/** What of Pi's session manager is read. */
export type Branch = Pick<ExtensionContext["sessionManager"], "getEntries" | "getEntry" | "getHeader" | "getLeafId" | "getSessionId" | "getSessionFile">;

/** A batch whose recovery data is on the branch and whose epoch is not. */
export interface OpenBatch {
  readonly batch: string;
  readonly targets: readonly BatchTarget[];
  /** Ids of records that an edit behind the recovery data names. */
  readonly edited: ReadonlySet<string>;
  /** Its note is on the branch too, or it has none. */
  readonly noted: boolean;
  /** Its epoch is on the branch and none of its edits: another extension left them out. */
  readonly robbed: boolean;
}

/** What can be written of a batch outside of a boundary; its note may wait for the boundary too. */
interface Begun {
  /** The `customType` of both. */
  readonly type: string;
  readonly recovery: unknown;
  readonly note: string;
}

/** How a batch is written. */
interface BatchForm {
  /** Without a note. */
  readonly silent?: true;
  readonly more?: boolean;
  /** What a model says of its results. */
  readonly told?: Telling | undefined;
}

/** What a batch is to change. */
type Changes = Pick<Plan, "stubs"> & Partial<Pick<Plan, "cuts" | "thinking">>;

type JsonObject = Readonly<Record<string, unknown>>;

/** Pi walks the branch for each edit that it writes: the entries of ours that it may walk for one batch, about a second's. */
const WALKED = 8_000_000;

/** Edits that a batch may hold however long the branch is. */
const LEAST_EDITS = 200;

/**
 * Follows one session of Pi. All it knows is a fold of the branch: `sync` takes what came since, or the whole branch where it is another.
 *
 * ```ts
 * const live = new LiveSession(ctx.sessionManager, policy);
 * live.sync(ctx.sessionManager);
 * live.flush({ finalReply: false, time: Date.now() }); // drafts for Pi's boundary, mostly none
 * ```
 */
export class LiveSession {
  readonly policy: CondensePolicy;
  readonly #options: DeciderOptions;
  readonly #memory: MemorySession;
  #decider: Decider;
  #open: { readonly batch: string; readonly targets: readonly BatchTarget[]; readonly edited: Set<string>; noted: boolean; robbed: boolean } | undefined;
  readonly #name: string;
  /** The drafts of a batch of which only the beginning could be written. */
  #prepared: { readonly batch: string; readonly drafts: readonly PiDraft[] } | undefined;
  /** The id of each record taken, and of the last of them. */
  readonly #known = new Set<string>();
  #newest: string | undefined;
  /** The newest edit of each record on the branch. */
  #edits = new Map<string, unknown>();
  #ours = new OurRecords();
  #changes = 0;

  constructor(branch: Branch, policy: CondensePolicy, options: DeciderOptions = {}) {
    this.#options = options;
    // Folding takes whole pairs out of a transcript that the user still reads.
    this.policy = { ...policy, chains: { ...policy.chains, fold: false } };
    this.#name = branch.getSessionFile() ?? branch.getSessionId();
    this.#memory = new MemorySession("pi", this.#name);
    const header = branch.getHeader();
    this.#memory.add(header ?? { type: "session", version: 3, id: branch.getSessionId(), cwd: "" });
    this.#decider = new Decider(this.session, this.policy, options);
  }

  get session(): Session {
    return this.#memory.session();
  }

  /** Where the branch ends. */
  get head(): Place | null {
    return this.#decider.head;
  }

  /** Every result of the branch and what became of it. */
  get records(): readonly ResultRecord[] {
    return this.#decider.records;
  }

  /** A batch that was begun and not finished. */
  get open(): OpenBatch | undefined {
    return this.#open;
  }

  /** What our own records on the branch say. */
  get ours(): OurRecords {
    return this.#ours;
  }

  /** Grows with each record that may change what our batches save. */
  get changes(): number {
    return this.#changes;
  }

  view(): View {
    return this.#decider.view();
  }

  /** Comes to where the branch is now. Costs what came since, but where the branch is another. */
  sync(branch: Branch): void {
    for (const record of this.#since(branch)) {
      this.#memory.add(record);
      this.#known.add(record.id);
      this.#newest = record.id;
    }
    const leaf = branch.getLeafId();
    const head = leaf === null ? null : (this.session.named(leaf).at(-1) ?? null);
    if (this.head && !isOnPath(this.head, head)) this.#rebuild();
    const fresh: Place[] = [];
    for (let at = head; at && at !== this.head; at = at.parent) fresh.push(at);
    for (const place of fresh.reverse()) this.#take(place);
  }

  /** Records that came since, in the order of the file. Mostly they stand between the branch's end and the newest one known; where they do not, all are looked at. */
  #since(branch: Branch): readonly SessionEntry[] {
    const fresh: SessionEntry[] = [];
    for (let id = branch.getLeafId(); id !== this.#newest; ) {
      const record = id === null || this.#known.has(id) ? undefined : branch.getEntry(id);
      if (!record) return branch.getEntries().filter((each) => !this.#known.has(each.id));
      fresh.push(record);
      id = record.parentId;
    }
    return fresh.reverse();
  }

  #rebuild(): void {
    this.#decider = new Decider(this.session, this.policy, this.#options);
    this.#open = undefined;
    this.#edits = new Map();
    this.#ours = new OurRecords();
    this.#changes += 1;
  }

  #take(place: Place): void {
    const before = place.parent?.entry.records?.[0]?.start;
    const start = place.entry.records?.[0]?.start;
    if (start !== undefined && start !== before) this.#record(this.#memory.at(start) as SessionEntry);
    this.#decider.take(place);
  }

  /** The drafts for a boundary: what a batch that was begun still lacks, or what is too large to be shown once and the epoch that is due; mostly none. */
  flush(occasion: Occasion): readonly (PiDraft | UndoDraft)[] {
    const early = this.early();
    return early.length > 0 ? early : this.drafted(this.due(occasion));
  }

  /** What no epoch waits for: what a batch that was begun still lacks, else what is too large to be shown once. */
  early(): readonly (PiDraft | UndoDraft)[] {
    const begun = this.begun();
    if (begun.length > 0) return begun;
    const spills = this.#decider.spills();
    return spills.length > 0 ? this.#batch({ stubs: spills }, undefined, { silent: true }).drafts : [];
  }

  /** The epoch that is due. */
  due(occasion: Occasion): Proposal | undefined {
    return this.#decider.propose({ ...this.#limits(), ...occasion });
  }

  /** The epoch of all that is old enough, whatever it saves, or of as much of it as one batch may edit. */
  onDemand(): Proposal | undefined {
    return this.#open ? undefined : this.#decider.onDemand(this.#limits().most);
  }

  /** What proposes, for whoever makes other words of a proposal. */
  get decider(): Decider {
    return this.#decider;
  }

  /** What one batch may edit, and whether the newest held less than was due. */
  #limits(): Pick<Occasion, "more" | "most"> {
    return { more: this.#ours.more, most: Math.max(LEAST_EDITS, Math.floor(WALKED / (this.head?.depth ?? 1))) };
  }

  /** What was begun and not finished: a batch, and what is to be undone. */
  begun(): readonly (PiDraft | UndoDraft)[] {
    const rest = this.#open ? this.#rest(this.#open) : [];
    if (this.#ours.undos.length === 0) return rest;
    const pending = new Map(rest.flatMap((draft) => (draft.type === "context_edit" ? [[draft.targetId, draft.replacement.content] as const] : [])));
    return [...rest, ...undoDrafts(this.#ours, this.session, this.#records(), pending)];
  }

  /**
   * Begins a batch outside of a boundary: what can be written there is its recovery data and its note. Until the next boundary writes the
   * edits, `shown` shows them.
   */
  begin(proposal: Proposal | undefined = this.onDemand()): Begun | undefined {
    return this.#open ? undefined : this.#begin(this.drafted(proposal));
  }

  /** The same before a request that finds the prompt cache gone, where an epoch is due: it costs nothing there, and no boundary comes before it. */
  beginCold(time: number): Begun | undefined {
    return this.#open || !this.#decider.isCold(time) ? undefined : this.#begin(this.drafted(this.due({ finalReply: false, time })));
  }

  #begin(drafts: readonly PiDraft[]): Begun | undefined {
    const [opens, note] = drafts;
    if (opens?.type !== "custom" || note?.type !== "custom_message") return undefined;
    return { type: BATCH_TYPE, recovery: opens.data, note: note.content };
  }

  /** The messages of a request with the edits of what was begun, as the next boundary will write them. */
  shown<M extends object>(messages: readonly M[]): readonly M[] {
    const edits = this.begun().filter((draft) => draft.type === "context_edit");
    if (edits.length === 0) return messages;
    const replacements = new Map(edits.map(({ targetId, replacement }) => [targetId, replacement]));
    const named = this.#newestFirst(new Set(replacements.keys()));
    // From the end, as Pi may hide the beginning: of several messages with one key the last is the newest of them.
    const shown = messages.toReversed().flatMap((message) => {
      const replacement = replacements.get(named.get(keyOf(message as JsonObject))?.shift() ?? "");
      if (replacement === null) return [];
      return replacement === undefined ? [message] : [{ ...message, content: replacement.content }];
    });
    return shown.reverse();
  }

  /** The ids of the branch's records whose messages have the key of one of these, by key, those left out that Pi shows no more. */
  #newestFirst(ids: ReadonlySet<string>): Map<string, string[]> {
    const named = new Map<string, string[]>();
    for (const id of ids) named.set(messageKey(this.#recordAt(this.session.named(id)[0])), []);
    let last: SessionEntry | undefined;
    for (let at = this.head; at; at = at.parent) {
      const record = this.#recordAt(at);
      if (record && record !== last && !(this.#edits.has(record.id) && this.#edits.get(record.id) === undefined))
        named.get(messageKey(record))?.push(record.id);
      last = record;
    }
    return named;
  }

  #recordAt(place: Place | undefined): SessionEntry | undefined {
    return this.#memory.at(place?.entry.records?.[0]?.start ?? -1) as SessionEntry | undefined;
  }

  /** All that is old enough, whatever it saves, or as much of it as one batch may edit. */
  now(): readonly PiDraft[] {
    return this.#open ? this.#rest(this.#open) : this.drafted(this.onDemand());
  }

  /** The batch of a proposal. */
  drafted(proposal: Proposal | undefined): readonly PiDraft[] {
    if (!proposal) return [];
    const { plan, cost, more } = proposal;
    const { drafts } = this.#batch(plan, { rewritten: plan.rewritten.bytes, saving: plan.saving, cost }, { more, told: plan.told });
    this.#prepare(drafts);
    return drafts;
  }

  #batch({ stubs, cuts = [], thinking = [] }: Changes, economics: Economics | undefined, { silent, more, told }: BatchForm = {}) {
    const plan: CopyPlan = {
      format: "pi",
      head: this.head,
      before: this.view(),
      results: stubs.map(({ record, text }) => ({
        place: record.place,
        ref: record.ref,
        before: record.fact.blocks,
        blocks: [{ type: "text", body: textBody(text) }],
        text,
      })),
      calls: cuts.map(({ call, ref, input }) => ({ place: call.place, before: call.fact.input, input, ref })),
      messages: thinking.map(({ old, blocks }) => ({ place: old.place, before: (old.place.entry.data as MessageFact).blocks, blocks })),
      unfolded: 0,
      economics: economics ?? { rewritten: 0, saving: sum(stubs, ({ record, tokens }) => record.tokens - tokens) },
    };
    return batchOf(plan, this.#records(), {
      path: this.#name,
      ...(economics && { economics }),
      ...(silent && { silent }),
      ...(more && { more }),
      ...(told && { told }),
    });
  }

  /** Keeps what a batch is to write, should only its beginning be written. */
  #prepare(drafts: readonly PiDraft[]): void {
    const [opens] = drafts;
    if (opens?.type === "custom" && opens.data.kind === "batch") this.#prepared = { batch: opens.data.batch, drafts };
  }

  /** What is left of a batch that was begun: its note, its edits, its epoch, which waits where the edits were left out before. */
  #rest(open: OpenBatch): readonly PiDraft[] {
    const missing = new Set(open.targets.map(({ entry }) => entry).filter((entry) => !open.edited.has(entry)));
    const prepared = this.#preparedFor(open, missing);
    const edits = prepared.filter((draft) => draft.type === "context_edit" && missing.has(draft.targetId));
    const note = open.noted ? [] : prepared.filter(({ type }) => type === "custom_message").map((draft) => renamed(draft, open.batch));
    if (open.robbed && edits.length > 0) return [...note, ...edits];
    const last = prepared.at(-1);
    const economics = edits.length > 0 && last?.type === "custom" && "economics" in last.data ? last.data.economics : { rewritten: 0, saving: 0 };
    return [...note, ...edits, { type: "custom", customType: BATCH_TYPE, data: { version: 1, kind: "epoch", batch: open.batch, economics } }];
  }

  /** The drafts of a batch whose rest must be the same bytes until they are written: made once, and again where Pi's own compaction came between. */
  #preparedFor(open: OpenBatch, missing: ReadonlySet<string>): readonly PiDraft[] {
    if (this.#prepared?.batch !== open.batch) {
      const rest = this.#decider.rest(({ entry }) => missing.has(recordId(entry.id)));
      this.#prepared = { batch: open.batch, drafts: this.#batch(rest, undefined).drafts };
    }
    return this.#prepared.drafts;
  }

  #records(): PlannedRecords {
    const message = (place: Place) => (this.#memory.at(place.entry.records?.[0]?.start ?? -1) as { readonly message?: JsonObject } | undefined)?.message;
    return {
      message,
      calls: (place) => this.session.named(recordId(place.entry.id)).filter(({ entry }) => entry.data.kind === "call"),
      content: (place) => {
        const id = recordId(place.entry.id);
        return this.#edits.has(id) ? { base: "edit", content: this.#edits.get(id) } : { base: "record", content: message(place)?.content };
      },
      id: (place) => recordId(place.entry.id),
    };
  }

  /** Keeps what a record says of batches and edits. */
  #record(record: SessionEntry): void {
    this.#ours.take(record);
    if (record.type === "context_edit" || record.type === "compaction" || ("customType" in record && record.customType === BATCH_TYPE)) this.#changes += 1;
    if (record.type === "context_edit") {
      this.#edits.set(record.targetId, record.replacement?.content);
      this.#open?.edited.add(record.targetId);
    }
    if (record.type === "compaction") this.#prepared = undefined;
    if (record.type === "custom_message" && record.customType === BATCH_TYPE && this.#open) this.#open.noted = true;
    if (record.type !== "custom" || record.customType !== BATCH_TYPE) return;
    const data = record.data as JsonObject | undefined;
    if (data?.version !== 1 || typeof data.batch !== "string") return;
    if (data.kind === "batch" && Array.isArray(data.targets))
      this.#open = { batch: data.batch, targets: data.targets as BatchTarget[], edited: new Set(), noted: data.note === null, robbed: false };
    else if (data.kind === "epoch" && data.batch === this.#open?.batch) {
      // Where nothing was left to edit it saves nothing.
      if (this.#open.edited.size === 0 && savingOf(data) > 0) this.#open.robbed = true;
      else this.#open = undefined;
    }
  }
}

function savingOf({ economics }: JsonObject): number {
  const saving = (economics as JsonObject | undefined)?.saving;
  return typeof saving === "number" ? saving : 0;
}

/** The key of the message that Pi makes of a record. */
function messageKey(record: SessionEntry | undefined): string {
  if (record?.type === "custom_message") return keyOf({ role: "custom", timestamp: Date.parse(record.timestamp) });
  return keyOf((record?.type === "message" ? record.message : {}) as JsonObject);
}

/** What tells one message of a request from another: they have no entry ids there. */
function keyOf({ role, toolCallId, timestamp }: JsonObject): string {
  return jsonText([role, toolCallId ?? null, timestamp ?? null]);
}

/** A note that says which batch it is of. */
function renamed(draft: PiDraft, batch: string): PiDraft {
  return draft.type === "custom_message" ? { ...draft, details: { batch } } : draft;
}

function sum<T>(list: readonly T[], size: (each: T) => number): number {
  return list.reduce((all, each) => all + size(each), 0);
}
