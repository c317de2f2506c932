// What providers report set against what was estimated: a factor for each model, and the figures that rest on it.
import type { Tokens } from "../session/index.ts";
import type { Count } from "./count.ts";

/** What a provider reports of one request, as a usage fact holds it. */
export interface Report {
  /** Set where it was no request of the conversation; such a report is no sample. */
  readonly what?: string;
  /** Uncached input tokens. */
  readonly input: Tokens;
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
}

/** Reported input by estimate of each model's newest calls, oldest first. Plain data: it can be stored as JSON and read back. */
export type Calibration = Readonly<Record<string, readonly number[]>>;

/** One request for which both figures are known. */
export interface ReportedRequest {
  readonly estimate: Tokens;
  readonly reported: Tokens;
}

/** Calls of a model that its factor rests on. */
const CALLS = 5;
/** Part of the factor that the newest call makes; each older one has as large a part of what the newer ones leave. */
const NEWEST_SHARE = 1 / 3;
const LEAST = 0.7;
const MOST = 1.8;
/** Above this, a report that is mostly cache figures is a sum over several calls, no request. */
const ACCUMULATED = 2 * MOST;
/** What a budget allows for beyond the calibrated estimate. */
const MARGIN = 1.05;

export const UNCALIBRATED: Calibration = Object.freeze({});

/** All input of a request: uncached, read from a cache and written to it. */
export function reportedInput({ input, cacheRead, cacheWrite }: Report): Tokens {
  return input + cacheRead + cacheWrite;
}

/**
 * The calibration with one more call of a model in it; the same where the report is no sample: of no request of the conversation, without
 * uncached input (what keeps a cache warm), or mostly cache figures and far beyond the estimate (accumulated over calls).
 *
 * @param estimate Estimated tokens of the whole request that is reported.
 * @example calibrated(UNCALIBRATED, "some-model", { input: 12_000, cacheRead: 0, cacheWrite: 0 }, 10_000); // factor 1.2
 */
export function calibrated(calibration: Calibration, model: string, report: Report, estimate: Tokens): Calibration {
  const reported = reportedInput(report);
  if (!isSample(report, reported / estimate)) return calibration;
  const ratio = Math.min(MOST, Math.max(LEAST, reported / estimate));
  return Object.freeze({ ...calibration, [model]: Object.freeze([...samplesOf(calibration, model), ratio].slice(-CALLS)) });
}

function isSample({ what, input, cacheRead, cacheWrite }: Report, ratio: number): boolean {
  if (what !== undefined || !(input > 0) || !Number.isFinite(ratio) || ratio <= 0) return false;
  return ratio <= ACCUMULATED || cacheRead + cacheWrite <= input;
}

function samplesOf(calibration: Calibration, model: string): readonly number[] {
  return Object.hasOwn(calibration, model) ? (calibration[model] ?? []) : [];
}

/**
 * By what an estimate is to be multiplied for a model: a moving average over its last five calls in which newer ones weigh more,
 * 0.7 to 1.8; 1 where none is known.
 */
export function calibrationFactor(calibration: Calibration, model: string): number {
  const [oldest, ...newer] = samplesOf(calibration, model);
  return newer.reduce((average, ratio) => average + (ratio - average) * NEWEST_SHARE, oldest ?? 1);
}

/** Whether any call of the model was reported. */
function isCalibrated(calibration: Calibration, model: string): boolean {
  return samplesOf(calibration, model).length > 0;
}

/** An estimate as that model would count it: `extrapolated` from what was reported of others, `estimated` where nothing was. */
export function calibratedCount(calibration: Calibration, model: string, estimate: Tokens): Count {
  return {
    tokens: Math.ceil(estimate * calibrationFactor(calibration, model)),
    source: isCalibrated(calibration, model) ? "extrapolated" : "estimated",
  };
}

/** What a text of this estimate is to be held against a budget with: a calibrated estimate and 5 %. */
export function budgetUse(calibration: Calibration, model: string, estimate: Tokens): Tokens {
  return Math.ceil(estimate * calibrationFactor(calibration, model) * MARGIN);
}

/**
 * Tokens of a prefix of a view by what was reported of other prefixes of it (no epoch between them): `measured` where one of them is this
 * long, `interpolated` between two of them, `extrapolated` before the first and beyond the last, `estimated` where there is none.
 *
 * @param requests In ascending order of their estimates.
 */
export function prefixCount(requests: readonly ReportedRequest[], estimate: Tokens, calibration: Calibration, model: string): Count {
  const above = firstAtLeast(requests, estimate);
  const next = requests[above];
  const last = requests[above - 1];
  if (next?.estimate === estimate) return { tokens: next.reported, source: "measured" };
  if (last && next) {
    const share = (estimate - last.estimate) / (next.estimate - last.estimate);
    return { tokens: Math.round(last.reported + share * (next.reported - last.reported)), source: "interpolated" };
  }
  const factor = calibrationFactor(calibration, model);
  if (last) return { tokens: Math.ceil(last.reported + (estimate - last.estimate) * factor), source: "extrapolated" };
  if (next) return { tokens: Math.max(0, Math.ceil(next.reported - (next.estimate - estimate) * factor)), source: "extrapolated" };
  return calibratedCount(calibration, model, estimate);
}

/** Index of the first request that is estimated at least so long; the number of requests where none is. */
function firstAtLeast(requests: readonly ReportedRequest[], estimate: Tokens): number {
  let low = 0;
  let high = requests.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((requests[middle] as ReportedRequest).estimate < estimate) low = middle + 1;
    else high = middle;
  }
  return low;
}
