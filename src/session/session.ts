// One session: an append-only tree of facts and decisions.
import { type Entry, type EntryId, isDecision, type Ref } from "./entry.ts";
import { Lookup } from "./lookup.ts";
import { blockAt, isHiding, isRange, isShowable, type Place, pathTo, placeBelow, resultAt } from "./place.ts";
import { judge } from "./rules.ts";

/** What a host says of a session as a whole. */
export interface Identity {
  readonly id: string;
  readonly format: string;
  /** Version of the host's format. */
  readonly version?: number | string;
  readonly cwd?: string;
  readonly title?: string;
  /** All session ids that occur in it, where a host mixes them. */
  readonly sessionIds?: readonly string[];
  /** The session this one was forked from, or whose subagent it records. */
  readonly parentSession?: string;
  readonly agentId?: string;
}

/** An entry was not appended, and nothing has changed. */
export interface Refusal {
  readonly code: "duplicate-id" | "missing-parent" | "illegal" | "refused";
  readonly message: string;
}

/** A decision on disk that counts for nothing. */
export interface IllegalDecision {
  readonly entry: EntryId;
  readonly message: string;
}

/**
 * A session in memory. Entries come in an order in which each parent precedes its children.
 *
 * ```ts
 * const session = new Session({ id: "s1", format: "palimpsest" });
 * session.append({ id: entryId("m1"), parent: null, data: { kind: "message", role: "user", blocks: [] } });
 * ```
 */
export class Session {
  readonly identity: Identity;
  readonly #places = new Map<EntryId, Place>();
  readonly #lookup = new Lookup(this.#places);
  readonly #illegal: IllegalDecision[] = [];
  #last: Place | null = null;
  #head: EntryId | undefined;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Decisions that were read and count for nothing. */
  get illegal(): readonly IllegalDecision[] {
    return this.#illegal;
  }

  /** Appends a fact or a decision of ours; what the append rules forbid is refused and changes nothing. */
  append(entry: Entry): Refusal | undefined {
    return this.#add(entry, "ours");
  }

  /** Takes an entry from disk or from a host: an illegal decision is kept, counts for nothing and is listed in `illegal`. */
  load(entry: Entry): Refusal | undefined {
    return this.#add(entry, "recorded");
  }

  /**
   * Appends all of these under the rules for ours, or none. `commit` runs when all are accepted and before any is there
   * (it may write them down); what it returns as a reason not to, or throws, leaves the session as it was.
   */
  appendAll<R = never>(entries: readonly Entry[], commit?: () => R | undefined): Refusal | R | undefined {
    const placed = new Map<EntryId, Place>();
    const find = (id: EntryId) => placed.get(id) ?? this.find(id);
    for (const entry of entries) {
      const place = this.#placed(entry, "ours", find);
      if ("code" in place) return place;
      placed.set(entry.id, place);
    }
    const reason = commit?.();
    if (reason !== undefined) return reason;
    for (const place of placed.values()) this.#keep(place);
    return undefined;
  }

  #add(entry: Entry, from: "ours" | "recorded"): Refusal | undefined {
    const place = this.#placed(entry, from, this.find);
    if ("code" in place) return place;
    this.#keep(place);
    return undefined;
  }

  #placed(entry: Entry, from: "ours" | "recorded", find: (id: EntryId) => Place | undefined): Place | Refusal {
    if (find(entry.id)) return { code: "duplicate-id", message: `${entry.id} is in the session already` };
    const parent = entry.parent === null ? null : this.#last?.entry.id === entry.parent ? this.#last : find(entry.parent);
    if (parent === undefined) return { code: "missing-parent", message: `${entry.parent}, the parent of ${entry.id}, is not in the session` };
    const { data } = entry;
    const verdict = isDecision(data) ? judge(parent, data, find) : {};
    if (from === "ours") {
      if (verdict.illegal !== undefined) return { code: "illegal", message: `${data.kind} ${entry.id}: ${verdict.illegal}` };
      if (verdict.refusal !== undefined) return { code: "refused", message: `${data.kind} ${entry.id}: ${verdict.refusal}` };
    }
    const legal = verdict.illegal === undefined;
    const block = legal && (data.kind === "condense" || isRange(data) || (data.kind === "replace" && find(data.target)?.entry.data.kind !== "result"));
    return placeBelow(parent, Object.freeze(entry), legal ? { block } : { block, illegal: verdict.illegal as string });
  }

  #keep(place: Place): void {
    const { id, data } = place.entry;
    this.#places.set(id, place);
    if (place.illegal !== undefined) this.#illegal.push({ entry: id, message: `${data.kind}: ${place.illegal}` });
    this.#last = place;
  }

  /** The place of an entry, by its exact id. */
  readonly find = (id: EntryId): Place | undefined => this.#places.get(id);

  /** Every entry that an id as a person writes it can mean: an entry's own, or a record's that holds several. */
  named(id: string): readonly Place[] {
    const exact = this.#places.get(id as EntryId);
    if (exact) return [exact];
    return this.#lookup.ofRecord(id);
  }

  /** All calls and results with this id, in the order they came, on every branch. */
  withCallId(callId: string): readonly Place[] {
    return this.#lookup.ofCall(callId);
  }

  /** The entry that was added last, on whatever branch. */
  get last(): Place | null {
    return this.#last;
  }

  /** The place a reader calls the newest; without its word, the last entry. */
  get head(): Place | null {
    return (this.#head === undefined ? undefined : this.#places.get(this.#head)) ?? this.#last;
  }

  /** A reader's word on which end of the tree the host would continue at. */
  continueAt(head: EntryId): void {
    this.#head = head;
  }

  /** The ends of the tree, counted over what is shown and what hides; side chains apart. */
  heads(): Place[] {
    const ends = new Set<Place>();
    const inner = new Set<Place>();
    for (const leaf of this.#lookup.leaves()) {
      const end = nearestCounted(leaf);
      if (!end) continue;
      ends.add(end);
      for (let at = end.parent; at && !inner.has(at); at = at.parent) inner.add(at);
    }
    return [...ends].filter((end) => !inner.has(end));
  }

  /** Every entry, in the order they were added. */
  *entries(): IterableIterator<Place> {
    yield* this.#places.values();
  }

  /** The places from the root to `head`, by default the newest. */
  path(head: Place | null = this.head): Place[] {
    return pathTo(head);
  }

  /** What a ref means on the path to `head`. */
  resolve(ref: Ref, head: Place | null = this.head): Place | undefined {
    if (!head) return undefined;
    const ordinal = Number(ref.slice(1));
    return ref.startsWith("t") ? resultAt(head, ordinal) : blockAt(head, ordinal);
  }
}

/** The ref of a place on its own path: `tN` of a result, `bN` of a legal decision that has one. */
export function refOf(place: Place): Ref | undefined {
  if (place.entry.data.kind === "result") return `t${place.results}`;
  return place.blocks > (place.parent?.blocks ?? 0) ? `b${place.blocks}` : undefined;
}

function nearestCounted(leaf: Place): Place | null {
  for (let at: Place | null = leaf; at; at = at.parent) {
    const { data, side } = at.entry;
    if (!side && (isShowable(data) || (isHiding(data) && at.illegal === undefined))) return at;
  }
  return null;
}
