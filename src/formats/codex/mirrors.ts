// Which events only repeat what an item of the history holds, and which are all that is left of their words.
import { bodyText, type Sha256, sha256 } from "../../session/index.ts";
import type { Content, Lane } from "./content.ts";

interface Recorded {
  readonly content: Content;
}

/** An item, or an event, that none of the other kind was found for yet. */
interface Open<P> {
  readonly piece: P;
  readonly turn: number;
  /** What an event of the same words may say. */
  readonly words: readonly Sha256[];
}

/**
 * Follows the records in file order. An event is a repetition where an item of its own or a neighbouring turn says the same, and also
 * where it is one of as many events as its turn has items, as Codex takes marks of its own out of a text before it reports it.
 * Thoughts are repeated where their turn has any. Work on a record does not grow with the file, only with the turns around it.
 */
export class Mirrors<P extends Recorded> {
  #turn = 0;
  #items: Record<Lane, Open<P>[]> = { user: [], assistant: [], thinking: [] };
  #events: Record<Lane, Open<P>[]> = { user: [], assistant: [], thinking: [] };
  /** Events without a repetition, for good. */
  readonly #alone = new Set<P>();
  /** The same of those that later records may still be paired with; made when it is asked for. */
  #aloneSoFar: ReadonlySet<P> | undefined;

  add(piece: P): void {
    this.#aloneSoFar = undefined;
    const { content } = piece;
    if (content.kind === "marker" && content.turn) this.#nextTurn();
    else if (content.kind === "event") this.#meet(piece, content.lane, wordsOf(content), this.#items, this.#events);
    else if (content.kind === "message" && content.role === "user" && !content.meta) this.#meet(piece, "user", wordsOf(content), this.#events, this.#items);
    else if (content.kind === "response") this.#meet(piece, content.thoughts ? "thinking" : "assistant", wordsOf(content), this.#events, this.#items);
  }

  /** Whether nothing else holds an event's words, as far as the records so far show. */
  isAlone(piece: P): boolean {
    this.#aloneSoFar ??= new Set(this.#left(() => true));
    return this.#alone.has(piece) || this.#aloneSoFar.has(piece);
  }

  /** Events of which later records may show something else. */
  undecided(): P[] {
    return LANES.flatMap((lane) => this.#events[lane].map(({ piece }) => piece));
  }

  /** Pairs a record with an open one of the other kind that says the same, or leaves it open. */
  #meet(piece: P, lane: Lane, words: readonly Sha256[], others: Record<Lane, Open<P>[]>, own: Record<Lane, Open<P>[]>): void {
    const at = lane === "thinking" ? -1 : others[lane].findIndex((other) => other.words.some((word) => words.includes(word)));
    if (at >= 0) others[lane].splice(at, 1);
    else own[lane].push({ piece, turn: this.#turn, words });
  }

  /** What stood open for a whole turn behind its own stays as it is. */
  #nextTurn(): void {
    const isPast = ({ turn }: Open<P>) => turn < this.#turn;
    for (const event of this.#left(isPast)) this.#alone.add(event);
    for (const open of [this.#items, this.#events]) for (const lane of LANES) open[lane] = open[lane].filter((each) => !isPast(each));
    this.#turn += 1;
  }

  /** Of the open events those without an item to be paired with. */
  #left(isMeant: (event: Open<P>) => boolean): P[] {
    return LANES.flatMap((lane) => {
      const free = new Map<number, number>();
      for (const { turn } of this.#items[lane]) free.set(turn, (free.get(turn) ?? 0) + 1);
      return this.#events[lane].filter(isMeant).flatMap(({ piece, turn }) => {
        const items = free.get(turn) ?? 0;
        if (items > 0 && lane !== "thinking") free.set(turn, items - 1);
        return items > 0 ? [] : [piece];
      });
    });
  }
}

const LANES = ["user", "assistant", "thinking"] as const;

/** Each text of a record, and all of them joined. */
function wordsOf({ blocks }: Extract<Content, { readonly kind: "event" | "message" | "response" }>): Sha256[] {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.body] : []));
  const joined = texts.length > 1 ? [sha256(texts.map(bodyText).join(""))] : [];
  return [...texts.map((body) => body.sha256), ...joined];
}
