// A file that grows from snapshot to snapshot, read on each time.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Opened, openSession, resume } from "../../src/formats/index.ts";
import { isShowable, recordId, sha256 } from "../../src/session/index.ts";
import { expectReading } from "./expected.ts";
import { type ExpectedReading, readJson, VECTORS } from "./vectors.ts";

interface Snapshot {
  readonly file: string;
  readonly consumedTo: number;
  readonly sha256OfConsumed: string;
  readonly resumeFromPrevious: string | null;
  readonly expected: ExpectedReading;
}

/** Names of the growing cases. */
export function growingCases(): string[] {
  return readdirSync(join(VECTORS, "growing"));
}

/** Writes one snapshot after the other to `path` and compares what is read each time; gives the number of snapshots. */
export async function expectGrowing(name: string, path: string): Promise<number> {
  const { snapshots } = readJson<{ snapshots: Snapshot[] }>(join(VECTORS, "growing", name, "expected.json"));
  let opened: Opened | undefined;
  let ids: string[] = [];
  for (const { file, consumedTo, sha256OfConsumed, resumeFromPrevious, expected } of snapshots) {
    writeFileSync(path, readFileSync(join(VECTORS, "growing", name, file)));
    const before: Opened | undefined = opened;
    const now = before ? await resume(before) : { ...(await openSession(path)), how: undefined };
    opened = now;
    if (before) expect(resumeFromPrevious?.startsWith(String(now.how)), file).toBe(true);
    expectReading(now, expected);
    const offset = now.checkpoint?.resumeAt.offset as number;
    expect(offset).toBe(consumedTo);
    expect(sha256(readFileSync(path).subarray(0, offset))).toBe(sha256OfConsumed);
    const nowIds = [...now.session.entries()].filter(({ entry }) => isShowable(entry.data)).map(({ entry }) => recordId(entry.id));
    expect(nowIds.slice(0, ids.length)).toEqual(ids);
    ids = nowIds;
  }
  opened?.close();
  return snapshots.length;
}
