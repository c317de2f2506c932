import { expect, test } from "vitest";
import { call, pi, say } from "./harness.ts";
import { expectOracle, recordsOf } from "./oracle.ts";

const steps = Array.from({ length: 4 }, (_, n) => call(n));

/** Epochs of a run in which occupancy alone makes any, at this part of a window of 20,000 tokens. */
async function epochs(occupancy: number): Promise<number> {
  const triggers = { everyRequests: 0, finalReply: 0, coldCache: 0, minSaving: 100, minContext: 100, occupancy };
  const run = await pi({ answers: [...steps, say("done")], policy: { condense: { keepNewest: 1, triggers } }, contextWindow: 20_000 });
  await run.session.prompt("go");
  await expectOracle(run);
  const made = recordsOf(run.file).filter(({ customType, data }) => customType === "palimpsest" && data?.kind === "epoch");
  await run.close();
  return made.length;
}

test("occupancy makes an epoch at its part of the model's own window, which Pi knows and its file does not", async () => {
  expect(await epochs(0.2)).toBeGreaterThan(0);
  expect(await epochs(1)).toBe(0);
});
