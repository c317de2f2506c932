// The recorded sessions beside the project, each replayed under the default policy, under `safe`, and masked.
import { basename, dirname } from "node:path";
import { DEFAULT_POLICY, PROFILES, parsePolicy } from "../src/config/index.ts";
import { openSession } from "../src/formats/index.ts";
import { hostDecisions, type NeedleCounts, type ReplayReport, replay, replayMask, replayTruncation } from "../src/replay/index.ts";
import { recordingFiles } from "./recordings.ts";

export interface Replayed {
  /** Folder and file. */
  readonly name: string;
  readonly ours: ReplayReport;
  readonly safe: ReplayReport;
  readonly mask: ReplayReport;
  /** No more of any result than its first and last 1,000 characters. */
  readonly truncation: ReplayReport;
  /** With what its host compacted itself; absent where it did not. */
  readonly honoured?: ReplayReport;
  /** Long enough to be held to a target, and no earlier state of another file. */
  readonly gated: boolean;
}

/** Shorter recordings are listed only. */
export const LEAST_REQUESTS = 100;

const SAFE = parsePolicy(JSON.stringify(PROFILES.safe), "safe");

let replayed: Promise<readonly Replayed[]> | undefined;

/** All that a reader knows; read once in a process. */
export function replayRecordings(): Promise<readonly Replayed[]> {
  replayed ??= replayAll();
  return replayed;
}

async function replayAll(): Promise<readonly Replayed[]> {
  const found: Replayed[] = [];
  for (const file of recordingFiles()) {
    const opened = await openSession(file).catch(() => undefined);
    if (!opened) continue;
    const { session, close } = opened;
    const ours = replay(session, DEFAULT_POLICY.condense);
    found.push({
      name: `${basename(dirname(file))}/${basename(file)}`,
      ours,
      safe: replay(session, SAFE.condense),
      mask: replayMask(session),
      truncation: replayTruncation(session),
      ...(hostDecisions(session) > 0 && { honoured: replay(session, DEFAULT_POLICY.condense, { hosts: "honoured" }) }),
      gated: ours.cache.requests >= LEAST_REQUESTS && !file.includes(".earlier-snapshot."),
    });
    close();
  }
  return found;
}

/** Condensed context in per cent of the whole. */
export function contextShare({ context }: ReplayReport): number {
  return (100 * context.averageCondensed) / context.averageFull;
}

export function floorShare({ context }: ReplayReport): number {
  return (100 * context.floor) / context.averageFull;
}

/** Needles of several recordings counted as one. */
export function pooled(reports: readonly ReplayReport[], kind: "facts" | "edits"): NeedleCounts {
  const sum = (key: keyof NeedleCounts) => reports.reduce((all, { needles }) => all + needles[kind][key], 0);
  return { total: sum("total"), visible: sum("visible"), oldTotal: sum("oldTotal"), oldVisible: sum("oldVisible") };
}

export function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}
