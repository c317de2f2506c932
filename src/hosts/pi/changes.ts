// What our batches changed on a branch, and what of it stands in the view now.
import type { CallFact, MessageFact, Place, Ref, ResultFact, Session, Tokens } from "../../session/index.ts";
import { type Item, itemHash, itemTokens, type View } from "../../view/index.ts";
import type { BatchOnBranch, OurRecords } from "./records.ts";

/** A session that batches of ours changed. */
export interface Changed {
  readonly session: Session;
  /** Where the branch ends. */
  readonly head: Place | null;
  readonly ours: OurRecords;
  view(): View;
}

/** One thing that a batch changed. */
export interface Change {
  /** The result, the call or the message. */
  readonly target: Place;
  /** Of the result, or of the change of a call or a message. */
  readonly ref: Ref;
  /** `restored`: it is shown as it came. `hidden`: the host shows it no more. */
  readonly state: "condensed" | "restored" | "hidden";
  /** Estimated tokens as it came, and as it is shown now. */
  readonly before: Tokens;
  readonly after: Tokens;
}

/** What a view shows of each fact: linear in its length, so made once for many batches. */
export type Shown = ReadonlyMap<Place, Item>;

export function shownIn(view: View): Shown {
  return new Map(Array.from(view, (item) => [item.place, item] as const));
}

/** What a batch changed, in the order of its edits. */
export function changesOf({ session }: Changed, batch: BatchOnBranch, shown: Shown): readonly Change[] {
  return [...batch.edits.values()].flatMap((edit) => session.named(edit)).flatMap((decision) => changeOf(session, decision, shown) ?? []);
}

function changeOf(session: Session, decision: Place, shown: Shown): Change | undefined {
  const { data } = decision.entry;
  const target = data.kind === "replace" && data.by !== "host" ? session.find(data.target) : undefined;
  if (!target) return undefined;
  const ref: Ref = target.entry.data.kind === "result" ? `t${target.results}` : `b${decision.blocks}`;
  const item = shown.get(target);
  const original = item && asItCame(item);
  if (!item || !original) return { target, ref, state: "hidden", before: 0, after: 0 };
  const state = itemHash(item) === itemHash(original) ? "restored" : "condensed";
  return { target, ref, state, before: itemTokens(original), after: itemTokens(item) };
}

/** The item that would show the fact itself. */
function asItCame(item: Item): Item | undefined {
  const { data } = item.place.entry;
  if (item.kind === "call") return { ...item, input: (data as CallFact).input };
  if (item.kind === "message" || item.kind === "result" || item.kind === "stub") return { ...item, blocks: (data as MessageFact | ResultFact).blocks };
  return undefined;
}

/** What the note of a batch takes in a view; 0 where it has none, or it is shown no more. */
export function noteTokens({ session }: Changed, { note }: BatchOnBranch, shown: Shown): Tokens {
  const items = note === undefined ? [] : session.named(note).flatMap((place) => shown.get(place) ?? []);
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

/** Tokens that each request is smaller by, of all batches of the branch. */
export function savedTokens(live: Changed): Tokens {
  const shown = shownIn(live.view());
  const saved = new Map<Place, Tokens>();
  let notes = 0;
  for (const batch of live.ours.batches) {
    for (const { target, before, after } of changesOf(live, batch, shown)) saved.set(target, before - after);
    notes += noteTokens(live, batch, shown);
  }
  return [...saved.values()].reduce((sum, each) => sum + each, -notes);
}
