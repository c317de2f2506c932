// Summaries of results without a model.
export { anchors } from "./anchors.ts";
export type { ExtractInput } from "./document.ts";
export { editHeader, isEdit } from "./edit.ts";
export { type Extract, type ExtractOptions, extract } from "./extract.ts";
export { isRead } from "./kinds/source.ts";
