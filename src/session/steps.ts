// Long walks over a session in steps: done at once by whoever wants the result alone, or with pauses in which signals and timers get their turn.

/** Work that may pause between steps. Each step says what share of the work is done, from 0 to 1. */
export type Steps<Result> = Generator<number, Result, void>;

/** Does all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The longest that steps are done without a pause, apart from a single step that takes longer: milliseconds. */
const LONGEST = 50;

/**
 * Does all steps, with a pause wherever the last one was `LONGEST` ago, and tells there what share is done.
 *
 * ```ts
 * const condensed = await withPauses(condensing(session, policy), (share) => bar.update(`${Math.floor(share * 100)}%`));
 * ```
 */
export async function withPauses<Result>(steps: Steps<Result>, onShare?: (share: number) => void): Promise<Result> {
  for (let paused = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - paused < LONGEST) continue;
    onShare?.(value);
    await pause();
    paused = performance.now();
  }
}

/** Everything that waits for its turn gets it. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
