// Another try after a failure that may pass.
import { refuseAborted } from "./abort.ts";
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

/** Only `transient` failures are tried again: after 1, 2, 4 … seconds less a jitter of up to a half, and never before the provider wants to be asked. */
export function withRetries(model: Model, { retries, clock = SYSTEM_CLOCK, random = Math.random }: Retries): Model {
  return wrapped(model, async (request, options = {}) => {
    for (let attempt = 1; ; attempt++) {
      refuseAborted(options.signal);
      try {
        return await model.generate(request, { ...options, attempt });
      } catch (error) {
        if (!(error instanceof ModelError) || error.class !== "transient" || attempt > retries) throw error;
        const ms = Math.max(backoff(attempt) * (1 - random() / 2), error.retryAfter ?? 0);
        if (ms > LONGEST_WAIT) throw error;
        await wait(clock, ms, options.signal);
      }
    }
  });
}

/** Bounded, so that many retries do not come to longer waits than a provider may ask for. */
function backoff(attempt: number): number {
  return Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
}
