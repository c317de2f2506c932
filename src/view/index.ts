// What the model sees at a head, what it is made of, and where two views part.
export { CATEGORIES, type Category, type Composition, composition, FRAME, itemTokens, totalTokens } from "./composition.ts";
export { type Chained, commonFront, type Difference, difference, isPrefix, sharedFront } from "./difference.ts";
export { exactItemTokens } from "./exact.ts";
export { type BlockItem, type CallItem, type Item, itemHash, type LineItem, type MessageItem, type PromptItem, type ResultItem } from "./item.ts";
export { type PairFault, pairFaults } from "./pairs.ts";
export { itemText, Projector, view } from "./project.ts";
export { type ReportedCount, reportedTokens } from "./reported.ts";
export type { View } from "./view.ts";
