// The proof that condensing lost nothing: every hidden original is really recalled by its ref and compared with its source.
import { type Exactness, isExact, recall } from "../recall/index.ts";
import type { ResultRecord } from "./ledger.ts";
import type { Condensed } from "./outcome.ts";

/** Whether something stands in place of a result by a decision of ours. */
export function isHidden({ fate }: ResultRecord): boolean {
  return fate.kind !== "kept" && fate.kind !== "protected";
}

/** Recalls each hidden result through its ref: `exact` where its texts and its record equal the source by sha256. */
export function recallHidden({ session, head, results }: Condensed): Exactness {
  const hidden = results.filter(isHidden);
  const exact = hidden.filter(({ ref, place }) => {
    const found = recall(session, ref, head);
    return !("kind" in found) && found.length === 1 && found[0]?.place === place && isExact(place);
  });
  return { checked: hidden.length, exact: exact.length };
}
