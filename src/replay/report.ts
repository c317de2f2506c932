// A recording run through a policy request by request, and what that comes to.
import type { Cost, EpochReport } from "../condense/index.ts";
import type { CondensePolicy } from "../config/index.ts";
import { atOnce, type EntryId, type Place, pathTo, type Session, type Steps, type Tokens } from "../session/index.ts";
import { bodyTokens, CARDS, type PriceCard } from "../tokens/index.ts";
import { commonFront, type Item, itemTokens, type View } from "../view/index.ts";
import { CostMeter, type Costs } from "./cost.ts";
import { byPolicy, type Follow, type Followed, type Outcome } from "./follow.ts";
import { byMask } from "./mask.ts";
import { type Needle, type NeedleKind, Needles } from "./needles.ts";
import { type OneRecall, Recalls } from "./recalls.ts";
import { type HostDecisions, recordingOf } from "./recording.ts";
import { Times } from "./times.ts";
import { byTruncation } from "./truncation.ts";

export interface ReplayOptions {
  /** As far as here; by default to the session's head. */
  readonly head?: Place | null;
  /** What the host itself compacted. @default "ignored" */
  readonly hosts?: HostDecisions;
}

export interface NeedleCounts {
  readonly total: number;
  readonly visible: number;
  /** Of those last seen more than ten results ago. */
  readonly oldTotal: number;
  readonly oldVisible: number;
}

export interface CardCosts {
  /** A cache that costs extra to write and lives for five minutes of recorded time. */
  readonly premium: Costs;
  /** The same without end of life. */
  readonly withoutLifetime: Costs;
  /** No premium on writing, no end of life. */
  readonly flat: Costs;
}

/** A needle that was not in view where the agent used it. */
export interface MissedNeedle {
  readonly kind: NeedleKind;
  readonly old: boolean;
  readonly text: string;
  /** What one recall of brings it back; absent where none does. */
  readonly recall?: string;
}

/** One request of a replay. Costs are those of the premium card. */
export interface RequestRow {
  /** Counted from 1. */
  readonly request: number;
  /** The message that answers it. */
  readonly entry: EntryId;
  readonly full: Tokens;
  readonly condensed: Tokens;
  readonly costFull: Cost;
  readonly costCondensed: Cost;
  /** What was sent before was changed, while the cache held it or not. */
  readonly rewrite?: "warm" | "cold";
  /** Epochs since the request before. */
  readonly epoch?: EpochReport;
  readonly needles: number;
  readonly missed: readonly MissedNeedle[];
}

export interface ReplayReport {
  readonly hosts: HostDecisions;
  /** Means over all requests in estimated tokens, without system prompts; `floor`: no results, and no call's arguments above 150 tokens. */
  readonly context: { readonly averageFull: Tokens; readonly averageCondensed: Tokens; readonly floor: Tokens };
  readonly needles: {
    readonly facts: NeedleCounts;
    readonly edits: NeedleCounts;
    readonly arguments: { readonly total: number; readonly visible: number };
    /** Not visible, and returned by one recall. */
    readonly oneRecall: number;
    /** Neither. */
    readonly lost: number;
  };
  /** Costs at the premium card, in millionths of its currency. */
  readonly cache: {
    readonly requests: number;
    readonly warmRewrites: number;
    readonly coldRewrites: number;
    readonly costFull: Cost;
    readonly costCondensed: Cost;
    readonly costWithRecalls: Cost;
  };
  readonly costs: CardCosts;
  readonly epochs: readonly EpochReport[];
  readonly rows: readonly RequestRow[];
}

/**
 * Runs a session through a policy as if it had been condensed while it ran. What its agent did is taken as it was.
 *
 * ```ts
 * const { context, needles, cache } = replay(session, DEFAULT_POLICY.condense);
 * ```
 * @throws SourceChangedError when the session's file no longer holds what was read.
 */
export function replay(session: Session, policy: CondensePolicy, options: ReplayOptions = {}): ReplayReport {
  return atOnce(replaying(session, policy, options));
}

/** The same in steps, one for each entry. */
export function replaying(session: Session, policy: CondensePolicy, options: ReplayOptions = {}): Steps<ReplayReport> {
  return measured(session, byPolicy(policy), options);
}

/** The same for a session whose oldest results are left out: all but the newest ten, every twenty results. */
export function replayMask(session: Session, options: ReplayOptions = {}): ReplayReport {
  return atOnce(replayingMask(session, options));
}

/** The same in steps, one for each entry. */
export function replayingMask(session: Session, options: ReplayOptions = {}): Steps<ReplayReport> {
  return measured(session, byMask, options);
}

/** The same for a session of whose results no more than 2,000 characters, head and tail, are ever shown. */
export function replayTruncation(session: Session, options: ReplayOptions = {}): ReplayReport {
  return atOnce(measured(session, byTruncation, options));
}

function* measured(session: Session, follow: Follow, { head = session.head, hosts = "ignored" }: ReplayOptions): Steps<ReplayReport> {
  const recording = recordingOf(session, hosts);
  const end = (head && recording.find(head.entry.id)) ?? null;
  const measure = new Measure(pathTo(end));
  const followed = yield* follow(recording, end, (request) => measure.request(request));
  return { hosts, ...measure.finish(followed.session), epochs: followed.epochs };
}

/**
 * The figures of a run that was followed already: its requests in order, and the session that it came to. Nothing is left out of its views: system
 * prompts and what a host compacted count as they were.
 */
export function* replayingRun(head: Place | null, requests: readonly Followed[], { session, epochs }: Outcome): Steps<ReplayReport> {
  const measure = new Measure(pathTo(head));
  for (const [at, request] of requests.entries()) {
    measure.request(request);
    yield at / requests.length;
  }
  return { hosts: "honoured", ...measure.finish(session), epochs };
}

interface Row extends Omit<RequestRow, "missed" | "needles"> {
  readonly needles: readonly Needle[];
}

/** What is measured of each request as it comes; what needs the whole run is reckoned at the end. */
class Measure {
  readonly #needles: Needles;
  readonly #times: Times;
  readonly #meters = {
    premium: new CostMeter(CARDS.premium),
    withoutLifetime: new CostMeter({ ...CARDS.premium, lifetimeSeconds: null } satisfies PriceCard),
    flat: new CostMeter(CARDS.flat),
  };
  readonly #floor = new Floor();
  readonly #rows: Row[] = [];
  #sums = { full: 0, condensed: 0, floor: 0 };

  constructor(path: readonly Place[]) {
    this.#needles = new Needles(path);
    this.#times = new Times(path);
  }

  request(seen: Followed): void {
    const moment = this.#times.request(seen.place);
    const { needles, rewritten } = this.#needles.request(seen.place, seen.small);
    const cost = this.#meters.premium.request(seen, moment, rewritten);
    this.#meters.withoutLifetime.request(seen, moment, rewritten);
    this.#meters.flat.request(seen, moment, rewritten);
    const [full, condensed] = [seen.full.tokens, seen.small.tokens];
    this.#sums.full += full;
    this.#sums.condensed += condensed;
    this.#sums.floor += this.#floor.of(seen.full);
    this.#rows.push({
      request: this.#rows.length + 1,
      entry: seen.place.entry.id,
      full,
      condensed,
      costFull: cost.full,
      costCondensed: cost.condensed,
      ...(rewritten && { rewrite: moment.cold ? "cold" : "warm" }),
      ...(seen.epoch && { epoch: seen.epoch }),
      needles,
    });
  }

  /** `session`: what the run came to, from which is recalled. */
  finish(session: Session): Omit<ReplayReport, "hosts" | "epochs"> {
    const recalls = new Recalls(session, this.#needles.texts);
    const found = this.#rows.map(({ needles }) => needles.map((needle) => recalls.of(needle)));
    const missed = this.#rows.flatMap(({ needles }) => needles.filter(({ visible }) => !visible));
    const oneRecall = found.flat().filter((recall) => recall !== undefined).length;
    const needed = found.map((each) => each.filter((recall) => recall !== undefined));
    const costs = {
      premium: this.#meters.premium.costs(needed),
      withoutLifetime: this.#meters.withoutLifetime.costs(needed),
      flat: this.#meters.flat.costs(needed),
    };
    const { premium } = costs;
    const count = (rewrite: RequestRow["rewrite"]) => this.#rows.filter((row) => row.rewrite === rewrite).length;
    const mean = (sum: number) => (this.#rows.length === 0 ? 0 : Math.round(sum / this.#rows.length));
    const args = this.#countsOf("argument");
    return {
      context: { averageFull: mean(this.#sums.full), averageCondensed: mean(this.#sums.condensed), floor: mean(this.#sums.floor) },
      needles: {
        facts: this.#countsOf("fact"),
        edits: this.#countsOf("edit"),
        arguments: { total: args.total, visible: args.visible },
        oneRecall,
        lost: missed.length - oneRecall,
      },
      cache: {
        requests: this.#rows.length,
        warmRewrites: count("warm"),
        coldRewrites: count("cold"),
        costFull: premium.full,
        costCondensed: premium.condensed,
        costWithRecalls: premium.withRecalls,
      },
      costs,
      rows: this.#rows.map((row, at) => ({ ...row, needles: row.needles.length, missed: missedIn(row.needles, found[at] ?? []) })),
    };
  }

  #countsOf(kind: NeedleKind): NeedleCounts {
    const all = this.#rows.flatMap(({ needles }) => needles.filter((needle) => needle.kind === kind));
    const old = all.filter((needle) => needle.old);
    const seen = (needles: readonly Needle[]) => needles.filter(({ visible }) => visible).length;
    return { total: all.length, visible: seen(all), oldTotal: old.length, oldVisible: seen(old) };
  }
}

function missedIn(needles: readonly Needle[], found: readonly (OneRecall | undefined)[]): MissedNeedle[] {
  return needles.flatMap(({ kind, old, lines, visible }, at) => {
    const recall = found[at]?.ref;
    return visible ? [] : [{ kind, old, text: lines.join("\n"), ...(recall !== undefined && { recall }) }];
  });
}

/** Arguments that nobody would cut. */
const SMALL_ARGUMENTS: Tokens = 150;

/** The least that views hold without any result: sealed items are counted once, as long as nothing before them changes. */
class Floor {
  readonly #sums: Tokens[] = [0];
  #last: View | undefined;

  of(view: View): Tokens {
    const kept = this.#last ? Math.min(commonFront(this.#last, view), this.#sums.length - 1) : 0;
    this.#sums.length = kept + 1;
    for (let at = kept; at < view.length; at++) this.#sums.push((this.#sums[at] as Tokens) + floorTokens(view.at(at) as Item));
    this.#last = view;
    return this.#sums[view.length] as Tokens;
  }
}

function floorTokens(item: Item): Tokens {
  if (item.role === "tool") return 0;
  const tokens = itemTokens(item);
  return item.kind === "call" ? tokens - Math.max(0, bodyTokens(item.input) - SMALL_ARGUMENTS) : tokens;
}
