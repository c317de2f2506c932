// condense --explain and the object of --json: why each result is shown as it is, and every key that scripts may rely on.
import { afterAll, expect, test } from "vitest";
import { desk } from "../build/command.ts";
import { piSession } from "../build/pi-records.ts";

const { file, run, json, clear } = desk("explain");
afterAll(clear);
const RESULTS = 14;

test("every epoch with its price, and a reason for every result", () => {
  const session = file("session.jsonl", piSession(RESULTS));
  const { code, out, err } = run(["condense", session, "--explain", "--keep-last", "4", "--protect", "src/2.ts"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const [, epochs = ""] = out.split("\nepochs, what each saves and sends anew in tokens\n");
  expect(epochs).toMatch(/^ {2}block +cause +request +results +calls +saves +sent anew +earned back\n {2}b\d+ +[a-z-]+ +\d+ +\d+ +\d+ +[\d,]+ +[\d,]+ +\w/);
  const [, results = ""] = out.split("\nresults, in tokens before and after\n");
  const rows = results.split("\n").filter((line) => line.startsWith("  t"));
  expect(rows.map((row) => row.trim().split(/\s+/)[0])).toEqual(Array.from({ length: RESULTS }, (_, index) => `t${index + 1}`));
  expect(rows[1]).toMatch(/^ {2}t2 +read +src\/2\.ts +([\d,]+) +\1 +protected +\S/);
  expect(rows[0]).toMatch(/^ {2}t1 +read +src\/1\.ts +[\d,]+ +[\d,]+ +condensed +\S/);
  expect(rows.at(-1)).toMatch(/ kept +\S/);
  expect(out).toMatch(
    /\nnext\n {2}.*palimpsest\S* condense .*session\.jsonl --copy --keep-last 4 --protect src\/2\.ts +a condensed copy that Pi resumes\n {2}.*palimpsest\S* recall .*session\.jsonl t\d+ /,
  );
});

test("--json holds every key of the contract, and a row for each result", () => {
  const report = json(["condense", file("contract.jsonl", piSession(RESULTS)), "--keep-last", "4"]);
  const number = expect.any(Number);
  const counts = { total: number, visible: number, oldTotal: number, oldVisible: number };
  expect(report).toMatchObject({
    version: 1,
    session: { format: "pi", id: "11111111-2222-4333-8444-555555555555", entries: RESULTS * 3 + 2, requests: RESULTS + 1 },
    tokens: { before: number, after: number },
    results: { total: RESULTS, condensed: RESULTS - 4, spilled: 0, duplicates: 0, protected: 0, kept: 4 },
    recall: { checked: RESULTS - 4, exact: RESULTS - 4 },
    context: { averageFull: number, averageCondensed: number, floor: number },
    needles: { facts: counts, edits: counts, arguments: { total: number, visible: number }, oneRecall: number, lost: 0 },
    cache: { requests: number, warmRewrites: number, coldRewrites: number, costFull: number, costCondensed: number, costWithRecalls: number },
    diagnostics: [],
  });
  const refs = report.refs as { ref: string; fate: string; before: number; after: number; because: string }[];
  expect(refs.map(({ ref }) => ref)).toEqual(Array.from({ length: RESULTS }, (_, index) => `t${index + 1}`));
  for (const { fate, before, after, because } of refs) {
    expect(because).not.toBe("");
    if (fate === "kept") expect(after).toBe(before);
    else expect(after).toBeLessThan(before);
  }
});

test("a session without results, and one where none is worth it, say so", () => {
  expect(run(["condense", "-"], { input: piSession(0) }).out).toMatch(/0 results\n[\s\S]*\nNo result of a tool is recorded: there is nothing to condense\.\n$/);
  const { out } = run(["condense", file("short.jsonl", piSession(1))]);
  expect(out).toMatch(/, 2 requests, 1 result\n/);
  expect(out).toContain("\nNothing here is worth condensing: --explain says why, for each result.\n");
});
