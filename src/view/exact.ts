// A view counted by a published vocabulary instead of the estimator.
import { type Block, bodyText, type Tokens } from "../session/index.ts";
import { type Counter, imageTokens } from "../tokens/index.ts";
import { FRAME } from "./composition.ts";
import type { Item } from "./item.ts";

/** Tokens of one item by `count`; images by formula, frames as in the estimate. */
export function exactItemTokens(item: Item, count: Counter): Tokens {
  if (item.kind === "prompt") return [...item.sections, ...item.tools].reduce((sum, { body }) => sum + count(bodyText(body)), FRAME);
  if (item.kind === "call") return count(bodyText(item.input)) + FRAME * 2;
  return item.blocks.reduce((sum, block) => sum + exactBlockTokens(block, count), FRAME);
}

function exactBlockTokens(block: Block, count: Counter): Tokens {
  if (block.type === "image") return imageTokens(block.width, block.height, "o200k");
  return count(bodyText(block.type === "other" ? block.raw : block.body));
}
