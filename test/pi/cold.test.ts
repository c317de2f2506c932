import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { call, pi, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, recordsOf } from "./oracle.ts";

/** Only a cold cache makes an epoch, and it is cold after a moment. */
const COLD = {
  condense: {
    keepNewest: 1,
    triggers: { everyRequests: 0, finalReply: 0, coldCache: 1, minSaving: 100, minContext: 100 },
    prices: { lifetimeSeconds: 0.05 },
  },
};

const steps = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => call(from + n));

test("the first request that finds the prompt cache gone is sent condensed already, and its turn writes the same bytes", async () => {
  const run = await pi({
    answers: [...steps(0, 4), say("one done"), ...steps(4, 5), say("two done")],
    policy: { condense: { ...COLD.condense, prices: { lifetimeSeconds: 3600 } } },
  });
  await run.session.prompt("one");
  expect(recordsOf(run.file).filter(({ customType }) => customType === "palimpsest")).toEqual([]);
  await run.session.prompt("two");
  expect(recordsOf(run.file).filter(({ customType }) => customType === "palimpsest")).toEqual([]);
  await run.close();
  const idle = await pi({ answers: [...steps(0, 4), say("one done"), ...steps(4, 5), say("two done")], policy: COLD });
  await idle.session.prompt("one");
  const before = idle.requests.length;
  await pause(100);
  await idle.session.prompt("two");
  const first = idle.requests[before] ?? [];
  const stubs = first.filter(({ role }) => role === "toolResult").map((message) => /^\[t\d+ dump: /.test(textOf(message)));
  expect(stubs).toEqual([true, true, true, false]);
  const next = idle.requests[before + 1] ?? [];
  expect(next.slice(0, first.length)).toEqual(first);
  await expectOracle(idle);
  expectOnce(idle.file);
  await idle.close();
});
