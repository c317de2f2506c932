// The proof that condensing lost nothing: every hidden original is really recalled by its ref and compared with its source.
import { type Exactness, isExact, recall } from "../recall/index.ts";
import { atOnce, type Steps } from "../session/index.ts";
import type { ResultRecord } from "./ledger.ts";
import type { Condensed } from "./outcome.ts";

/** Whether something stands in place of a result by a decision of ours. */
export function isHidden({ fate }: ResultRecord): boolean {
  return fate.kind !== "kept" && fate.kind !== "protected";
}

/** Recalls each hidden result through its ref: `exact` where its texts and its record equal the source by sha256. */
export function recallHidden(condensed: Condensed): Exactness {
  return atOnce(recallingHidden(condensed));
}

/** The same in steps, one for each hidden result. */
export function* recallingHidden({ session, head, results }: Condensed): Steps<Exactness> {
  const hidden = results.filter(isHidden);
  let checked = 0;
  let exact = 0;
  for (const { ref, place } of hidden) {
    const found = recall(session, ref, head);
    if (!("kind" in found) && found.length === 1 && found[0]?.place === place && isExact(place)) exact += 1;
    checked += 1;
    yield checked / hidden.length;
  }
  return { checked, exact };
}
