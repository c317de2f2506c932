// condense --model as a person runs it, with a model behind a socket of this machine.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openSession, writeNative } from "../../src/formats/index.ts";
import { entryText, originalText, type Recalled, recall } from "../../src/recall/index.ts";
import { estimate } from "../../src/tokens/index.ts";
import { itemText, view } from "../../src/view/index.ts";
import { claudeSession } from "../build/claude-session.ts";
import { piSession, resultText } from "../build/pi-records.ts";
import { batchOfTwelve, logOf } from "../models/batch.ts";
import { honestAnswer } from "../models/honest.ts";
import { type Answer, type ModelServer, type Request, serveModel } from "../models/servers.ts";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "palimpsest-models-"));
const session = join(folder, "session.jsonl");
writeNative(batchOfTwelve(logOf(900)).session, session);
afterAll(() => rmSync(folder, { recursive: true }));

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serving(script: (good: Answer, n: number) => Answer = (good) => good): Promise<ModelServer> {
  const server = await serveModel("openai-compatible", ({ body }: Request, n) => {
    const prompt = body.messages[0].content as string;
    const text = honestAnswer(prompt);
    return script({ text, usage: { input: estimate(prompt), output: estimate(text) } }, n);
  });
  servers.push(server);
  return server;
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Not at once: the server that is asked is in this process. */
function palimpsest(server: ModelServer | undefined, ...given: readonly string[]): Promise<Ran> {
  const args = given[0]?.endsWith(".jsonl") ? given : [session, ...given];
  const providers = server
    ? ["--set", `models.providers=${JSON.stringify({ local: { kind: "openai-compatible", baseUrl: server.baseUrl, keyVariable: "LOCAL_KEY" } })}`]
    : [];
  const env = { PATH: process.env.PATH, HOME: folder, LOCAL_KEY: "tell-nobody" };
  const eager = ["--keep-last", "0", "--set", "models.retries=0", "--set", "condense.smallResult=20"];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, "condense", ...args, ...eager, ...providers], { cwd: folder, env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (piece) => {
      out += piece;
    });
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

test("summaries by a model, what they took, and the figures of the run", async () => {
  const server = await serving();
  const price = ["--set", "models.price.input=1", "--set", "models.price.output=5"];
  const { code, out, err } = await palimpsest(server, "--model", "local/m", ...price);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^model {5}local\/m: 11 of 11 results summarized in \d+ calls, [\d,]+ tokens in, [\d,]+ out, \$0\.\d{4}$/m);
  expect(out).toMatch(/^ +read in parts: ([\d,]+) of \1 bytes proved read, in \d+ windows$/m);
  expect(server.requests.every(({ headers }) => headers.authorization === "Bearer tell-nobody")).toBe(true);
  const report = JSON.parse((await palimpsest(server, "--model", "local/m", "--json")).out);
  expect(report.recall).toEqual({ checked: 12, exact: 12 });
  expect(report.needles.lost).toBe(0);
  expect(report.model).toMatchObject({ name: "local/m", asked: 11, told: 11, without: {} });
  expect(report.model.calls.every(({ outcome }: { outcome: string }) => outcome === "ok")).toBe(true);
});

test("the log that is saved holds the bullets, and recall through it gives the originals", async () => {
  const server = await serving();
  const log = join(folder, "log.jsonl");
  expect((await palimpsest(server, "--model", "local/m", "--save", log)).code).toBe(0);
  const saved = readFileSync(log, "utf8");
  expect(saved).toContain('"by":"model"');
  expect(saved).toContain('"kind":"attempt"');
  const opened = await openSession(log);
  const { results } = batchOfTwelve(logOf(900));
  for (const [at, place] of results.entries()) {
    const [original] = recall(opened.session, `t${at + 1}`) as readonly Recalled[];
    expect(original && originalText(original)).toBe(entryText(place));
  }
  expect([...view(opened.session)].some((item) => itemText(item).includes("\n- `t1` "))).toBe(true);
  opened.close();
});

describe("what is not as it was asked for ends with 3, after the report", () => {
  test("a budget that does not last", async () => {
    const { code, out, err } = await palimpsest(await serving(), "--model", "local/m", "--budget", "12k");
    expect(code).toBe(3);
    expect(out).toMatch(/extracted instead: .*budget-tokens/);
    expect(err).toMatch(/^palimpsest: budget-spent: the budget did not last: \d+ results? of 11 were extracted without local\/m\. Nothing is lost/);
  });

  test("a budget that lasts for nothing at all", async () => {
    const { code, out, err } = await palimpsest(await serving(), "--model", "local/m", "--budget", "1");
    expect(code).toBe(3);
    expect(out).toContain("local/m: 0 of 11 results summarized in 0 calls");
    expect(err).toMatch(/^palimpsest: budget-spent: the budget did not last: 11 results of 11/);
  });

  test("answers of which none can be used", async () => {
    const { code, err } = await palimpsest(await serving((good) => ({ ...good, text: "nothing to report" })), "--model", "local/m");
    expect(code).toBe(3);
    expect(err).toMatch(/^palimpsest: model-of-no-use: expected summaries by local\/m, found none that can be used \(no-head\)/);
  });

  test("a model that cannot be reached", async () => {
    const { code, out, err } = await palimpsest(await serving(() => ({ status: 500 })), "--model", "local/m");
    expect(code).toBe(3);
    expect(out).toContain("recall    12 of 12 hidden originals recalled");
    expect(out).toMatch(/^ +http-500: /m);
    expect(err).toMatch(/^palimpsest: model-not-reached: 11 results of 11 were extracted, as local\/m could not be asked \(http-500\): .+ Nothing is lost\.$/m);
  });
});

describe("what cannot be asked at all ends with 1, before anything is read", () => {
  test.each([
    [["--model", "gpt-5"], 'expected none, or PROVIDER/ID such as "anthropic/claude-haiku-4-5"'],
    [["--model", "nowhere/x"], "Expected one of the providers anthropic, openai"],
    [["--model", "openai/x"], "OPENAI_API_KEY"],
    [["--model", "ollama/x", "--budget", "lots"], '--budget: expected tokens, such as 200k or 1.5M, or dollars, such as $0.50, found "lots"'],
    [["--model", "ollama/x", "--budget", "$1"], "budgetUsd"],
  ])("%j", async (args, message) => {
    const { code, out, err } = await palimpsest(undefined, ...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });
});

describe("copies of a session of Pi's and of Claude Code's", () => {
  const pi = join(folder, "pi.jsonl");
  const claude = join(folder, "22222222-2222-4333-8444-555555555555.jsonl");
  writeFileSync(pi, piSession(6));
  writeFileSync(claude, claudeSession(6));

  test("a dry run asks nobody", async () => {
    const server = await serving();
    const { code, out } = await palimpsest(server, pi, "--model", "local/m", "--copy", "--dry-run");
    expect([code, server.requests.length]).toEqual([0, 0]);
    expect(out).toMatch(/^copy .* results condensed/m);
  });

  test("the commands that lead on keep model and budget", async () => {
    const { out } = await palimpsest(await serving(), pi, "--model", "local/m", "--budget", "900k");
    expect(out).toMatch(/ --copy .*--model local\/m --budget 900k /);
  });

  test.each([
    ["Pi", pi, join(folder, "pi-copy.jsonl")],
    ["Claude Code", claude, join(folder, "33333333-2222-4333-8444-555555555555.jsonl")],
  ])("%s: each stub says itself what the model told, and leads to its original", async (_, source, copy) => {
    const { code } = await palimpsest(await serving(), source, "--model", "local/m", "--copy", copy);
    expect(code).toBe(0);
    const opened = await openSession(copy);
    const stubs = [...view(opened.session)].flatMap((item) => (item.kind === "stub" ? [itemText(item)] : []));
    expect(stubs).toHaveLength(6);
    for (const [at, stub] of stubs.entries()) expect(stub).toMatch(new RegExp(`^\\[t${at + 1} [^\\]\\n]*\\]\\n- \`t${at + 1}\` `));
    expect(stubs.join("\n")).not.toContain("in a note below");
    const [original] = recall(opened.session, "t2") as readonly Recalled[];
    expect(original && originalText(original)).toBe(resultText(2));
    opened.close();
  });
});

test("without a model nothing is asked", async () => {
  const server = await serving();
  const { code, out } = await palimpsest(server, "--model", "none");
  expect(code).toBe(0);
  expect(out).not.toMatch(/^model /m);
  expect(server.requests).toEqual([]);
});
