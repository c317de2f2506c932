// Ways to an entry other than its own id. They are made when somebody asks, for all entries that came since the last time.
import { type EntryId, recordId } from "./entry.ts";
import type { Place } from "./place.ts";

/** Follows a list of places that only grows. */
export class Lookup {
  readonly #places: ReadonlyMap<EntryId, Place>;
  /** Goes on behind the places taken so far. It is never asked for more than there are, which would end it. */
  readonly #fresh: Iterator<Place>;
  #taken = 0;
  readonly #records = new Map<string, Place[]>();
  readonly #calls = new Map<string, Place[]>();
  readonly #leaves = new Set<Place>();

  constructor(places: ReadonlyMap<EntryId, Place>) {
    this.#places = places;
    this.#fresh = places.values();
  }

  /** The entries of a record that holds several, in the order they came. */
  ofRecord(id: string): readonly Place[] {
    this.#follow();
    return this.#records.get(id) ?? [];
  }

  /** Calls and results with this id, in the order they came. */
  ofCall(callId: string): readonly Place[] {
    this.#follow();
    return this.#calls.get(callId) ?? [];
  }

  /** Places that none stands below. */
  leaves(): ReadonlySet<Place> {
    this.#follow();
    return this.#leaves;
  }

  #follow(): void {
    for (; this.#taken < this.#places.size; this.#taken++) this.#take(this.#fresh.next().value as Place);
  }

  #take(place: Place): void {
    const { id, data } = place.entry;
    const record = recordId(id);
    if (record !== id) add(this.#records, record, place);
    if (data.kind === "call" || data.kind === "result") add(this.#calls, data.callId, place);
    if (place.parent) this.#leaves.delete(place.parent);
    this.#leaves.add(place);
  }
}

function add(map: Map<string, Place[]>, name: string, place: Place): void {
  const known = map.get(name);
  if (known) known.push(place);
  else map.set(name, [place]);
}
