// A recorded session condensed as if that had been done while it ran: the decider follows it, and what it proposes is appended.
import type { CondensePolicy } from "../config/index.ts";
import type { CallOptions } from "../models/index.ts";
import {
  type AttemptDecision,
  atOnce,
  type Decision,
  type EntryId,
  entryId,
  isAssistant,
  isHiding,
  type Place,
  pathTo,
  pause,
  refOf,
  Session,
  type Steps,
  type Tokens,
  textBody,
} from "../session/index.ts";
import { commonFront, itemTokens, Projector, type View, view } from "../view/index.ts";
import { Decider, type Proposal } from "./decider.ts";
import { costOf } from "./economics.ts";
import { bytesBetween, type Plan } from "./flush.ts";
import { retell, type SummaryReport } from "./model/retell.ts";
import type { Summarizer } from "./model/summarizer.ts";
import type { Condensed, EpochReport, RequestSeen } from "./outcome.ts";

export interface CondenseOptions {
  /** As far as here; by default to the session's head. */
  readonly head?: Place | null;
  /** Told of each request in order. */
  readonly onRequest?: (request: RequestSeen) => void;
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
export function condense(session: Session, policy: CondensePolicy, options: CondenseOptions = {}): Condensed {
  return atOnce(condensing(session, policy, options));
}

/** The same in steps, one for each entry. */
export function* condensing(session: Session, policy: CondensePolicy, { head = session.head, onRequest }: CondenseOptions = {}): Steps<Condensed> {
  const run = new Run(session, policy, { head, onRequest });
  let taken = 0;
  for (const place of session.entries()) {
    run.append(run.due(place));
    run.take(place);
    taken += 1;
    yield taken / session.size;
  }
  run.append(run.last());
  return run.finish();
}

export interface TellingOptions extends CondenseOptions, CallOptions {
  /** Told of each epoch that a model was asked about. */
  readonly onReport?: (report: SummaryReport) => void;
  /** Told what share of the work is done, from 0 to 1. */
  readonly onShare?: (share: number) => void;
}

/**
 * The same with a model that tells of what each epoch condenses, epoch by epoch. What the model does not tell, or not well, is extracted.
 * @throws the signal's reason once that is aborted.
 */
export async function condenseTelling(session: Session, policy: CondensePolicy, summarizer: Summarizer, options: TellingOptions = {}): Promise<Condensed> {
  const { head = session.head, onRequest, onReport, onShare, ...call } = options;
  const run = new Run(session, policy, { head, onRequest, tells: true });
  const append = async (proposal: Proposal | undefined) => {
    if (!proposal) return;
    const { report, ...retold } = await retell(run.decider, proposal, summarizer, call);
    call.signal?.throwIfAborted();
    if (report) onReport?.(report);
    run.append(retold.proposal, retold.attempts);
  };
  let taken = 0;
  for (const place of session.entries()) {
    await append(run.due(place));
    run.take(place);
    taken += 1;
    if (taken % 64 === 0) await pause();
    call.signal?.throwIfAborted();
    onShare?.(taken / session.size);
  }
  await append(run.last());
  return run.finish();
}

/** The decisions of a plan in the order in which they are appended; each names its own ref. */
export function decisionsOf({ folds, cuts, thinking, stubs, note, told }: Plan): readonly Decision[] {
  return [
    ...folds.map(({ decision }) => decision),
    ...cuts.map(
      ({ call, input }): Decision => ({
        kind: "replace",
        target: call.place.entry.id,
        body: { as: "input", input: textBody(input) },
        by: "extractive",
        mode: "arguments",
      }),
    ),
    ...thinking.map(
      ({ old, blocks }): Decision => ({ kind: "replace", target: old.place.entry.id, body: { as: "blocks", blocks }, by: "extractive", mode: "thinking" }),
    ),
    ...(note === undefined
      ? []
      : [
          {
            kind: "condense",
            targets: stubs.map(({ record }) => record.place.entry.id),
            stubs: stubs.map(({ text }) => textBody(text)),
            summary: textBody(note),
            by: told && told.stubs.size > 0 ? "model" : "extractive",
          } as const,
        ]),
  ];
}

interface RunOptions {
  readonly head: Place | null;
  readonly onRequest: CondenseOptions["onRequest"];
  readonly tells?: boolean;
}

class Run {
  readonly #onRequest: ((request: RequestSeen) => void) | undefined;
  readonly #onPath: ReadonlySet<Place>;
  readonly #original: Session;
  readonly #copy: Session;
  readonly #full: Projector;
  readonly decider: Decider;
  readonly #epochs: EpochReport[] = [];
  /** Up to this depth the path holds decisions of ours: none is put before them, so that the refs they print stay right. */
  readonly #decided: number;
  /** What recorded epochs of the path apply. */
  readonly #applied: ReadonlySet<EntryId>;
  readonly #prices: CondensePolicy["prices"];
  /** What the newest request held. */
  #sent: View | undefined;
  /** The newest epoch, until a request was told of it. */
  #untold: EpochReport | undefined;
  #made = 0;
  #sums = { full: 0, small: 0, floor: 0 };

  constructor(session: Session, policy: CondensePolicy, { head, onRequest, tells = false }: RunOptions) {
    this.#onRequest = onRequest;
    const path = pathTo(head);
    this.#onPath = new Set(path);
    this.#decided = path.findLastIndex(({ entry: { data } }) => isHiding(data) && data.by !== "host");
    this.#applied = new Set(path.flatMap(({ entry: { data } }) => (data.kind === "epoch" ? data.applies : [])));
    this.#prices = policy.prices;
    this.#original = session;
    this.#copy = new Session(session.identity);
    this.#full = new Projector(session);
    this.decider = new Decider(this.#copy, policy, { tells });
  }

  /** The epoch that is due right before a place. */
  due(place: Place): Proposal | undefined {
    if (!this.#isOpen(place)) return undefined;
    const { data, time } = place.entry;
    if (isAssistant(data)) this.#finishCutOff();
    if (isAssistant(data)) return this.decider.propose({ finalReply: false, time: this.#timeAt(place) });
    // The agent has given its final reply, and the user goes on: an epoch here falls into the pause.
    return data.kind === "message" && data.role === "user" && this.decider.replied ? this.decider.propose({ finalReply: true, time }) : undefined;
  }

  take(place: Place): void {
    if (!this.#onPath.has(place)) {
      this.#copy.load(place.entry);
      return;
    }
    const { data } = place.entry;
    const full = isAssistant(data) ? this.#request(place) : undefined;
    this.#full.advance(place);
    this.#copy.load({ ...place.entry, parent: this.decider.head?.entry.id ?? null });
    this.decider.take(this.#copy.find(place.entry.id) as Place, full);
    if (data.kind === "result" && this.#isOpen(place)) this.#spill();
  }

  #isOpen(place: Place): boolean {
    return place.depth > this.#decided && this.#onPath.has(place);
  }

  #timeAt({ entry }: Place): number | undefined {
    return this.decider.now ?? entry.time;
  }

  #request(place: Place): View {
    const time = this.#timeAt(place);
    const cold = this.decider.isCold(time);
    const full = this.#full.view();
    const small = this.decider.view();
    this.#sent = small;
    const epoch = this.#untold;
    this.#untold = undefined;
    this.#count(full, small);
    this.#onRequest?.({ index: this.decider.requests + 1, place, ...(time !== undefined && { time }), cold, full, small, ...(epoch && { epoch }) });
    return full;
  }

  #count(full: View, small: View): void {
    const prompt = promptTokens(full);
    this.#sums.full += full.tokens - prompt;
    this.#sums.floor += full.tokens - full.resultTokens - prompt;
    this.#sums.small += small.tokens - prompt;
  }

  #spill(): void {
    for (const { record, text } of this.decider.spills())
      this.#decide({
        kind: "replace",
        target: record.place.entry.id,
        body: { as: "blocks", blocks: [{ type: "text", body: textBody(text) }] },
        by: "extractive",
        mode: "spill",
      });
  }

  /** Appends what was proposed, and the epoch that applies it; before that what a model did for it. */
  append(proposal: Proposal | undefined, attempts: readonly AttemptDecision[] = []): void {
    for (const attempt of attempts) this.#decide(attempt);
    if (!proposal) return;
    const { cause, plan, cost, request } = proposal;
    const { saving, rewritten } = plan;
    const applies = decisionsOf(plan).map((decision) => this.#decide(decision));
    const entry = this.#decide({ kind: "epoch", cause, applies, economics: { rewritten: rewritten.bytes, saving, cost } });
    const counts = { folds: plan.folds.length, results: plan.stubs.length, calls: plan.cuts.length, thinking: plan.thinking.length };
    this.#untold = { entry, ...(plan.block && { block: plan.block }), cause, request, ...counts, saving, rewritten, cost };
    this.#epochs.push(this.#untold);
  }

  /** Applies what was decided before and never applied, where that is smaller: the log was cut off between a decision and its epoch. */
  #finishCutOff(): void {
    const waiting = this.decider.waiting.filter(({ entry }) => !this.#applied.has(entry.id));
    if (waiting.length === 0) return;
    const epoch = { kind: "epoch", cause: "on-demand", applies: waiting.map(({ entry }) => entry.id) } as const;
    const before = this.decider.view();
    const after = this.#viewAfter(epoch);
    if (bytesBetween(after, 0, after.length) >= bytesBetween(before, 0, before.length)) return;
    const [front, added] = [commonFront(before, after), before.length - (this.#sent ? commonFront(this.#sent, before) : 0)];
    const end = Math.max(front, after.length - added);
    const rewritten = { tokens: after.tokensUpTo(end) - after.tokensUpTo(front), bytes: bytesBetween(after, front, end) };
    const saving = before.tokens - after.tokens;
    const cost = costOf({ rewritten: rewritten.tokens, saving, cold: this.decider.isCold(this.decider.now) }, this.#prices);
    const request = this.decider.requests + 1;
    const entry = this.#decide({ ...epoch, economics: { rewritten: rewritten.bytes, saving, cost } });
    const block = waiting.filter(({ entry: { data } }) => data.kind === "condense").at(-1);
    const ref = block && refOf(block);
    this.#untold = { entry, ...(ref && { block: ref }), cause: epoch.cause, request, ...countsOf(waiting), saving, rewritten, cost };
    this.#epochs.push(this.#untold);
  }

  /** What the path would show with one more decision. */
  #viewAfter(data: Decision): View {
    const { head } = this.decider;
    const trial = new Session(this.#copy.identity);
    for (const { entry } of pathTo(head)) trial.load(entry);
    trial.load({ id: entryId("palimpsest-trial"), parent: head?.entry.id ?? null, data });
    return view(trial, trial.last);
  }

  #decide(decision: Decision): EntryId {
    const parent = this.decider.head as Place;
    const id = this.#nextId();
    const refusal = this.#copy.append({ id, parent: parent.entry.id, data: decision });
    if (refusal) throw new Error(`a decision of the condenser was refused: ${refusal.message}`);
    this.decider.take(this.#copy.find(id) as Place);
    return id;
  }

  /** An id that neither session holds: one that was condensed before has some already. */
  #nextId(): EntryId {
    for (;;) {
      const id = entryId(`palimpsest-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }

  /** The epoch at the end, on demand. */
  last(): Proposal | undefined {
    this.#finishCutOff();
    return this.decider.onDemand();
  }

  finish(): Condensed {
    this.decider.explainWaiting();
    const { requests, head, records } = this.decider;
    const mean = (sum: number) => (requests === 0 ? 0 : Math.round(sum / requests));
    for (const record of records) if ("by" in record.fate && this.#original.find(record.fate.by)) record.fate = { ...record.fate, earlier: true };
    if (head) this.#copy.continueAt(head.entry.id);
    return {
      session: this.#copy,
      head,
      before: this.#full.view(),
      after: this.decider.view(),
      requests,
      results: records,
      epochs: this.#epochs,
      context: { averageFull: mean(this.#sums.full), averageCondensed: mean(this.#sums.small), floor: mean(this.#sums.floor) },
    };
  }
}

/** What decisions change, by its kind. */
function countsOf(decisions: readonly Place[]): Pick<EpochReport, "folds" | "results" | "calls" | "thinking"> {
  const counts = { folds: 0, results: 0, calls: 0, thinking: 0 };
  for (const { entry } of decisions) {
    const { data } = entry;
    if (data.kind === "condense") counts.results += data.targets.length;
    else if (data.kind === "replace") counts[data.mode === "arguments" ? "calls" : data.mode === "thinking" ? "thinking" : "results"] += 1;
    else if (isHiding(data)) counts.folds += 1;
  }
  return counts;
}

/** Tokens of the prompt, which no decision of ours changes. */
function promptTokens(view: View): Tokens {
  const first = view.at(0);
  return first?.kind === "prompt" ? itemTokens(first) : 0;
}
