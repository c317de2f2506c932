// The decider: follows a path entry by entry and says which epoch is worth its price; whoever holds the session appends it.
import type { CondensePolicy } from "../config/index.ts";
import { answeredCall } from "../recall/index.ts";
import {
  bodyText,
  type CallFact,
  type Cause,
  type CondenseDecision,
  coverage,
  type EntryId,
  type EpochCost,
  type HidingDecision,
  isAssistant,
  isHiding,
  isRange,
  type Place,
  type Ref,
  type ReplaceDecision,
  refOf,
  type Session,
  type Tokens,
} from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { commonFront, Projector, type View } from "../view/index.ts";
import { Aging, type Due, type Now, without } from "./aging.ts";
import { type Chain, Chains } from "./chains.ts";
import { Clock } from "./clock.ts";
import { costOf } from "./economics.ts";
import { isEmpty, type Plan, planFlush, planRest, type Rest } from "./flush.ts";
import { foldsNow } from "./folds-now.ts";
import { Gauge } from "./gauge.ts";
import { InView } from "./in-view.ts";
import { KnownAnchors } from "./known.ts";
import { type AnsweredRecord, argumentsOf, isAnswered, type ResultRecord, resultRecord } from "./ledger.ts";
import { portion } from "./portion.ts";
import { protectionRule } from "./protect.ts";
import { isSpillStub, repeatedRef } from "./stub.ts";
import { type Stub, Stubs } from "./stubs.ts";
import { causeOf, isVetoed } from "./triggers.ts";

/** An epoch that is worth its price now, and not yet appended. */
export interface Proposal {
  readonly cause: Cause;
  readonly plan: Plan;
  readonly cost: EpochCost;
  /** The request that it would precede, counted from 1. */
  readonly request: number;
  /** More is due than one epoch may change. */
  readonly more: boolean;
}

/** When an epoch is asked for. */
export interface Occasion {
  /** The agent has just given its final reply. */
  readonly finalReply: boolean;
  /** Milliseconds since 1970; absent: when the newest message or result came. */
  readonly time?: number | undefined;
  /** The newest epoch changed as much as one may, and more was due. */
  readonly more?: boolean;
  /** Results, calls and messages that one epoch may change, the oldest first; absent: any number. */
  readonly most?: number;
}

export interface DeciderOptions {
  /** A model may tell of results: those that spills stand for are told of too when they are old. */
  readonly tells?: boolean;
}

/** Tokens that must have come after a plan that was not worth it, before another is made. */
const LEAST_NEWS: Tokens = 1000;

/**
 * Follows one path of a session, facts and decisions alike. It never appends: a proposal becomes true when its decisions are on the path and
 * taken like everything else, so that a restart, which takes the whole path again, comes to the same state.
 *
 * ```ts
 * const decider = new Decider(session, DEFAULT_POLICY.condense);
 * for (const place of session.path()) decider.take(place);
 * decider.propose({ finalReply: false })?.plan.stubs;
 * ```
 */
export class Decider {
  readonly #session: Session;
  readonly #policy: CondensePolicy;
  readonly #projector: Projector;
  readonly #inView = new InView();
  readonly #stubs: Stubs;
  readonly #aging: Aging;
  readonly #chains: Chains | undefined;
  readonly #protectedBy: ReturnType<typeof protectionRule>;
  readonly #records: ResultRecord[] = [];
  readonly #clock: Clock;
  readonly #gauge: Gauge;
  readonly #tells: boolean;
  /** Results that spills stand for, where a model may tell of them. */
  readonly #spilled = new Map<EntryId, AnsweredRecord>();
  #requests = 0;
  #users = 0;
  /** The request that the newest epoch preceded. */
  #lastEpoch = 1;
  /** No epoch pays before what waits holds this many tokens. */
  #worthAt: Tokens = 0;
  /** The newest message is the agent's last of a run, as far as is known. */
  #replied = false;
  #lastSent: View | undefined;

  constructor(session: Session, policy: CondensePolicy, { tells = false }: DeciderOptions = {}) {
    this.#tells = tells;
    this.#session = session;
    this.#policy = policy;
    this.#projector = new Projector(session);
    this.#stubs = new Stubs(policy);
    this.#aging = new Aging(policy);
    this.#chains = policy.chains.fold ? new Chains(session.find) : undefined;
    this.#clock = new Clock(policy.prices);
    this.#gauge = new Gauge(policy.triggers);
    this.#protectedBy = protectionRule({ tools: policy.protectedTools, paths: policy.protectedPaths });
  }

  get head(): Place | null {
    return this.#projector.head;
  }

  /** Requests that were answered so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Every result of the path and what became of it, in order. */
  get records(): readonly ResultRecord[] {
    return this.#records;
  }

  /** The agent's last word stands at the end, as far as is known. */
  get replied(): boolean {
    return this.#replied;
  }

  /** When the newest message or result came; undefined where no time is recorded. */
  get now(): number | undefined {
    return this.#clock.now;
  }

  view(): View {
    return this.#projector.view();
  }

  /** Decisions as a condenser makes them that wait for an epoch, in path order. */
  get waiting(): readonly Place[] {
    const isOurs = ({ entry: { data } }: Place) => isHiding(data) && (data.by === "extractive" || data.by === "model");
    return this.#projector.pending.map((id) => this.#session.find(id) as Place).filter(isOurs);
  }

  /** Whether a request at `time` finds the prompt cache gone. */
  isCold(time: number | undefined): boolean {
    return this.#clock.isColdAt(time);
  }

  /** Takes the next place of the path. `full`: what the request that it answers really held, where that is another view than this path's. */
  take(place: Place, full?: View): void {
    const { data, time } = place.entry;
    if (isAssistant(data)) this.#request(full);
    this.#projector.advance(place);
    this.#chains?.take(place);
    if (isAssistant(data)) this.#replied = true;
    else if (data.kind === "call" || data.kind === "failure" || (data.kind === "message" && data.role === "user")) this.#replied = false;
    if (!isAssistant(data) && data.kind !== "call" && data.kind !== "failure") this.#clock.tick(time);
    if (data.kind === "marker" && data.what === "model_change") this.#clock.lose();
    else if (data.kind === "usage") this.#gauge.report(data);
    else if (data.kind === "result") this.#result(place);
    else if (data.kind === "message") this.#message(place);
    else if (data.kind === "epoch" && data.cause !== "host" && data.cause !== "prompt") {
      this.#lastEpoch = this.#requests + 1;
      this.#worthAt = 0;
    } else if (isHiding(data) && data.by !== "host" && place.illegal === undefined) this.#decided(place, data);
  }

  #request(full: View | undefined): void {
    const view = this.view();
    this.#requests += 1;
    this.#clock.request(this.#clock.now);
    this.#gauge.request(full ?? view, view);
    this.#lastSent = view;
  }

  #message(place: Place): void {
    this.#aging.takeMessage(place);
    if (place.user === place) this.#users += 1;
  }

  #result(place: Place): void {
    const called = answeredCall(place);
    const call = called?.entry.data as CallFact | undefined;
    const record = resultRecord(place, call);
    this.#records.push(record);
    if (!called || !isAnswered(record)) {
      record.fate = { kind: "kept", why: "late" };
      return;
    }
    this.#aging.takeCall(called, record, this.#now);
    const rule = this.#protectedBy(record.fact.tool, argumentsOf(call));
    if (record.call.summarize && record.fact.status === "ok") record.fate = { kind: "kept", why: "summary-asked-for" };
    else if (record.fact.lost) record.fate = { kind: "kept", why: "original-lost" };
    else if (rule !== undefined) record.fate = { kind: "protected", rule };
    else if (record.tokens <= this.#policy.smallResult) record.fate = { kind: "kept", why: "small" };
    else this.#aging.takeResult(record, this.#now);
  }

  /** A decision of ours stands on the path: what it hides waits no longer. */
  #decided(place: Place, decision: HidingDecision): void {
    if (decision.kind === "condense") this.#condensed(place, decision);
    else if (decision.kind === "replace") this.#replaced(place, decision);
    else {
      const covers = coverage(place, decision, this.#session.find);
      this.#aging.drop(covers);
      for (const [id, record] of this.#spilled) if (covers(record.place)) this.#spilled.delete(id);
      if (isRange(decision))
        for (const record of this.#recordsIn(place, covers)) record.fate = { kind: "folded", into: refOf(place) as Ref, tokens: 0, by: place.entry.id };
    }
  }

  #condensed({ entry: { id: by } }: Place, { targets, stubs }: CondenseDecision): void {
    for (const target of targets) {
      this.#aging.dropEntry(target);
      this.#spilled.delete(target);
    }
    for (const [at, target] of targets.entries()) {
      const body = stubs[at];
      if (body) this.#hidden(target, by, bodyText(body), "condensed");
    }
  }

  #replaced({ entry: { id: by } }: Place, { target, body, mode }: ReplaceDecision): void {
    this.#aging.dropEntry(target);
    if (body.as !== "blocks") return;
    const text = body.blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])).join("\n");
    this.#hidden(target, by, text, mode === "spill" ? "spilled" : "condensed");
  }

  #hidden(target: EntryId, by: EntryId, stub: string, kind: "condensed" | "spilled"): void {
    const ordinal = this.#session.find(target)?.results ?? 0;
    const record = this.#records[ordinal - 1];
    if (record?.place.entry.id !== target) return;
    const of = repeatedRef(stub);
    const tokens = estimate(stub);
    record.fate = of === undefined ? { kind, tokens, by } : { kind: "duplicate", of, tokens, by };
    if (of !== undefined || !isAnswered(record)) return;
    this.#stubs.keep(record);
    if (this.#tells && isSpillStub(stub)) this.#spilled.set(target, record);
  }

  #recordsIn(place: Place, covers: (place: Place) => boolean): ResultRecord[] {
    return this.#records.slice(0, place.results).filter((record) => covers(record.place));
  }

  get #now(): Now {
    return { results: this.head?.results ?? 0, users: this.#users, requests: this.#requests };
  }

  /** Stubs of those results that no request has held yet and that are too large to be shown whole even once: to be appended before the next request. */
  spills(): Stub[] {
    const large = this.#tooLarge();
    if (large.length === 0) return [];
    const inView = this.#standing(this.view());
    const known = new KnownAnchors(inView);
    const stubs: Stub[] = [];
    for (const record of large) stubs.push(...this.#stubs.spilled(record, { known, siblings: stubs, inView: (ref) => inView.shows(ref) }));
    return stubs;
  }

  #standing(view: View): InView {
    this.#inView.follow(view);
    return this.#inView;
  }

  /** Results of the newest batch that are too large to be shown, oldest first. */
  #tooLarge(): AnsweredRecord[] {
    const large: AnsweredRecord[] = [];
    for (let at = this.#records.length - 1; at >= 0; at--) {
      const record = this.#records[at] as ResultRecord;
      if (record.place.assistant !== this.head?.assistant) break;
      if (isAnswered(record) && this.#aging.has(record) && this.#stubs.isTooLarge(record)) large.push(record);
    }
    return large.reverse();
  }

  /** The epoch that is due by the policy's triggers, where one is and is worth it. */
  propose({ finalReply, time = this.#clock.now, more = false, most }: Occasion): Proposal | undefined {
    const pending = this.#aging.pending;
    if (pending < this.#worthAt || !this.head) return undefined;
    const view = this.view();
    const request = this.#requests + 1;
    const cold = this.isCold(time);
    const cause = causeOf(
      {
        since: request - this.#lastEpoch,
        cold,
        finalReply,
        pending,
        context: view.tokens,
        occupancy: this.#gauge.occupancy(view),
        previousShare: this.#gauge.previousShare,
      },
      this.#policy.triggers,
    );
    // What did not fit follows at once, until a plan of it was not worth it.
    const due = cause ?? (more && this.#worthAt === 0 ? "cadence" : undefined);
    return due && this.#planned(due, view, cold, most);
  }

  /** All that is old enough, whatever it saves; of more than `most` the oldest. */
  onDemand(most?: number): Proposal | undefined {
    return this.head ? this.#planned("on-demand", this.view(), false, most) : undefined;
  }

  /** These places made smaller, whether they are old or not: the rest of a batch that was begun. */
  rest(isIn: (place: Place) => boolean): Rest {
    const inView = this.#standing(this.view());
    return planRest({
      due: this.#aging.in(isIn),
      inView,
      blocks: this.head?.blocks ?? 0,
      argumentShare: this.#policy.arguments.share,
      stubs: this.#stubs,
      known: new KnownAnchors(inView),
      isFree: this.#isFree(),
      large: (record) => this.#stubs.isTooLarge(record),
    });
  }

  /** The same proposal with the folds of these chains holding what a model made of their summaries. */
  refolded({ cause, cost }: Proposal, fused: ReadonlyMap<Chain, string>): Proposal | undefined {
    return this.#planned(cause, this.view(), cost.cache === "cold", undefined, fused);
  }

  /** The same proposal with another plan. */
  replanned(proposal: Proposal, plan: Plan): Proposal {
    const { tokens } = plan.rewritten;
    return { ...proposal, plan, cost: costOf({ rewritten: tokens, saving: plan.saving, cold: proposal.cost.cache === "cold" }, this.#policy.prices) };
  }

  #planned(cause: Cause, before: View, cold: boolean, most = Number.POSITIVE_INFINITY, fused?: ReadonlyMap<Chain, string>): Proposal | undefined {
    const head = this.head as Place;
    const folds = this.#chains ? foldsNow(this.#chains, head, this.#policy, fused) : [];
    const all = without(
      this.#aging.due(this.#now),
      this.#aging.in((place) => folds.some(({ covers }) => covers(place))),
    );
    const { due, more } = portion(all, before, most);
    const inView = this.#standing(before);
    const plan = planFlush({
      due,
      before,
      inView,
      sent: this.#lastSent ? commonFront(this.#lastSent, before) : 0,
      spilled: [...this.#spilled.values()].filter(({ place }) => place.results <= this.#now.results - this.#policy.keepNewest),
      folds,
      blocks: head.blocks,
      argumentShare: this.#policy.arguments.share,
      stubs: this.#stubs,
      known: new KnownAnchors(inView),
      isFree: this.#isFree(),
    });
    const cost = costOf({ rewritten: plan.rewritten.tokens, saving: plan.saving, cold }, this.#policy.prices);
    const { minSaving } = this.#policy.triggers;
    if (cause !== "on-demand" && (plan.saving < minSaving || isVetoed(cause, cost, this.#policy.triggers))) {
      // A part that is not worth it says nothing of the whole.
      if (more) return this.#planned(cause, before, cold, undefined, fused);
      this.#worthAt = this.#aging.pending + Math.max(minSaving - plan.saving, LEAST_NEWS);
      return undefined;
    }
    this.#passOver(due, plan);
    if (isEmpty(plan) && plan.spilled.length === 0) return more ? this.#planned(cause, before, cold, most, fused) : undefined;
    return { cause, plan, cost, request: this.#requests + 1, more };
  }

  /** What was due and has nothing smaller waits no longer. */
  #passOver(due: Due, { stubs, cuts, thinking, hidden }: Plan): void {
    const planned = new Set<object>([...stubs.map(({ record }) => record), ...cuts.map(({ call }) => call), ...thinking.map(({ old }) => old)]);
    const left = {
      results: due.results.filter((each) => !planned.has(each)),
      calls: due.calls.filter((each) => !planned.has(each)),
      thinking: due.thinking.filter((each) => !planned.has(each)),
    };
    this.#aging.settle(left);
    const gone = new Set(hidden);
    for (const record of left.results) record.fate = { kind: "kept", why: gone.has(record) ? "already-hidden" : "no-stub-is-smaller" };
  }

  /** Whether a place is none that a decision which waits for an epoch will hide. */
  #isFree(): (place: Place) => boolean {
    const waiting = this.#projector.pending.flatMap((id) => {
      const place = this.#session.find(id) as Place;
      return isHiding(place.entry.data) ? [coverage(place, place.entry.data, this.#session.find)] : [];
    });
    return (place) => !waiting.some((covers) => covers(place));
  }

  /** Says of what still waits why it does. */
  explainWaiting(): void {
    for (const record of this.#aging.results) record.fate = { kind: "kept", why: this.#aging.whyLonger(record, this.#now) ?? "newest" };
  }
}
