// What a host's tool answers, as plain data: texts and images, or why there is none.
export { PAGE } from "./fit.ts";
export { headAt, refsAt } from "./names.ts";
export { type AskedOriginal, type Asking, answerRecall, type Content, said } from "./original.ts";
export { isExplained, problemText, quoted, ToolProblem } from "./problem.ts";
export { type AskedSearch, answerSearch, FOUND_LINES } from "./search.ts";
export { count, counted, decisionWords, oneLine } from "./words.ts";
