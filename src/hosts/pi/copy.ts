// Writes a condensed copy of a Pi session: all its records in a new file, and one batch of edits at the end of the path.
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { CondensePolicy } from "../../config/index.ts";
import {
  CopyError,
  type CopyOptions,
  type CopyPlan,
  type CopyReport,
  type CopySource,
  checkedSource,
  checkingCopy,
  checkPlace,
  copyTokens,
  DraftFile,
  expectedItems,
  explainedFault,
  notVerified,
  putInPlace,
  shellWord,
} from "../../copies/index.ts";
import { heldDraft, jsonText, openSession, type RawRecord, scanFile, syncFolder } from "../../formats/index.ts";
import { withPauses } from "../../session/index.ts";
import { type Batch, batchOf, chained, Originals } from "./batch.ts";
import { migrated, RecordIds } from "./migrate.ts";

/** The policy of a copy: without folds, which no record of Pi can show. */
export function copyPolicy(policy: CondensePolicy): CondensePolicy {
  return { ...policy, chains: { ...policy.chains, fold: false } };
}

/**
 * Writes a copy that `pi --session` opens, beside its source unless `options.path` names a folder or a file. It comes under a temporary name,
 * is read back and compared, and only then gets its own. The source is only read, and the copy needs it no more.
 *
 * ```ts
 * const report = await writeCopy(copyPlan(condensed), opened, { path: "copies/" });
 * ```
 * @throws CopyError, and then nothing is left behind
 */
export async function writeCopy(plan: CopyPlan, source: CopySource, options: CopyOptions = {}): Promise<CopyReport> {
  const size = checkedSource(source, "pi");
  const made = { id: randomUUID(), time: new Date() };
  const path = targetPath(source.path, made, options.path);
  checkPlace(path);
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  let file: DraftFile | undefined;
  let removeDraft: (() => void) | undefined;
  try {
    if (options.dryRun) return report(plan, await survey(plan, source, size, path, made.time), { path, id: made.id, written: false, checked: 0 });
    file = new DraftFile(draft);
    removeDraft = heldDraft(draft);
    const copied = await copyInto(file, plan, source, size, { ...made, path });
    if (copied.batch.drafts.length === 0) return report(plan, copied, { path, id: made.id, written: false, checked: 0 });
    file.finish();
    const checked = await verified(draft, plan, source, copied.batch);
    putInPlace(draft, path);
    syncFolder(path);
    return report(plan, copied, { path, id: made.id, written: true, checked });
  } catch (error) {
    throw explainedFault(path, error);
  } finally {
    file?.close();
    removeDraft?.();
  }
}

interface Made {
  readonly id: string;
  readonly time: Date;
}

function targetPath(source: string, { id, time }: Made, wanted: string | undefined): string {
  const name = `${time.toISOString().replace(/[:.]/g, "-")}_${id}.jsonl`;
  if (wanted === undefined) return join(dirname(resolve(source)), name);
  if (wanted === "" || wanted === "-")
    throw new CopyError("copy-bad-path", `expected a folder or a file for the copy, found ${JSON.stringify(wanted)}. Name one.`);
  if (/[\\/]$/.test(wanted) || statSync(wanted, { throwIfNoEntry: false })?.isDirectory()) return join(resolve(wanted), name);
  return resolve(wanted.endsWith(".jsonl") ? wanted : `${wanted}.jsonl`);
}

interface Copied {
  readonly batch: Batch;
  /** The batch as records of the copy. */
  readonly records: readonly object[];
  readonly damaged: number;
  readonly parted: number;
}

/** What a copy would hold, without one. */
function survey(plan: CopyPlan, source: CopySource, size: number, path: string, time: Date): Promise<Copied> {
  return walk(
    plan,
    source,
    size,
    { path, time },
    () => {},
    () => {},
  );
}

/** The header, every record in order, and the batch. */
async function copyInto(file: DraftFile, plan: CopyPlan, source: CopySource, size: number, made: Made & { readonly path: string }): Promise<Copied> {
  let begun = false;
  const begin = (header: object) => {
    if (!begun) file.line(JSON.stringify(headerOf(header, source, made)));
    begun = true;
  };
  const copied = await walk(
    plan,
    source,
    size,
    made,
    (record, ids) => {
      if (ids.isHeader(record)) return begin(record.value as object);
      begin({});
      file.record(migrated(record, ids));
    },
    (damage) => {
      begin({});
      file.damage(damage);
    },
  );
  for (const record of copied.records) file.line(jsonText(record));
  return copied;
}

type TakeRecord = (record: RawRecord, ids: RecordIds) => void;
type TakeDamage = Parameters<typeof scanFile>[2]["damage"];

async function walk(
  plan: CopyPlan,
  source: CopySource,
  size: number,
  { path, time }: { readonly path: string; readonly time: Date },
  take: TakeRecord,
  damage: TakeDamage,
): Promise<Copied> {
  const ids = new RecordIds(source.session.identity.version);
  const originals = new Originals(plan, source.session, ids);
  const counts = { damaged: 0, parted: 0 };
  let line = 0;
  await scanFile(source.path, size, {
    record: (record) => {
      ids.add(record);
      originals.add(record);
      if (record.range.line === line) counts.parted += 1;
      line = record.range.line;
      take(record, ids);
    },
    damage: (piece) => {
      counts.damaged += 1;
      damage(piece);
    },
  });
  const batch = batchOf(plan, originals, { path });
  return { ...counts, batch, records: chained(batch.drafts, plan.head, ids, time) };
}

/** The header of the source with what is the copy's own. Its parent is the source, which Pi and we only name. */
function headerOf(header: object, { session: { identity }, path }: CopySource, { id, time }: Made): object {
  const cwd = identity.cwd ?? process.cwd();
  return { type: "session", ...header, version: 3, id, timestamp: time.toISOString(), cwd, parentSession: resolve(path) };
}

async function verified(draft: string, plan: CopyPlan, source: CopySource, { shown, note }: Batch): Promise<number> {
  const copy = await openSession(draft);
  try {
    const checked = await withPauses(checkingCopy(expectedItems(plan.before, { ...shown, note }), source.session, copy.session));
    if (typeof checked === "number") return checked;
    throw notVerified(source.path, checked);
  } finally {
    copy.close();
  }
}

function report({ before }: CopyPlan, { batch, damaged, parted }: Copied, made: Pick<CopyReport, "path" | "id" | "written" | "checked">): CopyReport {
  const { results, inputs, messages } = batch.shown;
  return Object.freeze({
    format: "pi",
    ...made,
    resume: `pi --session ${shellWord(made.path)}`,
    results: results.size,
    calls: inputs.size,
    messages: messages.size,
    ...copyTokens(before, batch.drafts.length === 0 ? batch.shown : { ...batch.shown, note: batch.note }),
    left: batch.left,
    note: batch.ref ?? null,
    damaged,
    parted,
    files: [],
  });
}
