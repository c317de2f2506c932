// The decisions that make one block each of chains that are closed and old enough.
import { type Bytes, type FoldDecision, type Place, type Ref, textBody } from "../session/index.ts";
import type { Chain, Chains } from "./chains.ts";
import { type FoldBody, foldBody, fusionParts } from "./fold-body.ts";
import { type Foldable, type FoldPolicy, foldable, type KeptChain, resultsOf } from "./foldable.ts";

export interface FoldPlan {
  readonly folds: readonly PlannedFold[];
  readonly keep: readonly KeptChain[];
}

export interface PlannedFold {
  readonly chain: Chain;
  /** To be appended below the head in this order, with nothing that has a `bN` between: each body names its own. */
  readonly decision: FoldDecision;
  readonly ref: Ref;
  readonly body: FoldBody["kind"];
  /** UTF-8 bytes that leave the view, and those of the block. */
  readonly hidden: Bytes;
  readonly shown: Bytes;
  /** The summaries of the chain, for a model to make one of. */
  readonly parts: () => readonly string[];
}

export interface FoldOptions extends FoldPolicy {
  /** The most that summaries take in a block, in UTF-8 bytes. By default 4096. Never more than a quarter of what the block hides. */
  readonly summaryBytes?: Bytes;
  /** What a model made of the summaries of a chain, where one was asked. */
  readonly fused?: ReadonlyMap<Chain, string>;
}

/**
 * The folds to append at `head`, the end of the path that `chains` followed, and which of the waiting chains stay.
 *
 * ```ts
 * const chains = chainsOf(session.path());
 * planFolds(chains, session.head, { rollingWindow: 3, recallGrace: 3, isProtected: () => false }).folds;
 * ```
 */
export function planFolds(chains: Chains, head: Place | null, options: FoldOptions): FoldPlan {
  const { fold, keep } = foldable(chains, options, chains.waiting);
  const folds: PlannedFold[] = [];
  const kept = [...keep];
  const hidden = new Set<Place>();
  for (const each of fold) {
    const ref: Ref = `b${(head?.blocks ?? 0) + folds.length + 1}`;
    const results = each.batches.flatMap((batch) => resultsOf(batch).map(({ place }) => place));
    const fused = options.fused?.get(each.chain);
    const body = foldBody(each, chains, {
      ref,
      isHidden: (result) => hidden.has(result) || chains.isHidden(result),
      ...(options.summaryBytes !== undefined && { summaryBytes: options.summaryBytes }),
      ...(fused !== undefined && { fused }),
    });
    if (!body) kept.push({ chain: each.chain, why: "not-smaller" });
    else {
      for (const result of results) hidden.add(result);
      folds.push({
        chain: each.chain,
        ref,
        body: body.kind,
        hidden: body.hidden,
        shown: body.shown,
        decision: decisionOf(each, body),
        parts: () => fusionParts(each, chains),
      });
    }
  }
  return { folds, keep: kept.sort((a, b) => a.chain.user.depth - b.chain.user.depth) };
}

function decisionOf({ from, to, kept }: Foldable, { text, usesModel }: FoldBody): FoldDecision {
  return {
    kind: "fold",
    from: from.entry.id,
    to: to.entry.id,
    kept: kept.map(({ entry }) => entry.id),
    body: textBody(text),
    by: usesModel ? "model" : "extractive",
  };
}
