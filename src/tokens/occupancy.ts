// How full the window is with the next request: what was last reported, and an estimate of what changed since.
import type { Tokens } from "../session/index.ts";
import { type Calibration, calibratedCount, calibrationFactor } from "./calibrate.ts";
import type { Count } from "./count.ts";

/** All that occupancy rests on; a caller takes it from a view and from usage facts. */
export interface OccupancyInput {
  readonly model: string;
  readonly calibration: Calibration;
  /** All input that was last reported for this branch; absent before the first report. */
  readonly reported?: Tokens;
  /** Estimated tokens of what the next request holds beyond the reported one, its answer among it. */
  readonly added: Tokens;
  /** Estimated tokens that the reported request held and the next one does not, as after an epoch. */
  readonly removed: Tokens;
  /** Estimated tokens of the whole next request, prompt and tools included: all there is before the first report. */
  readonly whole: Tokens;
  /** Tokens of the working window. */
  readonly window: Tokens;
}

/** The tokens of the next request and the part of the window that they take. */
export interface Occupancy extends Count {
  /** Tokens ÷ window; above 1 where the request does not fit. */
  readonly share: number;
}

/**
 * Occupancy of the next request: the last reported input, plus what was added and less what was removed since, both calibrated.
 * `measured` where nothing changed since the report, `extrapolated` where something did; before the first report the whole is counted as
 * `calibratedCount` does.
 *
 * @throws RangeError where the window is not a number above 0.
 * @example occupancy({ model: "some-model", calibration: UNCALIBRATED, reported: 80_000, added: 5_000, removed: 0, whole: 70_000, window: 100_000 }).share; // 0.85
 */
export function occupancy(input: OccupancyInput): Occupancy {
  if (!(input.window > 0)) throw new RangeError(`window: expected a number of tokens above 0, found ${input.window}`);
  const count = nextRequest(input);
  return { ...count, share: count.tokens / input.window };
}

function nextRequest({ model, calibration, reported, added, removed, whole }: OccupancyInput): Count {
  if (reported === undefined) return calibratedCount(calibration, model, whole);
  if (added === 0 && removed === 0) return { tokens: reported, source: "measured" };
  const change = (added - removed) * calibrationFactor(calibration, model);
  return { tokens: Math.max(0, Math.ceil(reported + change)), source: "extrapolated" };
}
