// Known faults of summaries by a model, each with the right value in its place. Those that need a running agent stand in test/pi.
import { describe, expect, test } from "vitest";
import { condenseTelling, recallHidden, type SummaryReport, summarizerOf } from "../../src/condense/index.ts";
import { createMeter, ModelError } from "../../src/models/index.ts";
import { bodyText } from "../../src/session/index.ts";
import { batchOfTwelve, EAGER, LONG_LOG } from "../models/batch.ts";
import { type HonestOptions, honestModel } from "../models/honest.ts";

async function told(options: HonestOptions = {}, policy: Partial<typeof EAGER.summaries> = {}) {
  const honest = honestModel(options);
  const meter = createMeter();
  const model = meter.of(honest);
  const reports: SummaryReport[] = [];
  const { session } = batchOfTwelve();
  const run = await condenseTelling(session, EAGER, summarizerOf({ model, meter }, { ...EAGER.summaries, names: 0, ...policy }), {
    onReport: (report) => reports.push(report),
  });
  const decisions = run.session.path(run.head).map(({ entry }) => entry.data);
  const note = decisions.flatMap((data) => (data.kind === "condense" ? [bodyText(data.summary)] : [])).join("\n");
  return { run, note, report: reports[0] as SummaryReport, requests: honest.requests, meter };
}

const isBatch = (prompt: string) => prompt.includes("Start the first bullet of a call with the label");

describe("F7: the summarizer read the first 2,000 characters of a result, and nothing said so", () => {
  test("F7: all of a log of 300 KB is read, and counted", async () => {
    const { requests, report, note } = await told();
    const prompts = requests.map(({ messages }) => messages[0]?.text ?? "").filter((prompt) => prompt.includes("Below is part "));
    const read = prompts.map((prompt) => /Result \(OK\):\n<<<(\w+)\n([\s\S]*?)\n?\1>>>/.exec(prompt)?.[2] ?? "").join("\n");
    expect(read.replace(/\n/g, "")).toBe(LONG_LOG.replace(/\n/g, ""));
    expect(report.read).toMatchObject({ bytes: Buffer.byteLength(LONG_LOG), credited: Buffer.byteLength(LONG_LOG) });
    expect(note).toMatch(/^- `t7` .*error E0382/m);
  });
});

test("F16: a long session was sent in as many calls at once as it had turns", async () => {
  let open = 0;
  let most = 0;
  const { composed } = await import("../../src/models/index.ts");
  const { parsePolicy } = await import("../../src/config/index.ts");
  const honest = honestModel();
  const slow = {
    ...honest,
    generate: async (...call: Parameters<typeof honest.generate>) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((done) => setTimeout(done, 5));
      open -= 1;
      return honest.generate(...call);
    },
  };
  const { models } = parsePolicy('{"models":{"model":"scripted/honest"}}', "test");
  const opened = await composed(models, { open: async () => slow });
  if (!opened) throw new Error("no model");
  const { session } = batchOfTwelve();
  await condenseTelling(session, EAGER, summarizerOf(opened, { ...EAGER.summaries, inputTokens: 8000, grouping: "turn" }));
  expect(honest.requests.length).toBeGreaterThan(4);
  expect(most).toBe(4);
});

test("F19: after the first batch that failed, those behind it were thrown away and their cost forgotten", async () => {
  let batches = 0;
  const spoil = (answer: string, prompt: string) =>
    isBatch(prompt) && ++batches === 1 ? Promise.reject<never>(new ModelError("transient", "http-500", "the server failed")) : answer;
  const { run, report, note, meter } = await told({ spoil }, { inputTokens: 4000 });
  expect(batches).toBeGreaterThan(1);
  expect(report.told).toBeGreaterThan(0);
  expect(report.told + Object.values(report.without).reduce((sum, count) => sum + count, 0)).toBe(report.asked);
  expect(note).toContain(`a model gave no summary of ${report.without["http-500"]}`);
  expect(recallHidden(run)).toEqual({ checked: 12, exact: 12 });
  const { calls, failed, input } = meter.totals();
  expect([failed, report.usage.calls]).toEqual([1, calls]);
  expect(input.unknownCalls).toBe(1);
  expect(report.usage).toMatchObject({ input: input.known, unreported: 1 });
});

test("one large result was worth a call each time: what is trivial together is not asked about", async () => {
  const { report, requests } = await told({}, { minChars: 1_000_000 });
  expect(requests).toEqual([]);
  expect(report).toMatchObject({ asked: 11, told: 0, without: { trivial: 11 }, usage: { calls: 0 } });
});

test("an instruction in a tool's text is material: it stands fenced, and its labels are none", async () => {
  const { requests } = await told();
  const batch = requests.map(({ messages }) => messages[0]?.text ?? "").find(isBatch) ?? "";
  const word = /<<<([0-9a-f]+)/.exec(batch)?.[1] ?? "";
  const outside = batch.replace(new RegExp(`^<<<${word}$[^]*?^${word}>>>$`, "gm"), "…");
  expect(outside).not.toContain("alphaPart");
  expect(outside).not.toContain("AssertionError");
});
