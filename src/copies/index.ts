// Condensed copies that an agent resumes: what one shows otherwise, how it is written and read back, and what its note says.
export { checkingCopy, copyTokens, type Expected, expectedItems } from "./check.ts";
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
} from "./file.ts";
export { type CopyNote, copyNote } from "./note.ts";
export { ownCommand } from "./own-command.ts";
export { type CopyPlan, copyPlan, type PlannedCall, type PlannedMessage, type PlannedResult } from "./plan.ts";
export { shellWord } from "./shell-word.ts";
