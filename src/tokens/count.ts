// Tokens of what a session holds: texts by their hash, images by formula, never by the length of their base64.
import { type Block, type Body, bodyText, type Sha256, type Tokens } from "../session/index.ts";
import { estimate, type Family } from "./estimate.ts";

/** A number of tokens and what it rests on. `interpolated`: between two reports of a provider; `extrapolated`: beyond the last one. */
export interface Count {
  readonly tokens: Tokens;
  readonly source: "measured" | "interpolated" | "extrapolated" | "estimated";
}

/** What one image takes at most, and what one of unknown size or for an unknown provider is taken for. */
const IMAGE_TOKENS: Tokens = 1600;
/** Pixels that Anthropic's models count as one token. */
const PIXELS_PER_TOKEN = 750;

/** Texts whose counts are held in each of the two generations. */
const REMEMBERED = 32_768;

type Counts = Map<Sha256, Tokens>;
const young: Record<Family, Counts> = { claude: new Map(), o200k: new Map() };
const old: Record<Family, Counts> = { claude: new Map(), o200k: new Map() };

/** Tokens of an image of `width` × `height` pixels. */
export function imageTokens(width?: number, height?: number, family: Family = "claude"): Tokens {
  if (family !== "claude" || !isSize(width) || !isSize(height)) return IMAGE_TOKENS;
  return Math.min(IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}

function isSize(pixels: number | undefined): pixels is number {
  return pixels !== undefined && Number.isFinite(pixels) && pixels > 0;
}

/**
 * Estimated tokens of a body. A text seen before is not read again.
 * @throws SourceChangedError when the body lies in a file that no longer holds it.
 */
export function bodyTokens(body: Body, family: Family = "claude"): Tokens {
  const known = young[family].get(body.sha256);
  if (known !== undefined) return known;
  const tokens = old[family].get(body.sha256) ?? estimate(bodyText(body), family);
  if (young[family].size >= REMEMBERED) {
    old[family] = young[family];
    young[family] = new Map();
  }
  young[family].set(body.sha256, tokens);
  return tokens;
}

/**
 * Estimated tokens of blocks; a signature of thinking counts nothing.
 * @throws SourceChangedError when a body lies in a file that no longer holds it.
 */
export function blocksTokens(blocks: readonly Block[], family: Family = "claude"): Tokens {
  let sum = 0;
  for (const block of blocks) sum += blockTokens(block, family);
  return sum;
}

function blockTokens(block: Block, family: Family): Tokens {
  switch (block.type) {
    case "image":
      return imageTokens(block.width, block.height, family);
    case "other":
      return bodyTokens(block.raw, family);
    default:
      return bodyTokens(block.body, family);
  }
}
