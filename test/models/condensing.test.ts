// A session condensed with models behind real sockets, of both protocols: whatever they do, nothing is lost, what became of it is recorded, and the work ends.
import { afterEach, describe, expect, test } from "vitest";
import { condenseTelling, recallHidden, type SummaryReport, summarizerOf } from "../../src/condense/index.ts";
import { parsePolicy } from "../../src/config/index.ts";
import { composed } from "../../src/models/index.ts";
import { bodyText } from "../../src/session/index.ts";
import { estimate } from "../../src/tokens/index.ts";
import { batchOfTwelve, EAGER, logOf } from "./batch.ts";
import { honestAnswer } from "./honest.ts";
import { type Answer, type Api, type ModelServer, type Request, serveModel } from "./servers.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

type Script = (good: Answer, n: number, request: Request) => Answer;

/** What was sent as one text, whatever the protocol. */
function promptOf({ body }: Request): string {
  const [first] = body.messages as { readonly content: string | readonly { readonly text: string }[] }[];
  return typeof first?.content === "string" ? first.content : (first?.content ?? []).map(({ text }) => text).join("");
}

async function condensed(api: Api, script: Script, models: object = {}) {
  const server = await serveModel(api, (request, n) => {
    const prompt = promptOf(request);
    const text = honestAnswer(prompt);
    return script({ text, usage: { input: estimate(prompt), output: estimate(text) } }, n, request);
  });
  servers.push(server);
  const providers = { local: { kind: api, baseUrl: server.baseUrl, keyVariable: "LOCAL_KEY" } };
  const { models: policy } = parsePolicy(JSON.stringify({ models: { model: "local/m", retries: 1, providers, ...models } }), "test");
  const opened = await composed(policy, { env: { LOCAL_KEY: "k" }, random: () => 0 });
  if (!opened) throw new Error("no model");
  const reports: SummaryReport[] = [];
  const { session } = batchOfTwelve(logOf(900));
  const run = await condenseTelling(session, EAGER, summarizerOf(opened, { ...EAGER.summaries, names: 0 }), { onReport: (report) => reports.push(report) });
  const decisions = run.session.path(run.head).map(({ entry }) => entry.data);
  const note = decisions.flatMap((data) => (data.kind === "condense" ? [bodyText(data.summary)] : [])).join("\n");
  const attempts = decisions.filter((data) => data.kind === "attempt");
  return { run, note, attempts, reports, server, rows: opened.meter.rows };
}

/** Also where this process has no time to read: what was cut off may never have reached the server. */
const SHORT = { idleTimeoutSeconds: 0.4, ceilingSeconds: 5 };

const cut = { "openai-compatible": "length", anthropic: "max_tokens" } as const;
const refused = { "openai-compatible": "content_filter", anthropic: "refusal" } as const;

/** `told`: results that the model tells of, of eleven. `code`: why the others have no summary. */
const cases = (
  api: Api,
): readonly { readonly name: string; readonly script: Script; readonly told: number; readonly code?: string; readonly models?: object }[] => [
  { name: "good answers", script: (good) => good, told: 11 },
  { name: "labels wrong", script: (good) => rewritten(good, (text) => text.replace(/\[\[(\d+):\w+\]\]/g, "[[$1:other]]")), told: 0, code: "no-label" },
  { name: "labels missing", script: (good) => rewritten(good, (text) => text.replace(/\[\[\d+:\w+\]\] /g, "")), told: 0, code: "no-label" },
  {
    name: "labels renumbered",
    script: (good) => rewritten(good, (text) => text.replace(/\[\[(\d+):/g, (_, n) => `[[${Number(n) + 1}:`)),
    told: 0,
    code: "label",
  },
  { name: "labels in formatting", script: (good) => rewritten(good, (text) => text.replace(/(\[\[\d+:\w+\]\])/g, "**$1**")), told: 0, code: "no-label" },
  { name: "an empty answer", script: (good) => ({ ...good, text: "" }), told: 0, code: "empty" },
  { name: "an answer that is cut", script: (good) => ({ ...good, finish: cut[api] }), told: 0, code: "length" },
  { name: "429 with Retry-After, then good", script: (good, n) => (n === 1 ? { status: 429, headers: { "retry-after": "0" } } : good), told: 11 },
  { name: "500", script: () => ({ status: 500 }), told: 0, code: "http-500" },
  { name: "500 once", script: (good, n) => (n === 1 ? { status: 500 } : good), told: 11 },
  { name: "a hang before the first byte", script: () => ({ hang: "before-head" }), told: 0, code: "idle-timeout", models: SHORT },
  { name: "a stall in the stream", script: (good) => ({ ...good, hang: "after-text" }), told: 0, code: "idle-timeout", models: SHORT },
  { name: "thinking in a field of its own", script: (good) => ({ ...good, thinking: "Let me see: [[1:read]] and so on." }), told: 11 },
  { name: "thinking in the text", script: (good) => rewritten(good, (text) => `<think>[[2:bash]] hm</think>\n${text}`), told: 11 },
  { name: "a refusal", script: () => ({ text: "I cannot.", finish: refused[api] }), told: 0, code: "refused" },
  {
    name: "an answer larger than the input",
    script: (good) => rewritten(good, (text) => text.replace(/- (\[\[\d+:\w+\]\])/g, `- $1 ${"word ".repeat(12_000)}`)),
    told: 0,
    code: "larger",
  },
  {
    name: "a prompt that is silently cut at the front",
    script: (good, _, request) => {
      const prompt = promptOf(request);
      const seen = prompt.slice(-Math.floor(prompt.length / 2));
      return { ...good, text: honestAnswer(seen), usage: null };
    },
    told: 0,
    code: "no-head",
  },
  { name: "a reset in the stream", script: (good) => ({ ...good, breakOff: "reset" }), told: 0 },
  { name: "no usage at all", script: (good) => ({ ...good, usage: null }), told: 11 },
];

/** A batch's answer is changed, those on windows are not. */
function rewritten(good: Answer, change: (text: string) => string): Answer {
  const text = good.text as string;
  return /\[\[\d+:/.test(text) ? { ...good, text: change(text) } : good;
}

for (const api of ["openai-compatible", "anthropic"] as const)
  describe(api, () => {
    for (const { name, script, told, code, models } of cases(api))
      test(name, async () => {
        const { run, note, attempts, reports, server, rows } = await condensed(api, script, models);
        expect(recallHidden(run)).toEqual({ checked: 12, exact: 12 });
        expect(reports[0]).toMatchObject({ asked: 11, told });
        expect(note).not.toMatch(/\[\[\d+:/);
        expect(attempts).toHaveLength(1);
        expect(attempts[0]).toMatchObject({ phase: told > 0 ? "done" : "failed", ...(code !== undefined && { code }) });
        expect(note.includes("; a model gave no summary of ")).toBe(told < 11);
        if (models === undefined) expect(rows.length).toBe(server.requests.length);
        else expect(rows.length).toBeGreaterThanOrEqual(server.requests.length);
        expect(rows.every(({ outcome, input }) => outcome !== "ok" || input === undefined || input > 0)).toBe(true);
        await server.allClosed();
      });
  });

test("a budget that does not last leaves the rest to extracts, and nothing more is sent", async () => {
  const { run, reports, server, rows } = await condensed("openai-compatible", (good) => good, { budgetTokens: 12_000 });
  expect(recallHidden(run)).toEqual({ checked: 12, exact: 12 });
  expect(Object.keys(reports[0]?.without ?? {})).toContain("budget-tokens");
  expect(rows.reduce((sum, { input = 0, output = 0 }) => sum + input + output, 0)).toBeLessThanOrEqual(12_000);
  expect(server.requests.length).toBe(rows.length);
});
