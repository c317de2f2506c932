// Finished results become stubs that can be recalled: the decider, its stubs, and the parts that a summarizer with a model shares.
export { type Batch, batches, type Grouping } from "./batches.ts";
export { isHidden, recallHidden } from "./check.ts";
export { type Condensed, condense, type EpochReport } from "./condense.ts";
export { aboutCall, type Fate, type ResultRecord } from "./ledger.ts";
