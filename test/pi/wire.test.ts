// The oracle on three wire formats: each request that left over a socket is what the session file shows there.
import { describe, expect, test } from "vitest";
import { pi, SOON } from "./harness.ts";
import { expectOracle, recordsOf } from "./oracle.ts";
import { type Answer, APIS, serve } from "./servers.ts";

const dumped = (n: number, more: object = {}, id = `call_${n}`) => ({ id, name: "dump", args: { n, ...more } });

describe.each(APIS)("%s", (api) => {
  test("a run with batches, parallel calls, thinking, failures, pictures and a broken request", async () => {
    const answers: readonly Answer[] = [
      { thinking: "let me see", text: "two at once", calls: [dumped(1), dumped(2, { picture: true })] },
      { calls: [dumped(3, { fail: true })] },
      { thinking: "once more", calls: [dumped(4)] },
      { calls: [dumped(5)] },
      { status: 500 },
      { text: "one done" },
      { thinking: "again", text: "the same ids", calls: [dumped(6, {}, "call_1")] },
      { calls: [dumped(7, {}, "call_1")] },
      { calls: [dumped(8)] },
      { text: "two done" },
      { text: "three done" },
    ];
    const wire = await serve(api, answers);
    const run = await pi({ answers: [], wire, policy: SOON });
    for (const prompt of ["one", "two", "three"]) await run.session.prompt(prompt);
    expect(run.errors).toEqual([]);
    expect(wire.bodies).toHaveLength(answers.length);
    expect(recordsOf(run.file).filter(({ data }) => data?.kind === "epoch").length).toBeGreaterThan(1);
    await expectOracle(run, wire);
    await run.close();
    await wire.close();
  });
});
