// A recorded session condensed as if that had been done while it ran: the decider follows it, and what it proposes is appended.
import type { CondensePolicy } from "../config/index.ts";
import { type Decision, type EntryId, entryId, isAssistant, isHiding, type Place, pathTo, Session, type Tokens, textBody } from "../session/index.ts";
import { itemTokens, Projector, type View } from "../view/index.ts";
import { Decider, type Proposal } from "./decider.ts";
import type { Plan } from "./flush.ts";
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
export function condense(session: Session, policy: CondensePolicy, { head = session.head, onRequest }: CondenseOptions = {}): Condensed {
  const run = new Run(session, policy, head, onRequest);
  for (const place of session.entries()) run.take(place);
  return run.finish();
}

/** The decisions of a plan in the order in which they are appended; each names its own ref. */
export function decisionsOf({ folds, cuts, thinking, stubs, note }: Plan): readonly Decision[] {
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
            by: "extractive",
          } as const,
        ]),
  ];
}

class Run {
  readonly #onRequest: ((request: RequestSeen) => void) | undefined;
  readonly #onPath: ReadonlySet<Place>;
  readonly #original: Session;
  readonly #copy: Session;
  readonly #full: Projector;
  readonly #decider: Decider;
  readonly #epochs: EpochReport[] = [];
  /** Up to this depth the path holds decisions of ours: none is put before them, so that the refs they print stay right. */
  readonly #decided: number;
  /** The newest epoch, until a request was told of it. */
  #untold: EpochReport | undefined;
  #made = 0;
  #sums = { full: 0, small: 0, floor: 0 };

  constructor(session: Session, policy: CondensePolicy, head: Place | null, onRequest: CondenseOptions["onRequest"]) {
    this.#onRequest = onRequest;
    const path = pathTo(head);
    this.#onPath = new Set(path);
    this.#decided = path.findLastIndex(({ entry: { data } }) => isHiding(data) && data.by !== "host");
    this.#original = session;
    this.#copy = new Session(session.identity);
    this.#full = new Projector(session);
    this.#decider = new Decider(this.#copy, policy);
  }

  take(place: Place): void {
    if (!this.#onPath.has(place)) {
      this.#copy.load(place.entry);
      return;
    }
    const { data, time } = place.entry;
    const isOpen = place.depth > this.#decided;
    let full: View | undefined;
    if (isAssistant(data)) full = this.#beforeRequest(place, isOpen);
    // The agent has given its final reply, and the user goes on: an epoch here falls into the pause.
    else if (data.kind === "message" && data.role === "user" && this.#decider.replied && isOpen)
      this.#append(this.#decider.propose({ finalReply: true, time }));
    this.#full.advance(place);
    this.#copy.load({ ...place.entry, parent: this.#decider.head?.entry.id ?? null });
    this.#decider.take(this.#copy.find(place.entry.id) as Place, full);
    if (data.kind === "result" && isOpen) this.#spill();
  }

  #beforeRequest(place: Place, isOpen: boolean): View {
    const time = this.#decider.now ?? place.entry.time;
    const cold = this.#decider.isCold(time);
    if (isOpen) this.#append(this.#decider.propose({ finalReply: false, time }));
    const full = this.#full.view();
    const small = this.#decider.view();
    const epoch = this.#untold;
    this.#untold = undefined;
    this.#count(full, small);
    this.#onRequest?.({ index: this.#decider.requests + 1, place, ...(time !== undefined && { time }), cold, full, small, ...(epoch && { epoch }) });
    return full;
  }

  #count(full: View, small: View): void {
    const prompt = promptTokens(full);
    this.#sums.full += full.tokens - prompt;
    this.#sums.floor += full.tokens - full.resultTokens - prompt;
    this.#sums.small += small.tokens - prompt;
  }

  #spill(): void {
    for (const { record, text } of this.#decider.spills())
      this.#decide({
        kind: "replace",
        target: record.place.entry.id,
        body: { as: "blocks", blocks: [{ type: "text", body: textBody(text) }] },
        by: "extractive",
        mode: "spill",
      });
  }

  /** Appends what was proposed, and the epoch that applies it. */
  #append(proposal: Proposal | undefined): void {
    if (!proposal) return;
    const { cause, plan, cost, request } = proposal;
    const { saving, rewritten } = plan;
    const applies = decisionsOf(plan).map((decision) => this.#decide(decision));
    const entry = this.#decide({ kind: "epoch", cause, applies, economics: { rewritten: rewritten.bytes, saving, cost } });
    const counts = { folds: plan.folds.length, results: plan.stubs.length, calls: plan.cuts.length, thinking: plan.thinking.length };
    this.#untold = { entry, ...(plan.block && { block: plan.block }), cause, request, ...counts, saving, rewritten, cost };
    this.#epochs.push(this.#untold);
  }

  #decide(decision: Decision): EntryId {
    const parent = this.#decider.head as Place;
    const id = this.#nextId();
    const refusal = this.#copy.append({ id, parent: parent.entry.id, data: decision });
    if (refusal) throw new Error(`a decision of the condenser was refused: ${refusal.message}`);
    this.#decider.take(this.#copy.find(id) as Place);
    return id;
  }

  /** An id that neither session holds: one that was condensed before has some already. */
  #nextId(): EntryId {
    for (;;) {
      const id = entryId(`palimpsest-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }

  finish(): Condensed {
    this.#append(this.#decider.onDemand());
    this.#decider.explainWaiting();
    const { requests, head, records } = this.#decider;
    const mean = (sum: number) => (requests === 0 ? 0 : Math.round(sum / requests));
    if (head) this.#copy.continueAt(head.entry.id);
    return {
      session: this.#copy,
      head,
      before: this.#full.view(),
      after: this.#decider.view(),
      requests,
      results: records,
      epochs: this.#epochs,
      context: { averageFull: mean(this.#sums.full), averageCondensed: mean(this.#sums.small), floor: mean(this.#sums.floor) },
    };
  }
}

/** Tokens of the prompt, which no decision of ours changes. */
function promptTokens(view: View): Tokens {
  const first = view.at(0);
  return first?.kind === "prompt" ? itemTokens(first) : 0;
}
