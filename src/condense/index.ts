// Finished results become stubs that can be recalled: the decider, its stubs, and the parts that a summarizer with a model shares.
export { type Batch, batches, type Grouping } from "./batches.ts";
export { type Chain, type ChainBatch, Chains, chainsOf } from "./chains.ts";
export { isHidden, recallHidden, recallingHidden } from "./check.ts";
export { type CondenseOptions, condense, condenseTelling, condensing, type TellingOptions } from "./condense.ts";
export { checkingCopy, copyTokens, type Expected, expectedItems } from "./copy-check.ts";
export {
  CopyError,
  type CopyOptions,
  type CopyReport,
  type CopySource,
  checkedSource,
  checkPlace,
  DraftFile,
  explainedFault,
  type LeftWhole,
  notVerified,
  onOneLine,
  putInPlace,
} from "./copy-file.ts";
export { type CopyNote, type CopyPlan, copyNote, copyPlan, type PlannedCall, type PlannedMessage, type PlannedResult } from "./copy-plan.ts";
export { Decider, type DeciderOptions, type Occasion, type Proposal } from "./decider.ts";
export { type Cacheable, type Cost, costOf, isCold, PromptCache, type RequestCost } from "./economics.ts";
export { explainFate } from "./explain.ts";
export { fencedLines } from "./fences.ts";
export type { Plan, Rest, Telling } from "./flush.ts";
export { type FoldOptions, type FoldPlan, type PlannedFold, planFolds } from "./fold.ts";
export { fusionParts } from "./fold-body.ts";
export { type Foldable, type FoldPolicy, foldable, type KeptChain, type KeptWhy } from "./foldable.ts";
export { type FusedRefs, fuseRefs } from "./fuse.ts";
export { isRecallTool, RECALL_TOOL } from "./grace.ts";
export { aboutCall, type Fate, type ResultRecord } from "./ledger.ts";
export { type Retold, retell, type SummaryReport } from "./model/retell.ts";
export { type Summarizer, summarizerOf } from "./model/summarizer.ts";
export type { Condensed, EpochReport, RequestSeen } from "./outcome.ts";
export { ownCommand } from "./own-command.ts";
export { shellWord } from "./shell-word.ts";
export { unmatchedGlobs } from "./unmatched.ts";
