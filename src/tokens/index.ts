// What a text, an image, a block takes in tokens.
export { blocksTokens, bodyTokens, type Count, imageTokens } from "./count.ts";
export { estimate, type Family } from "./estimate.ts";
