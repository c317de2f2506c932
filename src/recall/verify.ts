// Whether what is recalled is still, byte for byte, what was recorded.
import { type Block, type Body, bodyText, type Place, SourceChangedError, sha256 } from "../session/index.ts";
import { blocksOf } from "./recall.ts";

export interface Exactness {
  /** Entries looked at. */
  readonly checked: number;
  /** Those whose texts and records equal the source by sha256. */
  readonly exact: number;
}

/** Reads the texts and the records of an entry again and compares them with the hashes taken when it was first read. */
export function isExact(place: Place): boolean {
  try {
    return (
      blocksOf(place).every((block) => bodiesOf(block).every((body) => sha256(bodyText(body)) === body.sha256)) &&
      (place.entry.records ?? []).every(({ source, start, end, sha256: hash }) => sha256(source.read(start, end)) === hash)
    );
  } catch (error) {
    if (error instanceof SourceChangedError) return false;
    throw error;
  }
}

export function exactness(places: Iterable<Place>): Exactness {
  let checked = 0;
  let exact = 0;
  for (const place of places) {
    checked += 1;
    if (isExact(place)) exact += 1;
  }
  return { checked, exact };
}

function bodiesOf(block: Block): readonly Body[] {
  if (block.type === "image") return [block.data];
  if (block.type === "other") return [block.raw];
  return block.type === "thinking" && block.signature ? [block.body, block.signature] : [block.body];
}
