// What a provider asks for a token of input, and how long it keeps a prompt cache.

/** Prices per million tokens, in whatever currency the card is in. */
export interface PriceCard {
  /** Input that the prompt cache holds. */
  readonly cached: number;
  /** All other input, which is written to the cache. */
  readonly write: number;
  /** Seconds that an unused cache lives; null: without end. */
  readonly lifetimeSeconds: number | null;
}

/** `premium`: a cache that costs extra to write and lives for five minutes. `flat`: no premium, and cached input at a tenth. */
export const CARDS = {
  premium: { cached: 0.3, write: 3.75, lifetimeSeconds: 300 },
  flat: { cached: 0.3, write: 3, lifetimeSeconds: null },
} as const satisfies Readonly<Record<string, PriceCard>>;
