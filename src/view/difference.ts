// Where two views part: what a prompt cache can keep of the first for the second.

/** A list known by the chained hashes of its front parts. */
export interface Chained {
  readonly length: number;
  /** Equal for equal first `length` items. */
  hash(length: number): string;
}

export interface Difference {
  /** Position of the first item that is not the same; the length of both where they are equal. */
  readonly first: number;
  /** Items of the first view that are not at the front of the second. */
  readonly removed: number;
  readonly added: number;
}

/** How many items at the front are the same: logarithmic in their number once the hashes are known. */
export function commonFront(before: Chained, after: Chained): number {
  let same = 0;
  let beyond = Math.min(before.length, after.length) + 1;
  while (same + 1 < beyond) {
    const middle = (same + beyond) >> 1;
    if (before.hash(middle) === after.hash(middle)) same = middle;
    else beyond = middle;
  }
  return same;
}

/** Compares two views from the front. */
export function difference(before: Chained, after: Chained): Difference {
  const first = commonFront(before, after);
  return { first, removed: before.length - first, added: after.length - first };
}

/** Whether all of `before` stands unchanged at the front of `after`. */
export function isPrefix(before: Chained, after: Chained): boolean {
  return before.length <= after.length && before.hash(before.length) === after.hash(before.length);
}

/**
 * How many items at the front of a view are the very items of an earlier view by the same projector, which makes anew whatever follows the first
 * that it made anew. Logarithmic; a new prompt counts as if all were new.
 */
export function sharedFront<Item>(before: readonly Item[], after: { readonly length: number; at(index: number): Item | undefined }): number {
  if (before.length === 0 || before[0] !== after.at(0)) return 0;
  let same = 1;
  let beyond = Math.min(before.length, after.length) + 1;
  while (same + 1 < beyond) {
    const middle = (same + beyond) >> 1;
    if (before[middle - 1] === after.at(middle - 1)) same = middle;
    else beyond = middle;
  }
  return same;
}
