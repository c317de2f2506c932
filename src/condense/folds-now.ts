// The chains that an epoch folds, and what leaves the view by each.
import type { CondensePolicy } from "../config/index.ts";
import { type CallFact, isShowable, type Place, type ResultFact, rangeOf } from "../session/index.ts";
import type { Item } from "../view/index.ts";
import type { Chain, Chains } from "./chains.ts";
import { type PlannedFold, planFolds } from "./fold.ts";
import { argumentsOf } from "./ledger.ts";
import { protection } from "./protect.ts";

/** A fold that is planned. */
export interface FoldInView {
  readonly fold: PlannedFold;
  /** Whether it covers an entry. */
  readonly covers: (place: Place) => boolean;
  /** Whether an item leaves the view by it: what it covers, and notes that then speak of nothing shown. */
  readonly hides: (item: Item) => boolean;
}

/** The folds to append below `head`, the end of the path that `chains` followed. `fused`: what a model made of the summaries of a chain. */
export function foldsNow(chains: Chains, head: Place, policy: CondensePolicy, fused?: ReadonlyMap<Chain, string>): readonly FoldInView[] {
  const protects = protection({ tools: policy.protectedTools, paths: policy.protectedPaths });
  const { folds } = planFolds(chains, head, {
    rollingWindow: policy.chains.rollingWindow,
    recallGrace: policy.recallGrace,
    ...(fused && { fused }),
    isProtected: (result: Place, call: CallFact | undefined) => {
      const { tool, lost = false } = result.entry.data as ResultFact;
      return lost || protects(tool, argumentsOf(call));
    },
  });
  const covering = folds.map(({ decision }) => {
    const { from, to, keeps } = rangeOf(head, decision, chains.find);
    return (place: Place) => place.depth >= from && place.depth < to && isShowable(place.entry.data) && !keeps(place);
  });
  const isGone = (place: Place) => covering.some((covers) => covers(place)) || chains.isHidden(place);
  return folds.map((fold, at) => {
    const covers = covering[at] as (place: Place) => boolean;
    const hides = ({ place }: Item) => {
      if (place.entry.data.kind !== "condense") return covers(place);
      const held = chains.standIns.heldBy(place).map((id) => chains.find(id) as Place);
      return held.some(covers) && held.every(isGone);
    };
    return { fold, covers, hides };
  });
}
