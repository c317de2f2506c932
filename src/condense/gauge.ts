// How full the model's window will be: what the provider reported, scaled to what the condensed view holds.
import type { Tokens, UsageFact } from "../session/index.ts";
import type { View } from "../view/index.ts";
import { type Occupancy, shareOf, type TriggerPolicy } from "./triggers.ts";

export class Gauge {
  readonly #triggers: TriggerPolicy;
  #window: Tokens | undefined;
  /** Reported tokens for each estimated one, of the newest report. */
  #scale = 1;
  #previousShare: number | undefined;
  #full: Tokens | undefined;

  constructor(triggers: TriggerPolicy) {
    this.#triggers = triggers;
    this.#window = triggers.window ?? undefined;
  }

  /** What part of the window the newest request took; undefined before the first, or where no window is known. */
  get previousShare(): number | undefined {
    return this.#previousShare;
  }

  /** The provider's report on the newest request. */
  report({ what, input, cacheRead, cacheWrite, window }: UsageFact): void {
    if (what !== undefined) return;
    if (this.#triggers.window === null && window !== undefined) this.#window = window;
    const reported = input + cacheRead + cacheWrite;
    if (reported > 0 && this.#full !== undefined && this.#full > 0) this.#scale = reported / this.#full;
  }

  /** A request is made: what the recording sent, and what the condensed session sends. */
  request(full: View, small: View): void {
    this.#full = full.tokens;
    const occupancy = this.occupancy(small);
    this.#previousShare = occupancy && shareOf(occupancy, this.#triggers);
  }

  /** Of a request that would send `view`; undefined where no window is known. */
  occupancy(view: View): Occupancy | undefined {
    return this.#window === undefined ? undefined : { tokens: Math.round(view.tokens * this.#scale), window: this.#window };
  }
}
