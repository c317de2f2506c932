import { expect, test } from "vitest";
import { atOnce, type Steps, withPauses } from "./steps.ts";

/** Three steps, the second of which takes longer than work may go on without a pause. */
function* slow(): Steps<string> {
  yield 0.25;
  const begun = performance.now();
  while (performance.now() - begun < 60);
  yield 0.5;
  yield 1;
  return "done";
}

test("all at once gives the result", () => {
  expect(atOnce(slow())).toBe("done");
});

test("what waits for its turn gets it before the work goes on, and the share is told", async () => {
  const told: (number | string)[] = [];
  setImmediate(() => told.push("another"));
  expect(await withPauses(slow(), (share) => told.push(share))).toBe("done");
  expect(told.slice(0, 2)).toEqual([0.5, "another"]);
});

test("what a step throws comes through", async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first step
  const failing = function* (): Steps<never> {
    throw new Error("no more");
  };
  await expect(withPauses(failing())).rejects.toThrow("no more");
});
