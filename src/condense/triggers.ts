// When an epoch is worth its price: the triggers of the policy, and what vetoes them.
import type { CondensePolicy } from "../config/index.ts";
import type { Cause, EpochCost, Tokens } from "../session/index.ts";

export type TriggerPolicy = CondensePolicy["triggers"];

/** How things stand right before a request, or where the agent has just given its final reply. */
export interface Moment {
  /** Requests since the last epoch. */
  readonly since: number;
  /** The prompt cache holds nothing any more. */
  readonly cold: boolean;
  readonly finalReply: boolean;
  /** Estimated tokens that all that could be condensed may save. */
  readonly pending: Tokens;
  /** Estimated tokens of the view. */
  readonly context: Tokens;
  /** Tokens of the next request and of the model's window; undefined where either is not known. */
  readonly occupancy?: Occupancy | undefined;
  /** What `share` was at the request before; undefined: not known yet. */
  readonly previousShare?: number | undefined;
}

export interface Occupancy {
  readonly tokens: Tokens;
  readonly window: Tokens;
}

/** The part of the window, capped, that the next request takes: more than 1 where it is larger. */
export function shareOf({ tokens, window }: Occupancy, { windowCap }: Pick<TriggerPolicy, "windowCap">): number {
  return tokens / Math.min(window, windowCap);
}

/** Why an epoch is due; undefined where none is. The cheapest cause is named first. */
export function causeOf(moment: Moment, triggers: TriggerPolicy): Cause | undefined {
  if (moment.pending < triggers.minSaving || moment.context < triggers.minContext) return undefined;
  if (moment.cold && isDue(moment.since, triggers.coldCache)) return "cold-cache";
  if (moment.finalReply && isDue(moment.since, triggers.finalReply)) return "final-reply";
  if (isDue(moment.since, triggers.everyRequests)) return "cadence";
  return crowding(moment, triggers);
}

/** Two shares that differ by less are the same. */
const ROUNDING = 1e-9;

function isDue(since: number, from: number): boolean {
  return from > 0 && since >= from;
}

function crowding({ occupancy, previousShare }: Moment, triggers: TriggerPolicy): "occupancy" | "growth" | undefined {
  if (!occupancy || !(occupancy.window > 0) || !Number.isFinite(occupancy.tokens)) return undefined;
  if (triggers.occupancy !== null && occupancy.tokens >= Math.min(triggers.windowCap, triggers.occupancy * occupancy.window)) return "occupancy";
  const hasGrown = triggers.growth !== null && previousShare !== undefined && shareOf(occupancy, triggers) - previousShare >= triggers.growth - ROUNDING;
  return hasGrown ? "growth" : undefined;
}

/** Whether the return on the investment forbids an epoch that only habit asks for. */
export function isVetoed(cause: Cause, { paysAfterRequests }: EpochCost, { paysWithin }: TriggerPolicy): boolean {
  if (paysWithin === null || (cause !== "cadence" && cause !== "final-reply")) return false;
  return paysAfterRequests === null || paysAfterRequests > paysWithin;
}
