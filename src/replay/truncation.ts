// Another plain strategy of the field to measure against: of a long result only the head and the tail are ever shown.
import { textOf } from "../recall/index.ts";
import { entryId, type Place, refOf, Session, textBody } from "../session/index.ts";
import { Projector } from "../view/index.ts";
import { type Follow, type Follower, follow } from "./follow.ts";

/** UTF-16 units of a result that are shown: half of them from its head, half from its tail. */
const SHOWN = 2000;

/** Follows a session by showing no more of any result. */
export const byTruncation: Follow = (session, head, onRequest) => follow(session, head, new Truncation(session), onRequest);

/** Nothing that was sent changes: each result is cut as it comes. */
class Truncation implements Follower {
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

  beforeRequest() {
    return this.#projector.view();
  }

  take(place: Place): void {
    this.session.load({ ...place.entry, parent: this.head?.entry.id ?? null });
    const copied = this.session.find(place.entry.id) as Place;
    this.#projector.advance(copied);
    const { data } = place.entry;
    if (data.kind !== "result") return;
    const text = textOf(data.blocks);
    if (text.length > SHOWN) this.#replace(copied, `${text.slice(0, SHOWN / 2)}\n[${refOf(copied)}: cut]\n${text.slice(-SHOWN / 2)}`);
  }

  #replace(target: Place, text: string): void {
    const id = this.#nextId();
    const body = { as: "blocks", blocks: [{ type: "text", body: textBody(text) }] } as const;
    const refusal = this.session.append({
      id,
      parent: target.entry.id,
      data: { kind: "replace", target: target.entry.id, body, by: "extractive", mode: "prune" },
    });
    if (refusal) throw new Error(`a decision of the truncation was refused: ${refusal.message}`);
    this.#projector.advance(this.session.find(id) as Place);
  }

  #nextId() {
    for (;;) {
      const id = entryId(`cut-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }
}
