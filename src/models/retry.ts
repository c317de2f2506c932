// Another try after a failure that may pass.
import { refuseEnded } from "./abort.ts";
import { type Clock, SYSTEM_CLOCK, wait } from "./clock.ts";
import { type Model, ModelError, wrapped } from "./model.ts";

export interface Retries {
  /** How often at most, after the first try. */
  readonly retries: number;
  readonly clock?: Clock;
  /** From 0 to 1; spreads the waits, so that calls that failed together do not come back together. */
  readonly random?: () => number;
}

/** Milliseconds before the first retry; each further wait is twice as long. */
const FIRST_WAIT = 1000;
/** A provider that wants to be left alone for longer is one that failed. */
export const LONGEST_WAIT = 60_000;

/** A request that took all its time is sent once more, not again and again: each further try would take as long. */
const TIMEOUTS: ReadonlySet<string> = new Set(["idle-timeout", "ceiling"]);

/**
 * Only `transient` failures are tried again, a timeout at most once and a `deadline` never: after 1, 2, 4 … seconds less a jitter of up to a half, and never before the provider
 * wants to be asked.
 */
export function withRetries(model: Model, { retries, clock = SYSTEM_CLOCK, random = Math.random }: Retries): Model {
  return wrapped(model, async (request, options = {}) => {
    let timeouts = 0;
    for (let attempt = 1; ; attempt++) {
      refuseEnded(options);
      try {
        return await model.generate(request, { ...options, attempt });
      } catch (error) {
        if (!(error instanceof ModelError) || error.class !== "transient" || error.code === "deadline" || attempt > retries) throw error;
        if (TIMEOUTS.has(error.code) && ++timeouts > 1) throw error;
        const ms = Math.max(backoff(attempt) * (1 - random() / 2), error.retryAfter ?? 0);
        if (ms > LONGEST_WAIT) throw error;
        await wait(clock, ms, options);
      }
    }
  });
}

/** Bounded, so that many retries do not come to longer waits than a provider may ask for. */
function backoff(attempt: number): number {
  return Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
}
