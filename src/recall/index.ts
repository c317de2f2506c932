// From a ref, an id or a literal text back to the original bytes.
export { lineCount, type Match, matches, type Page, pageOfBytes, pageOfLines, type Unit } from "./page.ts";
export { answeredCall, blocksOf, callOf, type Recalled, recall, type Stood, type Unknown } from "./recall.ts";
export { type Found, searchSession, textOf } from "./search.ts";
export { type Exactness, exactness, isExact } from "./verify.ts";
