// Undoing: what was condensed stands again as it came. The request is a record of ours; the edits follow at Pi's next boundary.
import { randomUUID } from "node:crypto";
import { BATCH_TYPE, type BatchTarget, jsonText } from "../../formats/index.ts";
import { type EntryId, type Place, type Ref, recordId, type Session } from "../../session/index.ts";
import type { PlannedRecords } from "./batch.ts";
import { type Change, type Changed, changesOf, type Shown, shownIn } from "./changes.ts";
import type { BatchOnBranch, OurRecords, UndoData, UndoTarget } from "./records.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A record without id, parent and time, as an undo has them. */
export type UndoDraft =
  | { readonly type: "custom"; readonly customType: string; readonly data: { readonly version: 1; readonly kind: "undone"; readonly undo: string } }
  | { readonly type: "context_edit"; readonly targetId: string; readonly replacement: { readonly content: unknown } | null };

/** What to undo, or why there is nothing. */
export type UndoPlan = { readonly data: UndoData; readonly refs: readonly Ref[] } | { readonly why: string };

/**
 * What `ref` means to an undo: a result (`tN`), a cut argument or left-out thinking (`bN` of its own), a whole epoch (`bN` of its note); without
 * one the newest epoch that anything is left of.
 */
export function planUndo(live: Changed, ref: string | undefined): UndoPlan {
  const shown = shownIn(live.view());
  const left = (batch: BatchOnBranch) => leftOf(live, batch, shown);
  if (ref === undefined) {
    const newest = live.ours.batches.map(left).findLast(isAny);
    return newest ? undoOf(newest) : { why: "nothing is condensed here" };
  }
  const name = ref.toLowerCase() as Ref;
  const batch = live.ours.batches.findLast((each) => each.ref === name);
  if (batch) return isAny(left(batch)) ? undoOf(left(batch)) : { why: `nothing of ${name} is condensed now` };
  const place = /^[tb]\d+$/.test(name) ? live.session.resolve(name, live.head) : undefined;
  if (!place) return { why: `expected a ref of this branch, found ${JSON.stringify(ref)}: /palimpsest tree lists them` };
  return undoOne(live, name, place, shown);
}

function undoOne(live: Changed, name: Ref, place: Place, shown: Shown): UndoPlan {
  const { data } = place.entry;
  const target = data.kind === "replace" ? live.session.find(data.target) : place;
  if (!target) return { why: `${name} is nothing that Palimpsest condensed` };
  const entry = recordId(target.entry.id);
  const one = planned([{ entry, parts: data.kind === "result" ? "all" : [target.entry.id] }], [name]);
  if (live.ours.batches.some((batch) => leftOf(live, batch, shown).waiting.some((each) => each.entry === entry))) return one;
  const changes = live.ours.batches.flatMap((each) => changesOf(live, each, shown)).filter((change) => change.target === target);
  if (changes.length === 0) return { why: `${name} is nothing that Palimpsest condensed` };
  if (changes.every(({ state }) => state === "hidden")) return { why: `Pi's own compaction hides ${name}: /palimpsest recall ${name} reads it` };
  return changes.some(standsIn(live)) ? one : { why: `${name} is not condensed any more` };
}

/** What of a batch no undo has taken back, or is to. */
interface Left {
  readonly batch: BatchOnBranch;
  readonly changes: readonly Change[];
  /** Targets whose edits wait for the next boundary. */
  readonly waiting: readonly BatchTarget[];
}

function leftOf(live: Changed, batch: BatchOnBranch, shown: Shown): Left {
  const asked = askedFor(live.ours);
  return {
    batch,
    changes: changesOf(live, batch, shown).filter(standsIn(live)),
    waiting: batch.targets.filter(({ entry }) => !batch.edits.has(entry) && !asked.has(entry)),
  };
}

function isAny({ changes, waiting }: Left): boolean {
  return changes.length > 0 || waiting.length > 0;
}

function standsIn({ ours }: Changed): (change: Change) => boolean {
  const asked = askedFor(ours);
  return ({ state, target: { entry } }) => state === "condensed" && !asked.has(entry.id) && !asked.has(recordId(entry.id));
}

/** Records and parts of them for which an undo is asked already. */
function askedFor(ours: OurRecords): ReadonlySet<string> {
  return new Set(ours.undos.flatMap(({ targets }) => targets.flatMap(({ entry, parts }): readonly string[] => (typeof parts === "string" ? [entry] : parts))));
}

function undoOf({ batch, changes, waiting }: Left): UndoPlan {
  const parts = new Map<string, "all" | readonly EntryId[]>(waiting.map(({ entry }) => [entry, "all"]));
  for (const { target } of changes) {
    const entry = recordId(target.entry.id);
    const known = parts.get(entry) ?? [];
    parts.set(entry, known === "all" || target.entry.data.kind === "result" ? "all" : [...known, target.entry.id]);
  }
  const targets: UndoTarget[] = [...parts].map(([entry, each]) => ({ entry, parts: each }));
  if (batch.note !== undefined) targets.push({ entry: batch.note, parts: "gone" });
  return planned(targets, [...changes.map(({ ref }) => ref), ...waiting.flatMap(({ refs }) => refs)]);
}

function planned(targets: readonly UndoTarget[], refs: readonly Ref[]): UndoPlan {
  return { data: { version: 1, kind: "undo", undo: randomUUID().slice(0, 8), targets }, refs };
}

/**
 * The edits of what is to be undone and is not yet, and the records that close each undo whose edits are all there.
 *
 * @param pending New contents of records that are drafted and not written, by id.
 */
export function undoDrafts(ours: OurRecords, session: Session, records: PlannedRecords, pending: ReadonlyMap<string, unknown>): readonly UndoDraft[] {
  return ours.undos.flatMap(({ undo, targets }): UndoDraft[] => [
    ...targets.flatMap((target) => editFor(target, session, records, pending)),
    { type: "custom", customType: BATCH_TYPE, data: { version: 1, kind: "undone", undo } },
  ]);
}

function editFor({ entry, parts }: UndoTarget, session: Session, records: PlannedRecords, pending: ReadonlyMap<string, unknown>): UndoDraft[] {
  const places = session.named(entry);
  const [first] = places;
  if (!first) return [];
  if (parts === "gone") return [{ type: "context_edit", targetId: entry, replacement: null }];
  const original = records.message(first)?.content;
  const now = pending.has(entry) ? pending.get(entry) : records.content(first).content;
  const content = parts === "all" ? original : restored(original, now, new Set(parts), places);
  if (jsonText(content) === jsonText(now)) return [];
  return [{ type: "context_edit", targetId: entry, replacement: { content } }];
}

/** A message with some parts as they came and the others as they are now. */
function restored(original: unknown, now: unknown, parts: ReadonlySet<EntryId>, places: readonly Place[]): unknown {
  if (!Array.isArray(original) || !Array.isArray(now)) return original;
  const [message] = places;
  const calls = places.filter(({ entry: { data } }) => data.kind === "call");
  const callsNow = (now as readonly JsonObject[]).filter(({ type }) => type === "toolCall");
  const thinks = (message && parts.has(message.entry.id)) || (now as readonly JsonObject[]).some(({ type }) => type === "thinking");
  let call = -1;
  return (original as readonly JsonObject[]).flatMap((block) => {
    if (block.type === "thinking") return thinks ? [block] : [];
    if (block.type !== "toolCall") return [block];
    call += 1;
    const place = calls[call];
    return place && parts.has(place.entry.id) ? [block] : [callsNow[call] ?? block];
  });
}
