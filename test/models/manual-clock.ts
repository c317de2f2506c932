// A clock whose hands a test turns.
import type { Clock } from "../../src/models/index.ts";

export interface ManualClock extends Clock {
  /** Lets so many milliseconds pass; what is due on the way happens in its order, and so does all that follows from it. */
  pass(ms: number): Promise<void>;
  /** How many calls are still to come. */
  pending(): number;
}

export function manualClock(start = 1_000_000): ManualClock {
  let now = start;
  const due = new Set<{ readonly at: number; readonly then: () => void }>();
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  return {
    now: () => now,
    after: (ms, then) => {
      const entry = { at: now + ms, then };
      due.add(entry);
      return () => due.delete(entry);
    },
    pass: async (ms) => {
      await settle();
      const end = now + ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        due.delete(next);
        now = next.at;
        next.then();
        await settle();
      }
      now = end;
      await settle();
    },
    pending: () => due.size,
  };
}
