// Summaries by a model inside Pi: what it says stands in the notes, and whatever it does wrong, the agent goes on with extracts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FauxResponseStep, fauxAssistantMessage, fauxProvider } from "@earendil-works/pi-ai";
import { type ExtensionAPI, type ExtensionFactory, type ExtensionUIContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { honestAnswer } from "../models/honest.ts";
import { call, output, type PiOptions, type PiRun, pi, SOON, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, expectRecalled, recordsOf } from "./oracle.ts";

type Answer = (prompt: string, n: number) => string | { readonly error: string } | "hang";

interface Summing {
  readonly provider: ExtensionFactory;
  /** The prompts that each model got. */
  readonly prompts: { readonly one: string[]; readonly two: string[] };
  readonly costs: unknown[];
  readonly notices: string[];
}

/** Two models for summaries, `sum/one` and `sum/two`, and what else of Pi is watched. */
function summing(one: Answer, two: Answer = honestAnswer): Summing {
  const prompts = { one: [] as string[], two: [] as string[] };
  const costs: unknown[] = [];
  const faux = fauxProvider({
    provider: "sum",
    models: ["one", "two"].map((id) => ({
      id,
      contextWindow: 100_000,
      maxTokens: 4096,
      input: ["text" as const],
      cost: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1 },
    })),
  });
  const step: FauxResponseStep = async (context, _, __, model) => {
    const id = model.id as "one" | "two";
    const first = context.messages.find(({ role }) => role === "user") as never;
    const prompt = textOf(first);
    prompts[id].push(prompt);
    const answer = (id === "one" ? one : two)(prompt, prompts[id].length);
    if (answer === "hang") return new Promise(() => {});
    return typeof answer === "string" ? fauxAssistantMessage(answer) : fauxAssistantMessage("", { stopReason: "error", errorMessage: answer.error });
  };
  faux.setResponses(Array.from({ length: 60 }, () => step));
  const provider: ExtensionFactory = (api: ExtensionAPI) => {
    api.registerProvider(faux.provider);
    api.events.on("cost:external", (cost) => costs.push(cost));
  };
  return { provider, prompts, costs, notices: [] };
}

/** Long enough for a busy machine: what hangs says so itself. */
const QUICK = { idleTimeoutSeconds: 20, ceilingSeconds: 40, retries: 0 };

async function run(summing: Summing, models: object, more: Partial<PiOptions> = {}): Promise<PiRun> {
  vi.spyOn(console, "error").mockImplementation((text) => summing.notices.push(String(text)));
  return pi({
    answers: [call(0), call(1), call(2), call(3), say("done"), call(4), call(5), call(6), call(7), say("done"), say("done")],
    before: [summing.provider],
    policy: SOON,
    settings: { palimpsest: { models: { model: "sum/one", ...QUICK, ...models } } } as never,
    ...more,
  });
}

function notesOf({ requests }: PiRun): string[] {
  return (requests.at(-1) ?? [])
    .filter(({ role }) => role === "user")
    .map(textOf)
    .filter((text) => /^\[b\d+ automatic note/.test(text));
}

function stubsOf({ requests }: PiRun): string[] {
  return (requests.at(-1) ?? [])
    .filter(({ role }) => role === "toolResult")
    .map(textOf)
    .filter((text) => /^\[t\d+ /.test(text));
}

function ours(run: PiRun, kind: string): Record<string, unknown>[] {
  return recordsOf(run.file).flatMap(({ customType, data }) => (customType === "palimpsest" && data?.kind === kind ? [data as never] : []));
}

describe("a model that does what it is asked", () => {
  test("tells of the results in the note, and each stub is one line", async () => {
    const model = summing(honestAnswer);
    const live = await run(model, {});
    await live.session.prompt("go");
    await live.session.prompt("go on");
    expect(live.errors).toEqual([]);
    const [note = ""] = notesOf(live);
    expect(note).toMatch(/^\[b1 automatic note, not from the user: 2 results are summarized below, each stub begins with its ref\. The originals are kept: /);
    expect(note).toMatch(/^- `t1` .*handler0_/m);
    expect(note).toContain("**Summarized tool refs**: `t1`, `t2`");
    expect(stubsOf(live)[0]).toMatch(/^\[t1 dump: 120 lines, [\d,]+ bytes, summarized in a note below\]$/);
    await expectOracle(live);
    await expectRecalled(live.file, { t1: output(0), t2: output(1) });
    expectOnce(live.file);
    expect(ours(live, "attempt")[0]).toMatchObject({ what: "summarize", phase: "done", counts: { asked: 2, told: 2 }, usage: { model: "sum/one", calls: 1 } });
    expect(ours(live, "batch").map(({ by }) => by)).toContain("model");
    const cost = model.costs.at(-1) as { readonly source: string; readonly totalCost: number; readonly inputTokens: number; readonly outputTokens: number };
    expect(cost.source).toBe("palimpsest");
    expect(cost.inputTokens).toBeGreaterThan(1000);
    expect(cost.totalCost).toBeGreaterThan(0);
    model.notices.length = 0;
    await live.session.prompt("/palimpsest status");
    expect(model.notices.join("\n")).toMatch(/summaries by sum\/one, thinking default: \d+ of \d+ results in \d+ calls, [\d.]+k tokens in, \d+ out, \$0\.\d+/);
    await live.close();
  });

  test("the same after quitting and resuming: no result is told of twice", async () => {
    const model = summing(honestAnswer);
    const first = await run(model, {});
    await first.session.prompt("go");
    const asked = model.prompts.one.length;
    first.session.dispose();
    const again = await run(
      model,
      {},
      {
        folder: first.folder,
        manager: () => SessionManager.open(first.file),
        answers: [say("back")],
      },
    );
    await again.session.prompt("and now");
    expect(model.prompts.one.length).toBe(asked);
    expect(notesOf(again)[0]).toContain("summarized below");
    await expectOracle(again);
    await first.close();
    again.session.dispose();
  });

  test("what a person asks for between two runs is told of too", async () => {
    const model = summing(honestAnswer);
    const live = await run(model, {}, { policy: { condense: { ...SOON.condense, triggers: { ...SOON.condense.triggers, everyRequests: 0, finalReply: 0 } } } });
    await live.session.prompt("go");
    expect(model.prompts.one).toEqual([]);
    await live.session.prompt("/palimpsest now");
    expect(model.prompts.one).toHaveLength(1);
    await live.session.prompt("go on");
    expect(notesOf(live)[0]).toContain("summarized below");
    await expectOracle(live);
    await live.close();
  });
});

describe("a model that does not", () => {
  test("hangs: the agent waits no longer than the timeout, goes on with extracts, and the model is asked again the next time", async () => {
    const model = summing((prompt, n) => (n === 1 ? "hang" : honestAnswer(prompt)));
    const live = await run(model, { idleTimeoutSeconds: 2 });
    await live.session.prompt("go");
    expect(ours(live, "attempt")[0]).toMatchObject({ phase: "failed", code: "idle-timeout" });
    await live.session.prompt("go on");
    expect(live.errors).toEqual([]);
    const [first, second] = notesOf(live);
    expect(first).toContain("2 results were condensed in place, each stub begins with its ref: t1, t2; a model gave no summary of 2");
    expect(second).toContain("summarized below");
    expect(stubsOf(live)[0]).toContain("handler0_");
    await expectOracle(live);
    await expectRecalled(live.file, { t1: output(0), t2: output(1) });
    await live.close();
  });

  test("hangs for ever, retries and all: no boundary takes longer than the ceiling", async () => {
    const model = summing(() => "hang");
    const live = await run(model, { idleTimeoutSeconds: 0, ceilingSeconds: 0.5, retries: 10 });
    await live.session.prompt("go");
    expect(ours(live, "attempt")[0]).toMatchObject({ phase: "failed" });
    await live.session.prompt("go on");
    expect(notesOf(live)[0]).toContain("a model gave no summary of 2");
    await live.close();
  });

  test("fails: the second model stands in, visibly, until the first answers again", async () => {
    let down = true;
    const model = summing((prompt) => (down ? { error: "503 service unavailable" } : honestAnswer(prompt)));
    const live = await run(model, { fallback: "sum/two" });
    await live.session.prompt("go");
    expect(model.notices.join("\n")).toContain("Palimpsest: sum/one cannot be reached (http-503): sum/two writes the summaries");
    expect(ours(live, "outage")).toMatchObject([{ model: "sum/one", state: "down", code: "http-503" }]);
    expect(model.prompts.one).toHaveLength(1);
    await live.session.prompt("go on");
    expect(model.prompts.one).toHaveLength(1);
    expect(notesOf(live)[0]).toContain("summarized below");
    model.notices.length = 0;
    await live.session.prompt("/palimpsest status");
    expect(model.notices.join("\n")).toContain("sum/one could not be reached (http-503): sum/two stands in");
    down = false;
    live.session.dispose();
    // Ten minutes later one call probes the first.
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 11 * 60_000);
    const later = await run(
      model,
      { fallback: "sum/two" },
      { folder: live.folder, manager: () => SessionManager.open(live.file), answers: [call(8), call(9), call(10), call(11), say("done")] },
    );
    await later.session.prompt("and on");
    expect(ours(later, "outage").map(({ state }) => state)).toEqual(["down", "up"]);
    expect(model.notices.join("\n")).toContain("Palimpsest: sum/one answers again");
    vi.restoreAllMocks();
    later.session.dispose();
    await live.close();
  });

  test("answers drop by drop: the second model stands in at the next boundary", async () => {
    const model = summing(() => "hang");
    const live = await run(model, { fallback: "sum/two", idleTimeoutSeconds: 0, ceilingSeconds: 4 });
    await live.session.prompt("go");
    await live.session.prompt("go on");
    expect(ours(live, "outage")).toMatchObject([{ model: "sum/one", state: "down" }]);
    expect(model.prompts.one).toHaveLength(1);
    expect(model.prompts.two.length).toBeGreaterThan(0);
    expect(notesOf(live).join("\n")).toContain("summarized below");
    await live.close();
  });

  test("a wrong key is no outage, and is said", async () => {
    const model = summing(() => ({ error: "401 invalid api key" }));
    const live = await run(model, { fallback: "sum/two" });
    await live.session.prompt("go");
    expect(model.prompts.two).toEqual([]);
    expect(ours(live, "outage")).toEqual([]);
    expect(ours(live, "attempt")[0]).toMatchObject({ phase: "failed", code: "http-401" });
    model.notices.length = 0;
    await live.session.prompt("/palimpsest status");
    expect(model.notices.join("\n")).toContain("the newest asking failed (http-401): its results were extracted");
    await live.close();
  });

  test("the status line says what is wrong as long as it is", async () => {
    let key = "wrong";
    const lines: (string | undefined)[] = [];
    const uiContext = { notify: () => {}, setStatus: (_: string, text: string | undefined) => lines.push(text) } as unknown as ExtensionUIContext;
    const model = summing((prompt) => (key === "wrong" ? { error: "401 invalid api key" } : honestAnswer(prompt)));
    const live = await run(model, {}, { bind: { uiContext, mode: "rpc" as const } });
    await live.session.prompt("go");
    expect(lines).toContain("palimpsest asks sum/one for summaries");
    expect(lines.at(-1)).toMatch(/^palimpsest −[\d.]+k? tokens, no summaries: http-401$/);
    key = "right";
    await live.session.prompt("go on");
    expect(lines.at(-1)).toMatch(/^palimpsest −[\d.]+k? tokens$/);
    await live.close();
  });

  test("is unknown to Pi: extracts, and a word on what to do", async () => {
    const model = summing(honestAnswer);
    const live = await run(model, { model: "sum/three" });
    await live.session.prompt("go");
    await live.session.prompt("/palimpsest status");
    expect(model.notices.join("\n")).toContain("no summaries by sum/three: expected a model that Pi knows, found sum/three: /palimpsest model lists them");
    expect(ours(live, "batch").length).toBeGreaterThan(0);
    await live.close();
  });

  test("answers when the session has gone on: nothing is proposed on what was, what it took is told the next time, and nothing is lost", async () => {
    let append = () => {};
    const model = summing((prompt, n) => {
      if (n === 1) append();
      return honestAnswer(prompt);
    });
    const other: ExtensionFactory = (api) => {
      append = () => api.appendEntry("other", { went: "on" });
    };
    const live = await run(model, {}, { after: [other] });
    await live.session.prompt("go");
    await live.session.prompt("go on");
    expect(live.errors).toEqual([]);
    const spent = ours(live, "attempt").map(({ usage }) => (usage as { readonly calls: number }).calls);
    expect(spent.reduce((sum, calls) => sum + calls, 0)).toBe(model.prompts.one.length);
    expect(notesOf(live)[0]).toContain("summarized below");
    await expectOracle(live);
    await expectRecalled(live.file, { t1: output(0), t2: output(1) });
    expectOnce(live.file);
    await live.close();
  });

  test("is asked when the person aborts: the run ends at once, and nothing is proposed", async () => {
    const model = summing((prompt, n) => (n === 1 ? "hang" : honestAnswer(prompt)));
    const live = await run(model, { idleTimeoutSeconds: 60, ceilingSeconds: 60 });
    const running = live.session.prompt("go");
    await vi.waitFor(() => expect(model.prompts.one.length).toBeGreaterThan(0), { timeout: 20_000 });
    await live.session.abort();
    await running;
    expect(ours(live, "batch")).toEqual([]);
    expect(live.errors).toEqual([]);
    // What the call that was given up took is not forgotten.
    await live.session.prompt("go on");
    expect(ours(live, "attempt").slice(0, 2)).toMatchObject([
      { phase: "failed", code: "aborted", usage: { calls: 1, unreported: 1 } },
      { phase: "done", usage: { calls: 1 } },
    ]);
    expect(model.notices.join("\n")).not.toContain("aborted");
    await live.close();
  });

  test("is asked when the session ends: nothing is thrown, and the session opens", async () => {
    const model = summing(() => "hang");
    const live = await run(model, { idleTimeoutSeconds: 60, ceilingSeconds: 60 });
    const running = live.session.prompt("go");
    await vi.waitFor(() => expect(model.prompts.one.length).toBeGreaterThan(0), { timeout: 20_000 });
    await live.session.extensionRunner?.emit({ type: "session_shutdown", reason: "quit" } as never);
    await running;
    expect(live.errors).toEqual([]);
    await expectRecalled(live.file, { t1: output(0) });
    await live.close();
  });
});

describe("/palimpsest model", () => {
  test("names what there is, takes one, and says what is sent", async () => {
    const model = summing(honestAnswer);
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-model-"));
    vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "agent"));
    const live = await run(model, { model: "none" }, { settings: {}, folder });
    await live.session.prompt("/palimpsest model");
    expect(model.notices.join("\n")).toContain("summaries by no model, thinking default\nnone\ncurrent\n");
    model.notices.length = 0;
    await live.session.prompt("/palimpsest model sum/nine");
    expect(model.notices.join("\n")).toContain('found "sum/nine"');
    model.notices.length = 0;
    await live.session.prompt("/palimpsest model sum/two high");
    expect(model.notices.join("\n")).toContain("summaries by sum/two, thinking high: the results that are condensed are sent to it");
    await live.session.prompt("go");
    expect(model.prompts.two.length).toBeGreaterThan(0);
    model.notices.length = 0;
    await live.session.prompt("/palimpsest model none");
    expect(model.notices.join("\n")).toContain("summaries are extracts: nothing is sent anywhere");
    live.session.dispose();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
});
