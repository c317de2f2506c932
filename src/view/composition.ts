// What a view is made of, in tokens by category.
import type { Block, Tokens } from "../session/index.ts";
import { blocksTokens, bodyTokens } from "../tokens/index.ts";
import type { Item } from "./item.ts";

export const CATEGORIES = ["system", "tools", "user", "assistant", "thinking", "tool calls", "tool results", "summaries", "other"] as const;
export type Category = (typeof CATEGORIES)[number];
/** Estimated tokens by category. */
export type Composition = Readonly<Record<Category, Tokens>>;

/** Tokens that a provider spends on the frame of each message, call and result. */
export const FRAME: Tokens = 4;

type Share = readonly [Category, Tokens];

/** Where an item keeps its shares. A table of all items would be rehashed, whole, whenever many of them are gone. */
const SHARES = Symbol("shares");

/** Estimated tokens of one item by category; counted once. */
export function itemShares(item: Item & { readonly [SHARES]?: readonly Share[] }): readonly Share[] {
  const known = item[SHARES];
  if (known) return known;
  const shares = countItem(item);
  Object.defineProperty(item, SHARES, { value: shares });
  return shares;
}

export function itemTokens(item: Item): Tokens {
  return itemShares(item).reduce((sum, [, tokens]) => sum + tokens, 0);
}

/** Adds up the items of a view, or of a part of one. */
export function composition(items: Iterable<Item>): Composition {
  const sums = Object.fromEntries(CATEGORIES.map((category) => [category, 0])) as Record<Category, Tokens>;
  for (const item of items) for (const [category, tokens] of itemShares(item)) sums[category] += tokens;
  return sums;
}

export function totalTokens(composition: Composition): Tokens {
  return CATEGORIES.reduce((sum, category) => sum + composition[category], 0);
}

function countItem(item: Item): readonly Share[] {
  switch (item.kind) {
    case "prompt":
      return [
        ["system", item.sections.reduce((sum, section) => sum + bodyTokens(section.body), FRAME)],
        ["tools", item.tools.reduce((sum, tool) => sum + bodyTokens(tool.body), 0)],
      ];
    case "message":
      return countMessage(item.role, item.blocks, item.place.entry.data.kind === "message" && item.place.entry.data.mark === "derived");
    case "call":
      return [["tool calls", bodyTokens(item.input) + FRAME * 2]];
    case "stub":
    case "block":
      return [["summaries", blocksTokens(item.blocks) + FRAME]];
    case "notice":
      return [["other", blocksTokens(item.blocks) + FRAME]];
    default:
      return [["tool results", blocksTokens(item.blocks) + FRAME]];
  }
}

function countMessage(role: string, blocks: readonly Block[], derived: boolean): readonly Share[] {
  const thinking = blocks.filter((block) => block.type === "thinking");
  const other = blocks.filter((block) => block.type === "other");
  const rest = blocks.filter((block) => block.type === "text" || block.type === "image");
  const main: Category = derived ? "summaries" : role === "user" ? "user" : role === "assistant" ? "assistant" : "system";
  const shares: Share[] = [[main, blocksTokens(rest) + FRAME]];
  if (thinking.length > 0) shares.push(["thinking", blocksTokens(thinking)]);
  if (other.length > 0) shares.push(["other", blocksTokens(other)]);
  return shares;
}
