// Which closed chains can become one block each, and what each of those would cover.
import { ancestorAt, type CallFact, type Place, type ResultFact } from "../session/index.ts";
import { type Chain, type ChainBatch, type Chains, callsAny } from "./chains.ts";
import { isInGrace, isRecall } from "./grace.ts";

export interface FoldPolicy {
  /** Newest chains that could be folded and stay. */
  readonly rollingWindow: number;
  /** Messages of the user for which a chain stays that holds something recalled. */
  readonly recallGrace: number;
  /** Whether a result stays verbatim; `call` is the one that it answers. */
  readonly isProtected: (result: Place, call: CallFact | undefined) => boolean;
}

/** Why a chain stays as it is. `hidden`: a compaction or a molt hides it. `not-smaller`: its block would be no smaller. */
export type KeptWhy = "open" | "unfinished" | "no-calls" | "folded" | "hidden" | "window" | "recall" | "protected" | "not-smaller";

export interface KeptChain {
  readonly chain: Chain;
  readonly why: KeptWhy;
}

/** A chain that can be folded now. */
export interface Foldable {
  readonly chain: Chain;
  /** The first and the last entry of the range. */
  readonly from: Place;
  readonly to: Place;
  /** The batches that it hides. */
  readonly batches: readonly ChainBatch[];
  /** Messages in the range that stay: of batches with a protected result, and of others than the assistant. */
  readonly kept: readonly Place[];
}

/** Sorts chains into those to fold and those that stay. `among`: all chains, or those that wait. Both lists are in path order. */
export function foldable(
  chains: Chains,
  policy: FoldPolicy,
  among: readonly Chain[] = chains.all,
): { readonly fold: readonly Foldable[]; readonly keep: readonly KeptChain[] } {
  const fold: Foldable[] = [];
  const keep: KeptChain[] = [];
  const users = chains.all.at(-1)?.asked ?? 0;
  let left = policy.rollingWindow;
  for (const chain of [...among].reverse()) {
    const why = whyNever(chains, chain) ?? (left-- > 0 ? "window" : undefined);
    const found = why ?? (holdsRecalled(chains, chain, users, policy) ? "recall" : (rangeIn(chains, chain, policy) ?? "protected"));
    if (typeof found === "string") keep.push({ chain, why: found });
    else fold.push(found);
  }
  return { fold: fold.reverse(), keep: keep.reverse() };
}

/** Why a chain does not even count in the rolling window. */
function whyNever(chains: Chains, chain: Chain): KeptWhy | undefined {
  if (chain.state !== "closed") return chain.state;
  if (!chain.middles.some(callsAny)) return "no-calls";
  if (chain.folded) return "folded";
  return chains.visible(chain).some(callsAny) ? undefined : "hidden";
}

function holdsRecalled(chains: Chains, chain: Chain, users: number, { recallGrace }: FoldPolicy): boolean {
  return (
    isInGrace(chain.asked, users, recallGrace) && chains.visible(chain).some((batch) => resultsOf(batch).some(({ fact, call }) => isRecall(fact.tool, call)))
  );
}

/** The results of a batch, in path order, late ones too. */
export function resultsOf({ calls, late }: ChainBatch): readonly { readonly place: Place; readonly fact: ResultFact; readonly call?: CallFact }[] {
  const answered = calls.flatMap(({ fact: call, result }) => (result ? [{ ...result, call }] : []));
  const others = late.map((place) => ({ place, fact: place.entry.data as ResultFact }));
  return [...answered, ...others].sort((a, b) => a.place.depth - b.place.depth);
}

/** What a fold of a chain would cover: from its first batch that is not protected to its last; none where every batch with a call is. */
function rangeIn(chains: Chains, chain: Chain, { isProtected }: FoldPolicy): Foldable | undefined {
  const visible = chains.visible(chain);
  const stays = visible.map((batch) => resultsOf(batch).some(({ place, call }) => isProtected(place, call)));
  const first = stays.indexOf(false);
  const last = stays.lastIndexOf(false);
  const batches = visible.filter((_, at) => !stays[at]);
  if (!batches.some(callsAny)) return undefined;
  const from = (visible[first] as ChainBatch).assistant;
  const final = chain.final as Place;
  const to = ancestorAt(final, (visible[last + 1]?.assistant ?? final).depth - 1) as Place;
  const inside = (place: Place) => place.depth > from.depth && place.depth <= to.depth;
  const kept = [
    ...visible.flatMap(({ assistant }, at) => (stays[at] && inside(assistant) ? [assistant] : [])),
    ...chain.between.filter((place) => place.entry.data.kind === "message" && inside(place)),
  ];
  return { chain, from, to, batches, kept: kept.sort((a, b) => a.depth - b.depth) };
}
