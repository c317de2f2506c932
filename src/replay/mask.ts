// The field's plain strategy to measure against: the oldest results are left out, the newest ten stay, once every twenty results.
import { blocksOf } from "../recall/index.ts";
import { type EntryId, entryId, type Place, type ResultFact, refOf, Session, textBody } from "../session/index.ts";
import { blocksTokens, bodyTokens } from "../tokens/index.ts";
import { Projector } from "../view/index.ts";
import { type Follow, type Follower, follow } from "./follow.ts";

const KEEP = 10;
const EVERY = 20;

/** Follows a session by masking its oldest results. */
export const byMask: Follow = (session, head, onRequest) => follow(session, head, new Mask(session), onRequest);

/** Masks while it follows a path: each result but the newest ones becomes one line with its ref, where that line is smaller. */
class Mask implements Follower {
  readonly session: Session;
  readonly #original: Session;
  readonly #projector: Projector;
  readonly #open: Place[] = [];
  #made = 0;
  #sinceEpoch = 0;

  constructor(session: Session) {
    this.#original = session;
    this.session = new Session(session.identity);
    this.#projector = new Projector(this.session);
  }

  get head(): Place | null {
    return this.#projector.head;
  }

  beforeRequest() {
    if (this.#sinceEpoch >= EVERY) this.#mask();
    return this.#projector.view();
  }

  take(place: Place): void {
    this.session.load({ ...place.entry, parent: this.head?.entry.id ?? null });
    const copied = this.session.find(place.entry.id) as Place;
    this.#projector.advance(copied);
    if (place.entry.data.kind !== "result") return;
    this.#open.push(copied);
    this.#sinceEpoch += 1;
  }

  #mask(): void {
    this.#sinceEpoch = 0;
    const applies: EntryId[] = [];
    for (const place of this.#open.splice(0, Math.max(0, this.#open.length - KEEP))) {
      const body = textBody(`[${refOf(place)} ${(place.entry.data as ResultFact).tool}: output left out]`);
      if (bodyTokens(body) >= blocksTokens(blocksOf(place))) continue;
      applies.push(
        this.#append({ kind: "replace", target: place.entry.id, body: { as: "blocks", blocks: [{ type: "text", body }] }, by: "extractive", mode: "prune" }),
      );
    }
    if (applies.length > 0) this.#append({ kind: "epoch", cause: "cadence", applies });
  }

  #append(data: Parameters<Session["append"]>[0]["data"]): EntryId {
    const id = this.#nextId();
    const refusal = this.session.append({ id, parent: (this.head as Place).entry.id, data });
    if (refusal) throw new Error(`a decision of the mask was refused: ${refusal.message}`);
    this.#projector.advance(this.session.find(id) as Place);
    return id;
  }

  #nextId(): EntryId {
    for (;;) {
      const id = entryId(`mask-${++this.#made}`);
      if (!this.#original.find(id)) return id;
    }
  }
}
