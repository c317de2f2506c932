// Summaries of results without a model.
export { anchors } from "./anchors.ts";
export type { ExtractInput } from "./document.ts";
export { editHeader } from "./edit.ts";
export { type Extract, type ExtractOptions, extract } from "./extract.ts";
