// The decider: follows a session request by request and appends, by policy, the decisions that keep its context small.
import type { CondensePolicy } from "../config/index.ts";
import { anchors } from "../extract/index.ts";
import { answeredCall, blocksOf, textOf } from "../recall/index.ts";
import {
  type CallFact,
  type Cause,
  type CondenseDecision,
  coverage,
  type Decision,
  type EntryId,
  entryId,
  isAssistant,
  isHiding,
  type Place,
  pathTo,
  type Ref,
  Session,
  type Tokens,
  textBody,
} from "../session/index.ts";
import { type Item, Projector, type View } from "../view/index.ts";
import { isSmaller } from "./guards.ts";
import { footer } from "./labels.ts";
import { type AnsweredRecord, argumentsOf, blocksBytes, isAnswered, type ResultRecord, resultRecord } from "./ledger.ts";
import { type IsProtected, protection } from "./protect.ts";
import { type Stub, Stubs } from "./stubs.ts";

/** One epoch of ours. */
export interface EpochReport {
  readonly entry: EntryId;
  readonly block: Ref;
  readonly cause: Cause;
  /** Requests before it. */
  readonly request: number;
  readonly results: number;
  /** Estimated tokens that every later request saves. */
  readonly saving: Tokens;
  /** Bytes of an already sent prefix that are sent anew. */
  readonly rewritten: number;
}

/** A session with the decisions that condensing it appends, and what they come to. */
export interface Condensed {
  /** All entries of the original, and our decisions on the path to `head`. */
  readonly session: Session;
  readonly head: Place | null;
  readonly before: View;
  readonly after: View;
  readonly requests: number;
  readonly results: readonly ResultRecord[];
  readonly epochs: readonly EpochReport[];
  /** Means over all requests, in estimated tokens; `floor`: were all results left out. */
  readonly context: { readonly averageFull: Tokens; readonly averageCondensed: Tokens; readonly floor: Tokens };
}

/**
 * Condenses a session as if it had been condensed while it ran, with no model, and once more at its end, on demand.
 * The original is left alone: the answer holds a session of its own, whose facts share their texts with it.
 *
 * ```ts
 * const { before, after } = condense(session, DEFAULT_POLICY.condense);
 * console.log(before.tokens, after.tokens);
 * ```
 */
export function condense(session: Session, policy: CondensePolicy, head: Place | null = session.head): Condensed {
  const run = new Run(session, policy, head);
  for (const place of session.entries()) run.take(place);
  return run.finish();
}

class Run {
  readonly #policy: CondensePolicy;
  readonly #onPath: ReadonlySet<Place>;
  readonly #original: Session;
  readonly #copy: Session;
  readonly #full: Projector;
  readonly #small: Projector;
  readonly #stubs: Stubs;
  readonly #isProtected: IsProtected;
  readonly #records: ResultRecord[] = [];
  readonly #epochs: EpochReport[] = [];
  /** Results that may be condensed at a later epoch, oldest first. */
  #open: AnsweredRecord[] = [];
  #openTokens: Tokens = 0;
  /** No epoch pays before the open results hold this many tokens. */
  #worthAt: Tokens = 0;
  #requests = 0;
  #lastEpoch = 0;
  #made = 0;
  #sums = { full: 0, small: 0, floor: 0 };

  constructor(session: Session, policy: CondensePolicy, head: Place | null) {
    this.#policy = policy;
    this.#onPath = new Set(pathTo(head));
    this.#original = session;
    this.#copy = new Session(session.identity);
    this.#full = new Projector(session);
    this.#small = new Projector(this.#copy);
    this.#stubs = new Stubs(policy);
    this.#isProtected = protection({ tools: policy.protectedTools, paths: policy.protectedPaths });
  }

  take(place: Place): void {
    if (!this.#onPath.has(place)) {
      this.#copy.load(place.entry);
      return;
    }
    const { data } = place.entry;
    if (isAssistant(data)) this.#beforeRequest();
    this.#full.advance(place);
    this.#copy.load({ ...place.entry, parent: this.#small.head?.entry.id ?? null });
    const copied = this.#copy.find(place.entry.id) as Place;
    this.#small.advance(copied);
    if (data.kind === "result") this.#takeResult(copied);
    else if (data.kind === "message" || data.kind === "call") this.#stubs.learn(anchors(textOf(blocksOf(place))));
  }

  #takeResult(place: Place): void {
    const call = answeredCall(place)?.entry.data as CallFact | undefined;
    const record = resultRecord(place, call);
    this.#records.push(record);
    if (!isAnswered(record)) record.fate = { kind: "kept", why: "late" };
    else if (record.call.summarize && record.fact.status === "ok") record.fate = { kind: "kept", why: "summary-asked-for" };
    else if (this.#isProtected(record.fact.tool, argumentsOf(call))) record.fate = { kind: "protected" };
    else if (record.tokens <= this.#policy.smallResult) record.fate = { kind: "kept", why: "small" };
    else if (!this.#spill(record)) {
      this.#open.push(record);
      this.#openTokens += record.tokens;
    }
  }

  /** A result too large to be shown even once is replaced before any request holds it. */
  #spill(record: AnsweredRecord): boolean {
    const stub = this.#stubs.spilled(record);
    if (!stub) return false;
    const by = this.#append({
      kind: "replace",
      target: record.place.entry.id,
      body: { as: "blocks", blocks: [{ type: "text", body: textBody(stub.text) }] },
      by: "extractive",
      mode: "spill",
    });
    this.#stubs.keep([stub]);
    record.fate = { kind: "spilled", tokens: stub.tokens, by };
    return true;
  }

  #append(decision: Decision): EntryId {
    const parent = this.#small.head as Place;
    const id = this.#nextId();
    const refusal = this.#copy.append({ id, parent: parent.entry.id, data: decision });
    if (refusal) throw new Error(`a decision of the condenser was refused: ${refusal.message}`);
    this.#small.advance(this.#copy.find(id) as Place);
    return id;
  }

  /** An id that neither session holds: one that was condensed before has some already. */
  #nextId(): EntryId {
    for (;;) {
      const id = entryId(`palimpsest-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }

  #beforeRequest(): void {
    this.#requests += 1;
    const { everyRequests, minContext } = this.#policy;
    if (this.#requests - this.#lastEpoch > everyRequests && this.#openTokens >= this.#worthAt && this.#openTokens >= this.#policy.minSaving) {
      const before = this.#small.view();
      if (before.tokens >= minContext) this.#flush("cadence", before);
    }
    const full = this.#full.view();
    this.#sums.full += full.tokens;
    this.#sums.floor += full.tokens - full.resultTokens;
    this.#sums.small += this.#small.view().tokens;
  }

  /** Condenses all open results but the newest, in one epoch. */
  #flush(cause: Cause, before: View): void {
    const limit = (this.#records.length > 0 ? (this.#records.at(-1) as ResultRecord).place.results : 0) - this.#policy.keepNewest;
    const due = this.#open.filter((record) => record.place.results <= limit);
    const stubs = this.#stubsFor(due, before);
    const saving = stubs.reduce((sum, { record, tokens }) => sum + record.tokens - tokens, 0);
    if (cause === "cadence" && saving < this.#policy.minSaving) {
      this.#worthAt = this.#openTokens + this.#policy.minSaving - saving;
      return;
    }
    this.#settle(due);
    if (stubs.length > 0) this.#decide(cause, stubs, before);
  }

  /** The stubs of those results that are in view and have a smaller one. */
  #stubsFor(due: readonly AnsweredRecord[], before: View): Stub[] {
    const stubs: Stub[] = [];
    const whole = this.#condensable(before);
    for (const record of due) {
      record.fate = { kind: "kept", why: "no-stub-is-smaller" };
      if (!whole(record.place)) record.fate = { kind: "kept", why: "already-hidden" };
      else stubs.push(...this.#stubs.condensed(record, stubs));
    }
    return stubs;
  }

  /** Whether a result is in view whole, and nothing that waits for an epoch will hide it. */
  #condensable(before: View): (result: Place) => boolean {
    const whole = new Set(before.items.flatMap((item) => (item.kind === "result" ? [item.place] : [])));
    const waiting = this.#small.pending.flatMap((id) => {
      const place = this.#copy.find(id) as Place;
      return isHiding(place.entry.data) ? [coverage(place, place.entry.data, this.#copy.find)] : [];
    });
    return (result) => whole.has(result) && !waiting.some((covers) => covers(result));
  }

  /** What was due is open no longer, whether a stub was smaller or not. */
  #settle(due: readonly ResultRecord[]): void {
    const settled = new Set(due);
    this.#open = this.#open.filter((record) => !settled.has(record));
    this.#openTokens = this.#open.reduce((sum, record) => sum + record.tokens, 0);
    this.#worthAt = 0;
  }

  #decide(cause: Cause, stubs: readonly Stub[], before: View): void {
    const block: Ref = `b${(this.#small.head as Place).blocks + 1}`;
    const note = blockText(block, stubs);
    const decision: CondenseDecision = {
      kind: "condense",
      targets: stubs.map(({ record }) => record.place.entry.id),
      stubs: stubs.map(({ text }) => textBody(text)),
      summary: textBody(note),
      by: "extractive",
    };
    if (
      !isSmaller(
        [note, ...stubs.map(({ text }) => text)],
        stubs.reduce((sum, { record }) => sum + blocksBytes(record.fact.blocks), 0),
      )
    )
      return;
    this.#stubs.keep(stubs);
    const id = this.#append(decision);
    for (const { record, tokens, duplicateOf } of stubs)
      record.fate = duplicateOf ? { kind: "duplicate", of: duplicateOf, tokens, by: id } : { kind: "condensed", tokens, by: id };
    const saving = stubs.reduce((sum, { record, tokens }) => sum + record.tokens - tokens, 0);
    const rewritten = sentBytesFrom(
      before,
      stubs.map(({ record }) => record.place),
    );
    const entry = this.#append({ kind: "epoch", cause, applies: [id], economics: { rewritten, saving } });
    this.#epochs.push({ entry, block, cause, request: this.#requests, results: stubs.length, saving, rewritten });
    this.#lastEpoch = this.#requests;
  }

  finish(): Condensed {
    if (this.#small.head) this.#flush("on-demand", this.#small.view());
    for (const record of this.#open) record.fate = { kind: "kept", why: "newest" };
    const mean = (sum: number) => (this.#requests === 0 ? 0 : Math.round(sum / this.#requests));
    const head = this.#small.head;
    if (head) this.#copy.continueAt(head.entry.id);
    return {
      session: this.#copy,
      head,
      before: this.#full.view(),
      after: this.#small.view(),
      requests: this.#requests,
      results: this.#records,
      epochs: this.#epochs,
      context: { averageFull: mean(this.#sums.full), averageCondensed: mean(this.#sums.small), floor: mean(this.#sums.floor) },
    };
  }
}

/** One line with all refs, and the footer. */
function blockText(block: Ref, stubs: readonly Stub[]): string {
  const refs = stubs.map(({ record }) => record.ref);
  return `[${block} automatic note, not from the user: ${refs.length} ${refs.length === 1 ? "result was" : "results were"} condensed in place; each stub begins with its ref]${footer(refs)}`;
}

/** Bytes of what a request has already held, from the first of these places on. */
function sentBytesFrom(before: View, places: readonly Place[]): number {
  const first = Math.min(...places.map((place) => place.depth));
  const sent = before.head?.assistant?.depth ?? 0;
  let bytes = 0;
  let from = false;
  for (const item of before) {
    from ||= item.place.depth === first;
    if (from && item.place.depth < sent) bytes += itemBytes(item);
  }
  return bytes;
}

function itemBytes(item: Item): number {
  if (item.kind === "prompt") return [...item.sections, ...item.tools].reduce((sum, { body }) => sum + body.bytes, 0);
  return item.kind === "call" ? item.input.bytes : blocksBytes(item.blocks);
}
