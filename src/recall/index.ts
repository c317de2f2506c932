// From a ref, an id or a literal text back to the original bytes, and the answer that a host's tool gives with them.
export {
  type AskedOriginal,
  type AskedSearch,
  type Asking,
  answerRecall,
  answerSearch,
  type Content,
  count,
  counted,
  decisionWords,
  FOUND_LINES,
  headAt,
  isExplained,
  oneLine,
  PAGE,
  problemText,
  quoted,
  refsAt,
  said,
  ToolProblem,
} from "./answer/index.ts";
export { lineCount, type Match, matches, type Page, pageOfBytes, pageOfLines, type Unit } from "./page.ts";
export { answeredCall, blocksOf, callOf, lostFault, type Recalled, recall, type Stood, type Unknown } from "./recall.ts";
export { type Found, searchSession } from "./search.ts";
export { entryText, originalText, refSpans, textOf } from "./text.ts";
export { type Exactness, exactness, isExact } from "./verify.ts";
