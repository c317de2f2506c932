// A run of 40 calls over 3 prompts in the real Pi, and the same session resumed, forked, on another branch and without the extension.
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, output, type PiRun, pi, type Sent, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, expectRecalled, recordsOf } from "./oracle.ts";

const ANSWERS = [
  ...Array.from({ length: 14 }, (_, n) => call(n)),
  say("one done"),
  ...Array.from({ length: 14 }, (_, n) => call(14 + n)),
  say("two done"),
  ...Array.from({ length: 12 }, (_, n) => call(28 + n)),
  say("three done"),
];

/** Results that the request must hold, and how many of them as stubs: the policy asks for an epoch after 21 requests and keeps the newest 8. */
function due(request: number): { readonly results: number; readonly stubs: number } {
  const finals = [15, 30, 43].filter((final) => final < request).length;
  const results = request - 1 - finals;
  return { results, stubs: request < 22 ? 0 : request < 43 ? 12 : 32 };
}

function resultsOf(messages: readonly Sent[]): string[] {
  return messages.filter(({ role }) => role === "toolResult").map(textOf);
}

function notesOf(messages: readonly Sent[]): string[] {
  return messages
    .filter(({ role }) => role === "user")
    .map(textOf)
    .filter((text) => text.includes("automatic note"));
}

/** The stub of result `n`: its ref first, then what the extract holds of it. */
function expectStub(text: string | undefined, n: number): void {
  expect(text).toMatch(new RegExp(`^\\[t${n + 1} dump: 120 lines, [\\d,]+ bytes\\]\n`));
  expect(text).toContain(`handler${n}_0`);
  expect(Buffer.byteLength(text ?? "")).toBeLessThan(Buffer.byteLength(output(n)));
}

let run: PiRun;
beforeAll(async () => {
  run = await pi({ answers: ANSWERS });
  for (const prompt of ["one", "two", "three"]) await run.session.prompt(prompt);
});
afterAll(() => run.close());

describe("40 calls over 3 prompts", () => {
  test("each request holds every result, old ones as stubs that begin with their ref", () => {
    expect(run.errors).toEqual([]);
    expect(run.requests).toHaveLength(43);
    for (const [at, messages] of run.requests.entries()) {
      const { results, stubs } = due(at + 1);
      const texts = resultsOf(messages);
      expect(texts, `request ${at + 1}`).toHaveLength(results);
      for (const [n, text] of texts.entries()) {
        if (n < stubs) expectStub(text, n);
        else expect(text).toBe(output(n));
      }
    }
  });

  test("the prefix changes with an epoch and at no other request", () => {
    const changed = run.requests.flatMap((messages, at) => {
      const before = run.requests[at - 1] ?? [];
      return JSON.stringify(messages.slice(0, before.length)) === JSON.stringify(before) ? [] : [at + 1];
    });
    expect(changed).toEqual([22, 43]);
    expect(recordsOf(run.file).filter(({ data }) => data?.kind === "epoch")).toHaveLength(2);
  });

  test("the note of each batch names its block and the refs of its stubs, and is no word of the user", () => {
    const notes = notesOf(run.requests.at(-1) ?? []);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/^\[b1 automatic note, not from the user: 12 results .*: t1 to t12\./);
    expect(notes[1]).toMatch(/^\[b2 automatic note, not from the user: 20 results .*: t13 to t32\./);
  });

  test("the file shows at each place what the provider received there", () => expectOracle(run));

  test("every original comes back, and nothing is condensed twice", async () => {
    await expectRecalled(run.file, Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`t${n + 1}`, output(n)])));
    expectOnce(run.file);
  });
});

/** The model reads a ref with the tool. */
const ask = (ref: string) => fauxAssistantMessage([fauxToolCall("context_tree_query", { ref }, { id: "ask" })], { stopReason: "toolUse" });

/** What one call of the tool gave back: the original behind the tool's own words, to its end. */
function expectAnswered(next: PiRun, request: number, text: string): void {
  const last = next.requests[request]?.at(-1) as Sent;
  expect(last.role).toBe("toolResult");
  expect(textOf(last).endsWith(text)).toBe(true);
}

/** The session goes on from a file for one prompt, at which the model reads t1. */
async function resumed(file: string, options: { readonly with?: boolean } = {}): Promise<PiRun> {
  const next = await pi({
    answers: [options.with === false ? say("more done") : ask("t1"), say("more done")],
    folder: run.folder,
    manager: () => SessionManager.open(file),
    ...options,
  });
  await next.session.prompt("more");
  return next;
}

describe("the session of the run", () => {
  test("after quitting and resuming the next request holds the same bytes and goes on behind them", async () => {
    const copy = copied(run.file);
    const next = await resumed(copy);
    const last = run.requests.at(-1) ?? [];
    expect(next.requests[0]?.slice(0, last.length)).toEqual(last);
    expect(next.requests[0]?.slice(last.length).map(textOf)).toEqual(["three done", "more"]);
    expectAnswered(next, 1, output(0));
    await expectOracle(next);
    await expectRecalled(copy, { t1: output(0), t32: output(31), t40: output(39) });
    await next.close();
  });

  test("a fork behind the first batch holds it, and its refs lead to the originals", async () => {
    const end = recordsOf(run.file).find(({ message }) => message?.role === "assistant" && message.stopReason === "stop")?.id as string;
    const second = recordsOf(run.file).filter(({ message }) => message?.stopReason === "stop")[1]?.id as string;
    for (const [at, stubs, results] of [
      [end, 0, 14],
      [second, 12, 28],
    ] as const) {
      const file = SessionManager.open(run.file).createBranchedSession(at) as string;
      const next = await resumed(file);
      const texts = resultsOf(next.requests[0] ?? []);
      expect(texts).toHaveLength(results);
      expect(texts.filter((text) => text.startsWith("[t"))).toHaveLength(stubs);
      expectAnswered(next, 1, output(0));
      await expectOracle(next);
      await expectRecalled(file, { t1: output(0), t14: output(13) });
      await next.close();
    }
  });

  test("another branch is raw where it left before a batch, and condensed again back at the tip", async () => {
    const file = copied(run.file);
    const [, two] = recordsOf(file).filter(({ message }) => message?.role === "user");
    const next = await pi({
      answers: [call(90), ask("t15"), say("aside"), ask("t15"), say("back")],
      folder: run.folder,
      manager: () => SessionManager.open(file),
    });
    const tip = next.session.sessionManager.getLeafId() as string;
    await next.session.navigateTree(two?.id as string);
    await next.session.prompt("another two");
    const aside = resultsOf(next.requests[1] ?? []);
    expect(aside).toHaveLength(15);
    for (const [n, text] of aside.slice(0, 14).entries()) expect(text).toBe(output(n));
    expectAnswered(next, 2, output(90));
    await expectRecalled(file, { t15: output(90) });
    await next.session.navigateTree(tip);
    await next.session.prompt("back");
    const back = resultsOf(next.requests[3] ?? []);
    expect(back).toHaveLength(40);
    for (const [n, text] of back.slice(0, 32).entries()) expectStub(text, n);
    expectAnswered(next, 4, output(14));
    await expectOracle(next);
    await expectRecalled(file, { t15: output(14) });
    expectOnce(file);
    await next.close();
  });

  test("with the extension removed Pi opens it and shows the condensed context", async () => {
    const next = await resumed(copied(run.file), { with: false });
    const last = run.requests.at(-1) ?? [];
    expect(next.requests[0]?.slice(0, last.length)).toEqual(last);
    expect(next.errors).toEqual([]);
    await next.close();
  });
});

let copies = 0;
function copied(file: string): string {
  const copy = join(dirname(file), `copy-${++copies}.jsonl`);
  copyFileSync(file, copy);
  return copy;
}
