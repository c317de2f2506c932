// What a model's answers come to in a session: good ones stand in its notes, bad ones leave everything as it is without a model.
import { describe, expect, test } from "vitest";
import { condenseTelling, recallHidden, type SummaryReport } from "../../src/condense/index.ts";
import { ModelError, type ModelReply } from "../../src/models/index.ts";
import { recall } from "../../src/recall/index.ts";
import { bodyText, type CondenseDecision, type Decision, type Ref } from "../../src/session/index.ts";
import { batchOfTwelve, EAGER, PIXEL } from "./batch.ts";
import { type HonestOptions, honestModel } from "./honest.ts";

const POLICY = { ...EAGER.summaries, names: 0 };

async function told(options: HonestOptions = {}) {
  const model = honestModel(options);
  const reports: SummaryReport[] = [];
  const usage = () => ({ model: model.name, calls: model.requests.length, unreported: 0 });
  const { session, results } = batchOfTwelve();
  const condensed = await condenseTelling(session, EAGER, { model, policy: POLICY, usage }, { onReport: (report) => reports.push(report) });
  const decisions = condensed.session.path(condensed.head).map(({ entry }) => entry.data as Decision);
  const [condense] = decisions.filter((decision): decision is CondenseDecision => decision.kind === "condense");
  const stubs = new Map(
    condense?.targets.map((target, at) => [condensed.session.find(target)?.results, bodyText((condense as CondenseDecision).stubs[at] as never)]),
  );
  const attempts = decisions.filter((decision) => decision.kind === "attempt");
  return { model, reports, condensed, condense, attempts, results, note: condense ? bodyText(condense.summary) : "", stub: (n: number) => stubs.get(n) ?? "" };
}

describe("a batch of twelve results over four tools and an honest model", () => {
  test("every bullet begins with the ref of its result, and the footer names all", async () => {
    const { note, condense } = await told();
    expect(condense?.by).toBe("model");
    const lines = note.split("\n");
    expect(lines[0]).toMatch(
      /^\[b1 automatic note, not from the user: 11 results are summarized below, 1 result was condensed in place; each stub begins with its ref\]$/,
    );
    const bullets = lines.filter((line) => line.startsWith("- "));
    expect(bullets.length).toBeGreaterThan(11);
    expect(bullets.filter((line) => !/^- `t\d+` /.test(line))).toEqual([]);
    expect(new Set(bullets.map((line) => /`(t\d+)`/.exec(line)?.[1]))).toEqual(new Set([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12].map((n) => `t${n}`)));
    expect(note).toContain(`---\n**Summarized tool refs**: ${Array.from({ length: 12 }, (_, at) => `\`t${at + 1}\``).join(", ")}\nUse \`context_tree_query\``);
    expect(note).not.toMatch(/\[\[\d+:/);
  });

  test("the error in the last line of the 300 KB log is named, and all of the log was read", async () => {
    const { note, reports } = await told();
    expect(note).toMatch(/^- `t7` .*lib\/final\.rs:88: error E0382: borrow of moved value/m);
    expect(reports[0]?.read.bytes).toBeGreaterThan(300_000);
    expect(reports[0]?.read.credited).toBe(reports[0]?.read.bytes);
  });

  test("what failed still says so, in its stub and in the note", async () => {
    const { note, stub } = await told();
    expect(stub(4)).toMatch(/^\[t4 bash: .*, error, summarized in a note below\]$/);
    expect(note).toMatch(/^- `t4` .*FAIL src\/beta\.test\.ts/m);
  });

  test("of two equal results one is told of, and the other leads there", async () => {
    const { stub, model } = await told();
    expect(stub(6)).toMatch(/the same as t5\]$/);
    const asked = model.requests.map(({ messages }) => messages[0]?.text ?? "").find((prompt) => prompt.includes("[[1:read]]"));
    expect(asked?.match(/^\[\[\d+:[^\]]+\]\]/gm)).toEqual(
      ["read", "read", "grep", "bash", "bash", "bash", "screenshot", "read", "grep", "read", "grep"].map((tool, at) => `[[${at + 1}:${tool}]]`),
    );
  });

  test("the picture is recalled as a picture", async () => {
    const { condensed, stub } = await told();
    expect(stub(8)).toContain("1 image");
    const found = recall(condensed.session, "t8" as Ref, condensed.head);
    const [original] = "kind" in found ? [] : found;
    expect(JSON.stringify(original?.blocks)).toContain("image/png");
    const image = original?.blocks.find((block) => block.type === "image");
    expect(image?.type === "image" && bodyText(image.data)).toBe(PIXEL);
  });

  test("nothing is lost, and what it took is recorded", async () => {
    const { condensed, attempts } = await told();
    expect(recallHidden(condensed)).toEqual({ checked: 12, exact: 12 });
    expect(attempts).toEqual([
      expect.objectContaining({ what: "summarize", phase: "done", usage: expect.objectContaining({ model: "scripted/honest", prompt: "batch/1" }) }),
    ]);
  });
});

const batchCall = (prompt: string) => prompt.includes("Start the first bullet of a call with the label");

/** What a bad model does to each answer on a batch, and what becomes of the twelve results. */
const spoilt: readonly {
  readonly name: string;
  readonly spoil: HonestOptions["spoil"];
  readonly told: number;
  readonly code?: string;
  readonly calls?: number;
}[] = [
  { name: "good answers", spoil: (answer) => answer, told: 11 },
  { name: "labels wrong", spoil: (answer) => answer.replace(/\[\[(\d+):\w+\]\]/g, "[[$1:other]]"), told: 0, code: "no-label" },
  { name: "labels missing", spoil: (answer) => answer.replace(/\[\[\d+:\w+\]\] /g, ""), told: 0, code: "no-label" },
  { name: "labels renumbered", spoil: (answer) => answer.replace(/\[\[(\d+):/g, (_, n) => `[[${Number(n) + 1}:`), told: 0, code: "label" },
  { name: "labels in formatting", spoil: (answer) => answer.replace(/(\[\[\d+:\w+\]\])/g, "**$1**"), told: 0, code: "no-label" },
  { name: "an empty answer", spoil: () => "", told: 0, code: "empty" },
  { name: "blanks", spoil: () => " \n\t\n", told: 0, code: "empty" },
  { name: "an answer that is cut", spoil: (text) => ({ text: text.slice(0, 60), finish: "length" }), told: 0, code: "length" },
  { name: "a refusal", spoil: () => ({ text: "I cannot help with that.", finish: "refused" }), told: 0, code: "refused" },
  {
    name: "an answer longer than what it is of",
    spoil: (answer) => answer.replace(/^- /gm, `- ${"word ".repeat(2000)}`).replace(/- (?:word )+(\[\[\d+:\w+\]\])/g, `- $1 ${"word ".repeat(4000)}`),
    told: 0,
    code: "larger",
  },
  { name: "a prompt that was cut at the front", spoil: (answer) => answer.split("\n").slice(1).join("\n"), told: 0, code: "no-head" },
  { name: "a prompt that was cut at the end", spoil: (answer) => answer.split("\n").slice(0, -1).join("\n"), told: 0, code: "no-tail" },
  { name: "fewer tokens read than there are", spoil: (text) => ({ text, usage: { input: 12, cacheRead: 0, output: 10 } }), told: 0, code: "prompt-cut" },
  { name: "an outage", spoil: () => Promise.reject(new ModelError("transient", "http-500", "the server failed")), told: 0, code: "http-500" },
  { name: "something that is no error of ours", spoil: () => Promise.reject(new TypeError("boom")), told: 0, code: "failed" },
  { name: "names that nobody wrote", spoil: (answer) => answer.replace(/(\[\[\d+:\w+\]\])/g, "$1 see lib/made/up.ts"), told: 0, code: "invented" },
  {
    name: "a failure told as a success",
    spoil: (answer) => answer.replace(/^- (\[\[4:bash\]\]).*\n.*$/m, "- $1 all tests pass"),
    told: 10,
    code: "error-not-named",
  },
];

describe("what a model gets wrong loses nothing", () => {
  for (const { name, spoil, told: expected, code } of spoilt)
    test(name, async () => {
      const { condensed, condense, note, attempts, stub } = await told({
        spoil: (answer, prompt, n) => (batchCall(prompt) ? spoil?.(answer, prompt, n) : answer) as string,
      });
      expect(recallHidden(condensed)).toEqual({ checked: 12, exact: 12 });
      const ours = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12].filter((n) => stub(n).endsWith("summarized in a note below]"));
      expect(ours, note).toHaveLength(expected);
      expect(condense?.by).toBe(expected > 0 ? "model" : "extractive");
      for (const n of ours) expect(note).toMatch(new RegExp(`^- \`t${n}\` `, "m"));
      expect(note).not.toMatch(/\[\[\d+:/);
      expect(note.includes("; a model gave no summary of ")).toBe(code !== undefined);
      expect(attempts).toEqual([expect.objectContaining({ phase: expected > 0 ? "done" : "failed", ...(code !== undefined && { code }) })]);
      if (code === undefined) expect(attempts[0]).not.toHaveProperty("code");
    });

  test("an answer that is right the second time is used, and the model was told what was wrong", async () => {
    let spoiled = 0;
    const { model, condense, stub } = await told({
      spoil: (answer, prompt) => (batchCall(prompt) && spoiled++ === 0 ? answer.replace("[[4:bash]]", "[[4:read]]") : answer),
    });
    expect(condense?.by).toBe("model");
    expect(stub(4)).toContain("summarized in a note below");
    const repair = model.requests.find(({ messages }) => messages.length === 3);
    expect(repair?.messages[2]?.text).toContain("it holds the label [[4:read]], but label 4 is [[4:bash]]");
  });

  test("what was right the first time is kept when the second answer is worse", async () => {
    const { stub } = await told({ spoil: (answer, prompt) => (batchCall(prompt) ? answer.replace("[[4:bash]]", "[[4:read]]") : answer) });
    expect(stub(4)).not.toContain("summarized in a note below");
    expect(stub(1)).toContain("summarized in a note below");
  });

  test("an answer that is cut is asked for in halves", async () => {
    const cut = (prompt: string) => (prompt.match(/^\[\[\d+:/gm) ?? []).length > 3;
    const spoil = (answer: string, prompt: string): string | Partial<ModelReply> =>
      batchCall(prompt) && cut(prompt) ? { text: answer.slice(0, 50), finish: "length" } : answer;
    const { stub } = await told({ spoil });
    for (const n of [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]) expect(stub(n)).toContain("summarized in a note below");
  });

  test("a window that was not read is told by its extract, and counted", async () => {
    const spoil = (answer: string, prompt: string) => (prompt.includes("Below is part 2 of") ? "" : answer);
    const { note, reports } = await told({ spoil });
    const { read } = reports[0] as SummaryReport;
    expect(read.credited).toBeLessThan(read.bytes);
    expect(read.credited).toBeGreaterThan(0);
    expect(note).toMatch(/^- `t7` .*lib\/final\.rs:88/m);
  });
});
