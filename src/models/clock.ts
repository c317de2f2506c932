// Time as the wrappers of a model see it, so that a test can turn the hands.
import { type Ends, whenEnded } from "./abort.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `then` once, after so many milliseconds; the returned function takes it back. */
  after(ms: number, then: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => Date.now(),
  after: (ms: number, then: () => void) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
});

/** @throws ModelError as soon as the call that waits is ended. */
export function wait(clock: Clock, ms: number, ends: Ends): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      stopListening();
      resolve();
    });
    const stopListening = whenEnded(ends, (error) => {
      cancel();
      reject(error);
    });
  });
}

/** Whether a span that began at `since` is over. A clock that was set back ends it too: nobody waits for a time that lies ahead. */
export function isOver(clock: Clock, since: number, ms: number): boolean {
  const passed = clock.now() - since;
  return passed < 0 || passed >= ms;
}
