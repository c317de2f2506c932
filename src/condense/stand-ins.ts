// What decisions put in place of single entries of a path, the newest of each, whether an epoch applied it yet or not.
import type { Block, CondenseDecision, EntryId, Place, ReplaceDecision, RevertDecision } from "../session/index.ts";

/** Modes of a replacement that says what the original said; the others only take something away. */
const SUMMARIES: ReadonlySet<ReplaceDecision["mode"]> = new Set(["apriori", "aposteriori", "spill", "duplicate"]);

/** What stands in place of one entry. */
export interface StandIn {
  /** The decision, a `condense` or a `replace`. */
  readonly by: Place;
  /** What is shown instead. */
  readonly blocks: readonly Block[];
  /** Whether it says in short what the original said. */
  readonly summary: boolean;
}

/** Follows a path; each decision costs what it names. A decision that was reverted counts no longer. */
export class StandIns {
  readonly #of = new Map<EntryId, StandIn[]>();
  readonly #targets = new Map<EntryId, readonly EntryId[]>();

  take(place: Place): void {
    const { data } = place.entry;
    if (place.illegal !== undefined) return;
    if (data.kind === "condense") this.#condense(place, data);
    else if (data.kind === "replace") this.#put(place, data.target, replacing(place, data));
    else if (data.kind === "revert") this.#revert(data);
  }

  /** The newest that stands in place of an entry. */
  of(entry: EntryId): StandIn | undefined {
    return this.#of.get(entry)?.at(-1);
  }

  /** The results in whose place stubs of a `condense` stand and nothing newer does. */
  heldBy(condense: Place): EntryId[] {
    return (this.#targets.get(condense.entry.id) ?? []).filter((target) => this.of(target)?.by === condense);
  }

  #condense(place: Place, { targets, stubs }: CondenseDecision): void {
    for (const [at, target] of targets.entries()) {
      const body = stubs[at];
      if (body) this.#put(place, target, { by: place, blocks: [{ type: "text", body }], summary: true });
    }
  }

  #put(place: Place, target: EntryId, standIn: StandIn): void {
    const { data, id } = place.entry;
    if (!this.#targets.has(id)) this.#targets.set(id, data.kind === "condense" ? data.targets : [target]);
    const others = this.#of.get(target);
    if (others) others.push(standIn);
    else this.#of.set(target, [standIn]);
  }

  #revert({ of, targets }: RevertDecision): void {
    for (const target of targets ?? this.#targets.get(of) ?? []) {
      const left = this.#of.get(target)?.filter(({ by }) => by.entry.id !== of);
      if (!left) continue;
      if (left.length > 0) this.#of.set(target, left);
      else this.#of.delete(target);
    }
  }
}

function replacing(place: Place, { body, mode }: ReplaceDecision): StandIn {
  const blocks: readonly Block[] = body.as === "blocks" ? body.blocks : body.as === "input" ? [{ type: "text", body: body.input }] : [];
  return { by: place, blocks, summary: body.as === "blocks" && SUMMARIES.has(mode) };
}
