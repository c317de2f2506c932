// When requests were made, and whether a prompt cache outlived the time between them.

import type { PriceCard } from "../tokens/index.ts";
import { isCold } from "./economics.ts";

export class Clock {
  readonly #prices: PriceCard;
  #newest: number | undefined;
  #lastRequest: number | undefined;
  #lost = false;

  constructor(prices: PriceCard) {
    this.#prices = prices;
  }

  /** When the newest message or result came, in milliseconds. */
  get now(): number | undefined {
    return this.#newest;
  }

  /** Something came at `time`; recorded times that run backwards are passed over. */
  tick(time: number | undefined): void {
    if (time !== undefined && (this.#newest === undefined || time > this.#newest)) this.#newest = time;
  }

  /** The cache is gone whatever the time: the model changed. */
  lose(): void {
    this.#lost = true;
  }

  /** Whether a request at `time` finds the cache gone. The first request of all finds none, and nothing to miss. */
  isColdAt(time: number | undefined): boolean {
    return this.#lost || isCold(this.#prices, seconds(this.#lastRequest), seconds(time));
  }

  /** A request is made. */
  request(time: number | undefined): void {
    this.#lastRequest = time ?? this.#lastRequest;
    this.#lost = false;
  }
}

function seconds(time: number | undefined): number | undefined {
  return time === undefined ? undefined : time / 1000;
}
