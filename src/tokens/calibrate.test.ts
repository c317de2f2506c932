// Calibration by what providers report, and what each figure rests on.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  budgetUse,
  type Calibration,
  calibrated,
  calibratedCount,
  calibrationFactor,
  prefixCount,
  type Report,
  reportedInput,
  UNCALIBRATED,
} from "./calibrate.ts";

const MODEL = "some-model";

function report(input: number, cacheRead = 0, cacheWrite = 0): Report {
  return { input, cacheRead, cacheWrite };
}

/** The calibration after calls of an estimate of 1,000 tokens each. */
function learned(...reported: readonly number[]): Calibration {
  return reported.reduce((calibration, input) => calibrated(calibration, MODEL, report(input), 1000), UNCALIBRATED);
}

describe("the factor", () => {
  test.each<[string, readonly number[], number]>([
    ["of no call is 1", [], 1],
    ["of one call is its own", [1200], 1.2],
    ["of two leans to the older by two thirds", [1200, 1500], 1.3],
    ["of five", [1000, 1000, 1000, 1000, 1300], 1.1],
    ["forgets the sixth", [1800, 1000, 1000, 1000, 1000, 1000], 1],
    ["is at least 0.7", [100], 0.7],
    ["is at most 1.8", [3000], 1.8],
    ["is not moved by one wild call beyond its limit", [1000, 1000, 1000, 1000, 9000], 1 + 0.8 / 3],
  ])("%s", (_, reported, factor) => {
    expect(calibrationFactor(learned(...reported), MODEL)).toBeCloseTo(factor, 10);
  });

  test("input is all of it, cached or not", () => {
    expect(reportedInput(report(3, 900, 97))).toBe(1000);
    expect(calibrationFactor(calibrated(UNCALIBRATED, MODEL, report(3, 1000, 97), 1000), MODEL)).toBeCloseTo(1.1);
  });

  test.each<[string, Report, number]>([
    ["nothing reported", report(0), 1000],
    ["what keeps a cache warm", report(0, 1000), 1000],
    ["a cache written for later", report(0, 0, 1000), 1000],
    ["cache reads of many calls in one figure", report(12, 40_000, 200), 1000],
    ["a request that was not of the conversation", { what: "title", ...report(1300) }, 1000],
    ["no estimate", report(1000), 0],
    ["a report that is no number", report(Number.NaN), 1000],
  ])("%s is no sample", (_, reported, estimate) => {
    const before = learned(1200);
    expect(calibrated(before, MODEL, reported, estimate)).toBe(before);
  });

  test("a large prompt that was not cached is a sample, at the limit", () => {
    expect(calibrationFactor(calibrated(UNCALIBRATED, MODEL, report(40_000), 1000), MODEL)).toBe(1.8);
  });

  test("models do not share theirs, whatever their name", () => {
    let calibration = learned(1200);
    calibration = calibrated(calibration, "__proto__", report(900), 1000);
    calibration = calibrated(calibration, "constructor", report(800), 1000);
    expect([MODEL, "__proto__", "constructor", "toString"].map((model) => calibrationFactor(calibration, model))).toEqual([1.2, 0.9, 0.8, 1]);
  });

  test("is plain data: stored and read back it is the same", () => {
    const calibration = calibrated(learned(1200, 1300), "__proto__", report(900), 1000);
    const back = JSON.parse(JSON.stringify(calibration)) as Calibration;
    expect(calibrationFactor(back, MODEL)).toBe(calibrationFactor(calibration, MODEL));
    expect(calibrationFactor(back, "__proto__")).toBe(0.9);
  });

  test("stays between 0.7 and 1.8 and among the last five calls, whatever is reported", () => {
    const call = fc.record({ input: fc.nat(200_000), cacheRead: fc.nat(200_000), cacheWrite: fc.nat(200_000) });
    fc.assert(
      fc.property(fc.array(fc.tuple(call, fc.nat(200_000))), (calls) => {
        let calibration = UNCALIBRATED;
        for (const [each, estimate] of calls) calibration = calibrated(calibration, MODEL, each, estimate);
        expect(calibrationFactor(calibration, MODEL)).toBeGreaterThanOrEqual(0.7);
        expect(calibrationFactor(calibration, MODEL)).toBeLessThanOrEqual(1.8);
        expect(calibration[MODEL]?.length ?? 0).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe("figures", () => {
  test("a budget is held against estimate × factor × 1.05", () => {
    expect(budgetUse(UNCALIBRATED, MODEL, 1000)).toBe(1050);
    expect(budgetUse(learned(1200), MODEL, 1000)).toBe(1260);
  });

  test("a count says whether anything was reported", () => {
    expect(calibratedCount(UNCALIBRATED, MODEL, 1000)).toEqual({ tokens: 1000, source: "estimated" });
    expect(calibratedCount(learned(1200), MODEL, 1000)).toEqual({ tokens: 1200, source: "extrapolated" });
    expect(calibratedCount(learned(1200), "another", 1000)).toEqual({ tokens: 1000, source: "estimated" });
  });

  const REQUESTS = [
    { estimate: 1000, reported: 1500 },
    { estimate: 2000, reported: 2700 },
    { estimate: 4000, reported: 5000 },
  ];
  test.each([
    ["of a reported request", REQUESTS, 2000, 2700, "measured"],
    ["between two", REQUESTS, 3000, 3850, "interpolated"],
    ["beyond the last, by the factor", REQUESTS, 5000, 6200, "extrapolated"],
    ["before the first, by the factor", REQUESTS, 500, 900, "extrapolated"],
    ["before the first, never below nothing", [{ estimate: 1000, reported: 300 }], 0, 0, "extrapolated"],
    ["without any", [], 1000, 1200, "extrapolated"],
  ])("a prefix %s", (_, requests, estimate, tokens, source) => {
    expect(prefixCount(requests, estimate, learned(1200), MODEL)).toEqual({ tokens, source });
  });

  test("a prefix without any report of the model is estimated", () => {
    expect(prefixCount([], 1000, UNCALIBRATED, MODEL)).toEqual({ tokens: 1000, source: "estimated" });
  });

  test("a longer prefix never counts less", () => {
    const requests = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 20 }).map((steps) => {
      let at = { estimate: 0, reported: 0 };
      return steps.map(([estimate, reported]) => {
        at = { estimate: at.estimate + 1 + estimate, reported: at.reported + reported };
        return at;
      });
    });
    fc.assert(
      fc.property(requests, fc.nat(25_000), fc.nat(1000), (known, estimate, more) => {
        const shorter = prefixCount(known, estimate, learned(1200), MODEL).tokens;
        expect(prefixCount(known, estimate + more, learned(1200), MODEL).tokens).toBeGreaterThanOrEqual(shorter);
      }),
    );
  });
});
