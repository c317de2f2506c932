// Chains whose results a model told of, folded: the model makes one summary of its summaries, or each stands for itself.
import { expect, test } from "vitest";
import { condenseTelling, recallHidden } from "../../src/condense/index.ts";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { bodyText, type Decision, type FoldDecision } from "../../src/session/index.ts";
import { Log } from "../build/log.ts";
import { type HonestOptions, honestModel } from "./honest.ts";

const POLICY = {
  ...DEFAULT_POLICY.condense,
  keepNewest: 1,
  chains: { fold: true, rollingWindow: 0 },
  recallGrace: 0,
  triggers: { ...DEFAULT_POLICY.condense.triggers, everyRequests: 3, finalReply: 1, minSaving: 100, minContext: 100 },
};

/** A task of several epochs that was brought to its end, and a message behind it. */
function worked() {
  const log = new Log();
  log.user("Look at all of it.");
  for (let at = 0; at < 8; at++) {
    const lines = Array.from({ length: 40 }, (_, line) => `export function handlerOf${at}Part${line}(request: Request): Response { return reply(${line}); }`);
    log.step(`c${at}`, lines.join("\n"));
  }
  log.assistant("All of it is as it should be.");
  log.user("Thank you. What now?");
  log.assistant("Nothing.");
  log.user("Good.");
  return log.session;
}

async function folded(spoil: HonestOptions["spoil"] = (answer) => answer) {
  const model = honestModel({ spoil });
  const usage = () => ({ model: model.name, calls: model.requests.length, unreported: 0 });
  const run = await condenseTelling(worked(), POLICY, { model, policy: { ...POLICY.summaries, names: 0 }, usage });
  const decisions = run.session.path(run.head).map(({ entry }) => entry.data as Decision);
  const folds = decisions.filter((decision): decision is FoldDecision => decision.kind === "fold");
  return { run, model, folds, fold: bodyText((folds[0] as FoldDecision).body), attempts: decisions.filter((each) => each.kind === "attempt") };
}

const isFusion = (prompt: string) => prompt.includes("Make one summary of them");

test("its answer is the block's summary, its refs are those of the parts, and nothing is lost", async () => {
  const { run, folds, fold, attempts, model } = await folded();
  expect(model.requests.some(({ messages }) => isFusion(messages[0]?.text ?? ""))).toBe(true);
  expect(folds[0]?.by).toBe("model");
  const [, summary = ""] = fold.split("\nSummary:\n");
  expect(summary).toMatch(/^\| .*`t1`/);
  for (const n of [1, 2, 3, 4, 5, 6, 7]) expect(fold).toMatch(new RegExp(`^- \`t${n}\` read `, "m"));
  const { checked, exact } = recallHidden(run);
  expect(exact).toBe(checked);
  expect(attempts).toContainEqual(expect.objectContaining({ what: "fuse", phase: "done", counts: { fused: 1 } }));
});

test("refs that it makes up are taken out", async () => {
  const { fold } = await folded((answer, prompt) => (isFusion(prompt) ? answer.replace(/\n- /, "\n- `t99` and `b77` say so. ") : answer));
  expect(fold).toContain("say so.");
  expect(fold).not.toMatch(/t99|b77/);
});

test.each([
  ["nothing", () => "", "empty"],
  ["more than there was", (answer: string) => answer.replace(/\n- /, `\n- ${"word ".repeat(5000)}`), "larger"],
  ["an answer to a prompt that was cut", (answer: string) => answer.split("\n").slice(1).join("\n"), "no-head"],
])("where it gives %s, the summaries stand one by one", async (_, change, code) => {
  const { run, fold, attempts } = await folded((answer, prompt) => (isFusion(prompt) ? change(answer) : answer));
  expect(fold).not.toContain("\nSummary:\n");
  expect(fold).toMatch(/^Summary `b\d+`:$/m);
  expect(attempts).toContainEqual(expect.objectContaining({ what: "fuse", phase: "failed", code }));
  const { checked, exact } = recallHidden(run);
  expect(exact).toBe(checked);
});
