// What one response of the assistant called and what came back, and which results a model is told of together.
import { bodyText, type CallFact, type MessageFact, type Place, type ResultFact } from "../session/index.ts";

/** A call of a batch whose results may still come. */
export interface OpenCall {
  readonly place: Place;
  readonly fact: CallFact;
  result?: { readonly place: Place; readonly fact: ResultFact };
}

/** A batch while its results come: each answers the first unanswered call with its id; one that finds none is late. */
export class OpenTurn {
  readonly #calls: OpenCall[] = [];
  readonly #byId = new Map<string, { readonly calls: OpenCall[]; answered: number }>();

  /** In the order in which they were made. */
  get calls(): readonly OpenCall[] {
    return this.#calls;
  }

  call(place: Place, fact: CallFact): void {
    const call = { place, fact };
    this.#calls.push(call);
    const same = this.#byId.get(fact.callId);
    if (same) same.calls.push(call);
    else this.#byId.set(fact.callId, { calls: [call], answered: 0 });
  }

  /** The call that a result answers; none where it is late. */
  result(place: Place, fact: ResultFact): OpenCall | undefined {
    const same = this.#byId.get(fact.callId);
    const call = same?.calls[same.answered];
    if (!same || !call) return undefined;
    same.answered += 1;
    call.result = Object.freeze({ place, fact });
    return call;
  }
}

/** `turn`: what one response called. `message`: all between two messages that the user typed. */
export type Grouping = "turn" | "message";

/**
 * Neighbours on a path in groups. What the user did not type parts nothing, and what stands before the first message of a user is parted by response.
 */
export function grouped<T>(items: readonly T[], placeOf: (item: T) => Place, grouping: Grouping): T[][] {
  const groups: T[][] = [];
  let last: Place | null | undefined;
  for (const item of items) {
    const { user, assistant } = placeOf(item);
    const key = grouping === "turn" || user === null ? assistant : user;
    if (groups.length > 0 && key === last) groups.at(-1)?.push(item);
    else groups.push([item]);
    last = key;
  }
  return groups;
}

/** What the assistant said in the responses that these places belong to: their texts, an empty line between two. */
export function saidWith(places: Iterable<Place>): string {
  const assistants = new Set(Array.from(places, ({ assistant }) => assistant));
  const texts = Array.from(assistants, (place) => (place ? textIn(place.entry.data as MessageFact) : ""));
  return texts.filter((text) => text !== "").join("\n\n");
}

function textIn({ blocks }: MessageFact): string {
  return blocks
    .flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []))
    .join("\n")
    .trim();
}
