// What the plain strategies of the field share: a session of their own that follows a recording, and decisions appended to it.
import { type Entry, type EntryId, entryId, type Place, Session } from "../session/index.ts";
import { Projector, type View } from "../view/index.ts";
import type { Follower } from "./follow.ts";

export abstract class PlainFollower implements Follower {
  readonly session: Session;
  readonly #original: Session;
  readonly #projector: Projector;
  #made = 0;

  constructor(session: Session) {
    this.#original = session;
    this.session = new Session(session.identity);
    this.#projector = new Projector(this.session);
  }

  get head(): Place | null {
    return this.#projector.head;
  }

  beforeRequest(): View {
    return this.#projector.view();
  }

  take(place: Place): void {
    this.session.load({ ...place.entry, parent: this.head?.entry.id ?? null });
    const copied = this.session.find(place.entry.id) as Place;
    this.#projector.advance(copied);
    if (place.entry.data.kind === "result") this.tookResult(copied);
  }

  /** A result has come, here as a place of the follower's own session. */
  protected abstract tookResult(place: Place): void;

  /** Appends a decision at the end. */
  protected append(data: Entry["data"]): EntryId {
    const id = this.#nextId();
    const refusal = this.session.append({ id, parent: (this.head as Place).entry.id, data });
    if (refusal) throw new Error(`a decision of a plain strategy was refused: ${refusal.message}`);
    this.#projector.advance(this.session.find(id) as Place);
    return id;
  }

  #nextId(): EntryId {
    for (;;) {
      const id = entryId(`plain-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }
}
