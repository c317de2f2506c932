// palimpsest replay as people and scripts run it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));
const EAGER = ["--set", "condense.triggers.everyRequests=8", "--set", "condense.triggers.minContext=0", "--set", "condense.triggers.minSaving=100"];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-replay-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function replayed(...args: readonly string[]) {
  const ran = spawnSync(process.execPath, [bin, "replay", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    input: "",
    encoding: "utf8",
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

test("prints the requests at which something happened, and the figures", () => {
  const { code, out, err } = replayed(example, ...EAGER, "--mask");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^pi session [-0-9a-f]+: \d+ requests\n\nrequest +full +condensed +epoch/);
  expect(out).toMatch(
    /\n +\d+ +[\d,]+ +[\d,]+ +(?:cadence|cold-cache|final-reply): saves [\d,]+ tokens, sends [\d,]+ anew, earned back (?:at once|never|after \d+) +rewritten, (?:warm|cold)/,
  );
  expect(out).toMatch(/\nnot shown: \d+ requests at which nothing happened; --all shows them\n/);
  expect(out).toMatch(/facts visible +\d+ of \d+ +\d+ of \d+\n/);
  expect(out).toMatch(/\nlost +0 +0\n/);
});

test("--all prints every request", () => {
  const { out } = replayed(example, ...EAGER, "--all");
  const requests = Number(/: (\d+) requests/.exec(out)?.[1]);
  expect(out.split("\n\n")[1]?.split("\n")).toHaveLength(requests + 1);
});

test("--json holds the figures of the contract and one row for each request", () => {
  const { code, out } = replayed(example, "--json", "--mask");
  const report = JSON.parse(out);
  expect(code).toBe(0);
  const counts = { total: expect.any(Number), visible: expect.any(Number), oldTotal: expect.any(Number), oldVisible: expect.any(Number) };
  const figures = {
    context: { averageFull: expect.any(Number), averageCondensed: expect.any(Number), floor: expect.any(Number) },
    needles: { facts: counts, edits: counts, arguments: { total: expect.any(Number), visible: expect.any(Number) }, oneRecall: expect.any(Number), lost: 0 },
    cache: {
      requests: report.session.requests,
      warmRewrites: expect.any(Number),
      coldRewrites: expect.any(Number),
      costFull: expect.any(Number),
      costCondensed: expect.any(Number),
      costWithRecalls: expect.any(Number),
    },
  };
  expect(report).toMatchObject({ version: 1, session: { format: "pi" }, hosts: "ignored", ...figures, mask: figures, diagnostics: [] });
  expect(report.requests).toHaveLength(report.session.requests);
});

test("an entry that is not there is an input that failed", () => {
  const { code, err } = replayed(example, "--at", "nowhere");
  expect(code).toBe(2);
  expect(err).toContain("unknown-entry");
});

test("a session at which nothing happened says so", () => {
  const { out } = replayed(example, "--set", "condense.triggers.minContext=1000000");
  expect(out).toMatch(/^pi session [-0-9a-f]+: 50 requests\n\nNothing happened at any request; --all shows them\.\n\n {2,}condensed\n/);
});
