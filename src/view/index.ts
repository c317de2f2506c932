// What the model sees at a head, what it is made of, and where two views part.
export { CATEGORIES, type Category, type Composition, composition, itemTokens, totalTokens } from "./composition.ts";
export { type Difference, difference, isPrefix } from "./difference.ts";
export type { BlockItem, CallItem, Item, LineItem, MessageItem, PromptItem, ResultItem } from "./item.ts";
export { type PairFault, pairFaults } from "./pairs.ts";
export { itemText, Projector, view } from "./project.ts";
export type { View } from "./view.ts";
