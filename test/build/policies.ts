// Policies for tests that want everything condensed.
import { type CondensePolicy, DEFAULT_POLICY } from "../../src/config/index.ts";

const { condense } = DEFAULT_POLICY;

/** Condenses whatever can be condensed, before each request or from so many on. */
export function eager(everyRequests = 1, changes: Partial<CondensePolicy> = {}): CondensePolicy {
  return {
    ...condense,
    keepNewest: 0,
    smallResult: 0,
    triggers: { ...condense.triggers, everyRequests, finalReply: everyRequests, coldCache: everyRequests, minSaving: 0, minContext: 0 },
    ...changes,
  };
}

/** Condenses whatever can be condensed, once, at the end. */
export const AT_THE_END: CondensePolicy = eager(0);
