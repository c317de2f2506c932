// The word that was probably meant.

/** The candidate that takes the fewest changes of a letter from the text, case apart; none where that is more than a third of it. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(text.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const changes = distance(text.toLowerCase(), candidate.toLowerCase());
    if (changes < least) {
      best = candidate;
      least = changes;
    }
  }
  return best;
}

/** Letters to be put in, taken out, changed, or swapped with the next one. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let other = 1; other <= to.length; other++) {
      const same = from[at - 1] === to[other - 1];
      const swapped = at > 1 && other > 1 && from[at - 1] === to[other - 2] && from[at - 2] === to[other - 1];
      next.push(
        Math.min(
          (row[other] as number) + 1,
          (next[other - 1] as number) + 1,
          (row[other - 1] as number) + (same ? 0 : 1),
          swapped ? (before[other - 2] as number) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[to.length] as number;
}
