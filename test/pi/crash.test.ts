// A Pi that is killed within a batch, or whose batch another extension drops: any beginning of it opens again, loses nothing and is finished.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import { type ExtensionFactory, SessionManager } from "@earendil-works/pi-coding-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, calls, output, type PiRun, pi, SOON, say, textOf } from "./harness.ts";
import { expectOnce, expectOracle, expectRecalled, type FileRecord, isOurs, pathOf, recordsOf } from "./oracle.ts";

/** An answer that repeats what stubs may leave out once it is known: made again after it, they would be others. */
const talk = fauxAssistantMessage([fauxText([0, 1, 2].map((n) => output(n, 60)).join("\n")), fauxToolCall("dump", { n: 50 }, { id: "call_50" })], {
  stopReason: "toolUse",
});

/** Runs whose last turn ends with a batch: stubs, and a result too large to be shown once. */
const RUNS = {
  condensed: { answers: [call(0), call(1), call(2), call(3), say("done")], policy: SOON },
  spilled: { answers: [calls({ n: 0 }, { n: 1, lines: 900 }, { n: 2, lines: 901 }), say("done")], policy: { condense: { triggers: { finalReply: 0 } } } },
} as const;
const SIZES = { condensed: [120, 120, 120], spilled: [120, 900, 901] } as const;

describe.each(["condensed", "spilled"] as const)("a batch of %s results", (kind) => {
  let run: PiRun;
  /** The lines of the file up to the first batch, and the batch. */
  let before: string[];
  let batch: string[];
  beforeAll(async () => {
    run = await pi(RUNS[kind]);
    await run.session.prompt("go");
    const lines = readFileSync(run.file, "utf8").trimEnd().split("\n");
    const first = recordsOf(run.file).findIndex(isOurs);
    const end = recordsOf(run.file).findIndex((record) => isOurs(record) && record.data?.kind === "epoch") + 1;
    before = lines.slice(0, first);
    batch = lines.slice(first, end);
    expect(batch.length).toBeGreaterThan(3);
  });
  afterAll(() => run.close());

  const originals = Object.fromEntries<string>(SIZES[kind].map((lines, n) => [`t${n + 1}`, output(n, lines)]));

  /** Pi goes on from a file of these bytes for one call and a reply. */
  async function goesOn(text: string, name: string): Promise<PiRun> {
    const file = join(run.folder, `${kind}-${name}.jsonl`);
    writeFileSync(file, text);
    const next = await pi({ answers: [talk, say("after")], folder: run.folder, manager: () => SessionManager.open(file), policy: RUNS[kind].policy });
    await next.session.prompt("go on");
    return next;
  }

  test("killed after each of its entries it is finished at the next boundary, and the prefix stays", async () => {
    for (let count = 0; count <= batch.length; count++) {
      const next = await goesOn(`${[...before, ...batch.slice(0, count)].join("\n")}\n`, `after-${count}`);
      expect(next.errors).toEqual([]);
      expectOnce(next.file);
      await expectOracle(next);
      await expectRecalled(next.file, originals);
      if (count > 0) expect(stubsIn(pathOf(recordsOf(next.file))), `after ${count}`).toEqual(stubsIn(batch.map((line) => JSON.parse(line))));
      const [first, second] = next.requests.map((messages) => messages.filter(({ role }) => role === "toolResult").slice(0, SIZES[kind].length));
      if (count > 0) expect(second?.map(textOf), `after ${count}`).toEqual(first?.map(textOf));
      await next.close();
    }
  });

  test("killed within the line of each entry it opens, loses nothing and is finished", async () => {
    for (let count = 1; count <= batch.length; count++) {
      const whole = [...before, ...batch.slice(0, count)].join("\n");
      const next = await goesOn(whole.slice(0, -20), `within-${count}`);
      expectOnce(next.file);
      await expectOracle(next);
      await expectRecalled(next.file, originals);
      await next.close();
    }
  });
});

/** How the stub of each target of the first batch begins: with its ref, and with what the text itself begins with. */
function stubsIn(records: readonly FileRecord[]): Record<string, string | undefined> {
  const opens = records.find(isOurs);
  const edits = new Map(records.map(({ targetId, replacement }) => [targetId, replacement?.content[0]?.text?.split("\n").slice(0, 3).join("\n")]));
  return Object.fromEntries((opens?.data?.targets ?? []).map(({ entry }) => [entry, edits.get(entry) ?? "none"]));
}

test("a process that is really killed between two entries of a batch leaves a session that goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-pi-"));
  const child = fileURLToPath(new URL("killed.ts", import.meta.url));
  const { signal } = spawnSync(process.execPath, [child, folder, "3"], { encoding: "utf8" });
  expect(signal).toBe("SIGKILL");
  const [name] = readdirSync(join(folder, "sessions"));
  const file = join(folder, "sessions", name as string);
  expect(
    recordsOf(file)
      .slice(-3)
      .map(({ type }) => type),
  ).toEqual(["custom", "custom_message", "context_edit"]);
  const next = await pi({ answers: [call(3), say("done")], folder, manager: () => SessionManager.open(file) });
  await next.session.prompt("go on");
  expect(next.errors).toEqual([]);
  expectOnce(file);
  await expectOracle(next);
  await expectRecalled(file, Object.fromEntries([0, 1, 2, 3].map((n) => [`t${n + 1}`, output(n)])));
  await next.close();
  rmSync(folder, { recursive: true });
});

describe("another extension", () => {
  const answers = [call(0), call(1), call(2), call(3), call(4), say("done"), call(5), say("done again"), say("and again")];
  const cases: Readonly<Record<string, (pi: Parameters<ExtensionFactory>[0], isOn: () => boolean) => void>> = {
    "returns entries without ours": (api, isOn) => {
      for (const event of ["turn_end", "agent_before_settle"] as const)
        api.on(event as "turn_end", () => (isOn() ? { entries: [{ type: "custom", customType: "other", data: {} }] } : undefined));
    },
    "adds a draft that is invalid": (api, isOn) => {
      for (const event of ["turn_end", "agent_before_settle"] as const)
        api.on(event as "turn_end", ({ entries }) =>
          isOn() ? { entries: [...entries, { type: "context_edit", targetId: "nope", replacement: null }] } : undefined,
        );
    },
    "leaves our edits out": (api, isOn) => {
      for (const event of ["turn_end", "agent_before_settle"] as const)
        api.on(event as "turn_end", ({ entries }) => (isOn() ? { entries: entries.filter(({ type }) => type !== "context_edit") } : undefined));
    },
    "leaves our epoch out": (api, isOn) => {
      for (const event of ["turn_end", "agent_before_settle"] as const)
        api.on(event as "turn_end", ({ entries }) =>
          isOn() ? { entries: entries.filter((each) => !(each.type === "custom" && (each.data as { kind?: string }).kind === "epoch")) } : undefined,
        );
    },
  };

  test.each(Object.keys(cases))("that %s only puts the batch off", async (name) => {
    let boundaries = 0;
    const other: ExtensionFactory = (api) => {
      api.on("turn_end", () => {
        boundaries += 1;
      });
      cases[name]?.(api, () => boundaries <= 4);
    };
    const run = await pi({ answers, after: [other], policy: SOON });
    await run.session.prompt("go");
    await run.session.prompt("go on");
    await run.session.prompt("and on");
    const last = run.requests.at(-1) ?? [];
    const results = last.filter(({ role }) => role === "toolResult").map(textOf);
    expect(results).toHaveLength(6);
    for (const text of results.slice(0, 4)) expect(text).toMatch(/^\[t\d dump/);
    await expectOracle(run);
    await expectRecalled(run.file, Object.fromEntries(results.map((_, n) => [`t${n + 1}`, output(n)])));
    if (name !== "leaves our edits out") expectOnce(run.file);
    // Nothing is named by two batches: no note of one that came to nothing stands in the context beside the one that is true.
    const named = recordsOf(run.file).flatMap((record) => (record.data?.kind === "batch" ? record.data.targets.map(({ entry }) => entry) : []));
    expect(named).toEqual([...new Set(named)]);
    expect(
      recordsOf(run.file)
        .flatMap(({ type, targetId }) => (type === "context_edit" ? [targetId] : []))
        .sort(),
    ).toEqual(named.sort());
    await run.close();
  });
});
