// Occupancy of the next request, from what was reported and what changed since.
import { describe, expect, test } from "vitest";
import { calibrated, UNCALIBRATED } from "./calibrate.ts";
import { type OccupancyInput, occupancy } from "./occupancy.ts";

const MODEL = "some-model";
const CALIBRATION = calibrated(UNCALIBRATED, MODEL, { input: 12_000, cacheRead: 0, cacheWrite: 0 }, 10_000);

function input(some: Partial<OccupancyInput>): OccupancyInput {
  return { model: MODEL, calibration: CALIBRATION, added: 0, removed: 0, whole: 50_000, window: 100_000, ...some };
}

describe("occupancy", () => {
  test.each<[string, Partial<OccupancyInput>, object]>([
    ["nothing changed since the report", { reported: 80_000 }, { tokens: 80_000, source: "measured", share: 0.8 }],
    ["more was added", { reported: 80_000, added: 5000 }, { tokens: 86_000, source: "extrapolated", share: 0.86 }],
    ["an epoch took some out", { reported: 80_000, added: 5000, removed: 30_000 }, { tokens: 50_000, source: "extrapolated", share: 0.5 }],
    ["as much came as went: still no report of it", { reported: 80_000, added: 10, removed: 10 }, { tokens: 80_000, source: "extrapolated", share: 0.8 }],
    ["more is said to be gone than there was", { reported: 1000, removed: 9000 }, { tokens: 0, source: "extrapolated", share: 0 }],
    ["nothing was reported on this branch", {}, { tokens: 60_000, source: "extrapolated", share: 0.6 }],
    ["nothing was ever reported", { calibration: UNCALIBRATED }, { tokens: 50_000, source: "estimated", share: 0.5 }],
    ["it does not fit", { reported: 99_000, added: 10_000 }, { tokens: 111_000, source: "extrapolated", share: 1.11 }],
  ])("%s", (_, some, expected) => {
    expect(occupancy(input(some))).toEqual(expected);
  });

  test.each([0, -1, Number.NaN])("a window of %d is refused", (window) => {
    expect(() => occupancy(input({ window }))).toThrow(RangeError);
  });
});
