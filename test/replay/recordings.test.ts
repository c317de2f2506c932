// Every recorded session replayed under the default policy and masked: whatever its agent used is in view or one recall away.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/config/index.ts";
import { openSession } from "../../src/formats/index.ts";
import { type ReplayReport, replay, replayMask } from "../../src/replay/index.ts";

const corpus = fileURLToPath(new URL("../../../shared/corpus/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:jsonl|traj)$/.test(name)) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recorded sessions are not there; only the example is replayed");
const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));
const files = [example, ...recordings.map((name) => join(corpus, name))];

/** A rewrite without an epoch, or an epoch that rewrote nothing that was sent, would break the promise of a stable prefix. */
function unexplained({ rows }: ReplayReport): number[] {
  return rows.filter(({ rewrite, epoch }) => (rewrite !== undefined) !== (epoch !== undefined && epoch.rewritten.tokens > 0)).map(({ request }) => request);
}

test.each(files)("%s", { timeout: 60_000 }, async (file) => {
  const { session, close } = await openSession(file);
  const [ours, mask] = [replay(session, DEFAULT_POLICY.condense), replayMask(session)];
  close();
  expect({ lost: ours.needles.lost, masked: mask.needles.lost, unexplained: unexplained(ours) }).toEqual({ lost: 0, masked: 0, unexplained: [] });
  for (const key of ["facts", "edits"] as const) {
    expect(ours.needles[key].total).toBe(mask.needles[key].total);
    expect(ours.needles[key].oldTotal).toBe(mask.needles[key].oldTotal);
  }
  expect(ours.context.averageFull).toBe(mask.context.averageFull);
  expect(ours.cache.costFull).toBe(mask.cache.costFull);
  expect(ours.context.averageCondensed).toBeLessThanOrEqual(ours.context.averageFull);
  expect(ours.cache.warmRewrites).toBeLessThanOrEqual(ours.cache.requests / 20);
});
