// What grows old along a path: results, arguments and thinking that a later epoch may shorten.
import type { CondensePolicy } from "../config/index.ts";
import { isEdit, isRead } from "../extract/index.ts";
import { type CallFact, type EntryId, isAssistant, type Place, type Tokens } from "../session/index.ts";
import { blocksTokens, bodyTokens } from "../tokens/index.ts";
import { isInGrace, isRecall } from "./grace.ts";
import { type AnsweredRecord, argumentsOf } from "./ledger.ts";

/** A call whose arguments may be cut. */
export interface OldCall {
  readonly place: Place;
  readonly fact: CallFact;
  readonly result: AnsweredRecord;
  readonly tokens: Tokens;
  /** Requests that were made when its result came. */
  readonly request: number;
}

/** A message whose thinking may be left out. */
export interface OldThinking {
  readonly place: Place;
  readonly tokens: Tokens;
}

/** What an epoch may shorten now, oldest first. */
export interface Due {
  readonly results: readonly AnsweredRecord[];
  readonly calls: readonly OldCall[];
  readonly thinking: readonly OldThinking[];
}

/** Where a path stands. */
export interface Now {
  /** Results, user messages and requests so far. */
  readonly results: number;
  readonly users: number;
  readonly requests: number;
}

export class Aging {
  readonly #policy: CondensePolicy;
  // By the entry that they are in, so that one of them leaves in constant time.
  readonly #results = new Map<EntryId, AnsweredRecord>();
  readonly #calls = new Map<EntryId, OldCall>();
  readonly #thinking = new Map<EntryId, OldThinking>();
  /** User messages before each recalled result. */
  readonly #recalled = new Map<AnsweredRecord, number>();
  #pending: Tokens = 0;

  constructor(policy: CondensePolicy) {
    this.#policy = policy;
  }

  /** Tokens that all that waits here could save at most. */
  get pending(): Tokens {
    return this.#pending;
  }

  has(record: AnsweredRecord): boolean {
    return this.#results.get(record.place.entry.id) === record;
  }

  /** What stands in these places waits no longer: something else is shown there. */
  drop(isGone: (place: Place) => boolean): void {
    this.settle(this.in(isGone));
  }

  /** The same for one entry. */
  dropEntry(id: EntryId): void {
    for (const waiting of [this.#results, this.#calls, this.#thinking]) {
      this.#pending -= waiting.get(id)?.tokens ?? 0;
      waiting.delete(id);
    }
  }

  /** Results that wait. */
  get results(): readonly AnsweredRecord[] {
    return [...this.#results.values()];
  }

  takeResult(record: AnsweredRecord, now: Now): void {
    if (isRecall(record.fact.tool, record.call)) this.#recalled.set(record, now.users);
    this.#results.set(record.place.entry.id, record);
    this.#pending += record.tokens;
  }

  /** Takes the call that a result answers, where its arguments are of a kind that is cut. */
  takeCall(place: Place, result: AnsweredRecord, now: Now): void {
    const fact = place.entry.data as CallFact;
    if (!this.#isCut(fact, result)) return;
    const tokens = bodyTokens(fact.input);
    this.#calls.set(place.entry.id, { place, fact, result, tokens, request: now.requests });
    this.#pending += tokens;
  }

  #isCut(fact: CallFact, result: AnsweredRecord): boolean {
    const { arguments: edits, failedCalls } = this.#policy;
    if (result.fact.status === "error" && failedCalls.enabled && fact.input.chars >= failedCalls.minChars) return true;
    return edits.over !== null && bodyTokens(fact.input) > edits.over && isEdit({ tool: fact.tool, args: argumentsOf(fact) });
  }

  takeMessage(place: Place): void {
    const { data } = place.entry;
    if (!this.#policy.dropThinking || data.kind !== "message" || !isAssistant(data)) return;
    const thinking = data.blocks.filter(({ type }) => type === "thinking");
    const tokens = blocksTokens(thinking);
    // Sealed thoughts, of which only the provider has the words, show nothing that could go.
    if (tokens === 0) return;
    this.#thinking.set(place.entry.id, { place, tokens });
    this.#pending += tokens;
  }

  due(now: Now): Due {
    const limit = now.results - this.#policy.keepNewest;
    return {
      results: filtered(this.#results, (record) => record.place.results <= limit && this.whyLonger(record, now) === undefined),
      calls: filtered(this.#calls, (call) => call.result.place.results <= limit || this.#isOldFailure(call, now)),
      thinking: filtered(this.#thinking, ({ place }) => place.results < limit),
    };
  }

  /** All that waits in these places, whether it is old or not. */
  in(isIn: (place: Place) => boolean): Due {
    const inside = ({ place }: { readonly place: Place }) => isIn(place);
    return { results: filtered(this.#results, inside), calls: filtered(this.#calls, inside), thinking: filtered(this.#thinking, inside) };
  }

  #isOldFailure({ result, request, fact }: OldCall, { requests }: Now): boolean {
    const { enabled, afterRequests, minChars } = this.#policy.failedCalls;
    return enabled && result.fact.status === "error" && fact.input.chars >= minChars && requests - request >= afterRequests;
  }

  /** Why a result stays although it is not among the newest. */
  whyLonger(record: AnsweredRecord, now: Now): "read" | "recalled" | undefined {
    const { recallGrace, keepReads, keepNewest } = this.#policy;
    const users = this.#recalled.get(record);
    if (users !== undefined && isInGrace(users, now.users, recallGrace)) return "recalled";
    if (record.tokens > keepReads.tokens || record.place.results <= now.results - keepNewest - keepReads.results) return undefined;
    return isRead({ tool: record.fact.tool, args: argumentsOf(record.call) }) ? "read" : undefined;
  }

  /** These wait no longer, whether they were shortened or not. */
  settle({ results, calls, thinking }: Due): void {
    for (const { place } of [...results, ...calls, ...thinking]) this.dropEntry(place.entry.id);
  }
}

function filtered<T>(waiting: ReadonlyMap<EntryId, T>, isWanted: (each: T) => boolean): readonly T[] {
  return [...waiting.values()].filter(isWanted);
}

/** What is due and not in `gone`. */
export function without(due: Due, gone: Due): Due {
  const left = new Set<object>([...gone.results, ...gone.calls, ...gone.thinking]);
  const stays = (each: object) => !left.has(each);
  return { results: due.results.filter(stays), calls: due.calls.filter(stays), thinking: due.thinking.filter(stays) };
}
