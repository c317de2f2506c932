// What condensing a session comes to: each request as it was seen, each epoch with its price, and the session in the end.
import type { Cause, EntryId, EpochCost, Place, Ref, Session, Tokens } from "../session/index.ts";
import type { View } from "../view/index.ts";
import type { ResultRecord } from "./ledger.ts";

/** One epoch of ours. */
export interface EpochReport {
  readonly entry: EntryId;
  /** Of the block that names its refs; absent where it condensed no result. */
  readonly block?: Ref;
  readonly cause: Cause;
  /** The request that it precedes, counted from 1; after the last one it is one more than there are. */
  readonly request: number;
  /** Chains folded, results condensed, arguments cut, messages without their thinking. */
  readonly folds: number;
  readonly results: number;
  readonly calls: number;
  readonly thinking: number;
  /** Estimated tokens that every later request saves. */
  readonly saving: Tokens;
  /** Of a prefix that was sent before: what is sent anew. */
  readonly rewritten: { readonly tokens: Tokens; readonly bytes: number };
  /** What that costs and gives at the prices of the policy. */
  readonly cost: EpochCost;
}

/** One request as the decider saw it, right before the answer was taken. */
export interface RequestSeen {
  /** Counted from 1. */
  readonly index: number;
  /** The message that answers it, in the condensed session it is not there yet. */
  readonly place: Place;
  /** Milliseconds since 1970, where the session records it. */
  readonly time?: number;
  /** The prompt cache of the request before is gone. */
  readonly cold: boolean;
  /** What the model saw, and what it sees condensed. */
  readonly full: View;
  readonly small: View;
  /** Made since the request before. */
  readonly epoch?: EpochReport;
}

/** A session with the decisions that condensing it appends, and what they come to. */
export interface Condensed {
  /** All entries of the original, and our decisions on the path to `head`. */
  readonly session: Session;
  readonly head: Place | null;
  readonly before: View;
  readonly after: View;
  readonly requests: number;
  readonly results: readonly ResultRecord[];
  readonly epochs: readonly EpochReport[];
  /** Means over all requests, in estimated tokens, without the prompt; `floor`: were all results left out. */
  readonly context: { readonly averageFull: Tokens; readonly averageCondensed: Tokens; readonly floor: Tokens };
}
