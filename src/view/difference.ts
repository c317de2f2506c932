// Where two views part: what a prompt cache can keep of the first for the second.
import type { View } from "./view.ts";

export interface Difference {
  /** Position of the first item that is not the same; the length of both where they are equal. */
  readonly first: number;
  /** Items of the first view that are not at the front of the second. */
  readonly removed: number;
  readonly added: number;
}

/** Compares two views from the front by their chained hashes: logarithmic in their length once these are known. */
export function difference(before: View, after: View): Difference {
  let same = 0;
  let beyond = Math.min(before.length, after.length) + 1;
  while (same + 1 < beyond) {
    const middle = (same + beyond) >> 1;
    if (before.hash(middle) === after.hash(middle)) same = middle;
    else beyond = middle;
  }
  return { first: same, removed: before.length - same, added: after.length - same };
}

/** Whether all of `before` stands unchanged at the front of `after`. */
export function isPrefix(before: View, after: View): boolean {
  return before.length <= after.length && before.hash() === after.hash(before.length);
}
