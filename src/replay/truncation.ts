// Another plain strategy of the field to measure against: of a long result only the head and the tail are ever shown.
import { textOf } from "../recall/index.ts";
import { type Place, type ResultFact, refOf, textBody } from "../session/index.ts";
import { type Follow, follow } from "./follow.ts";
import { PlainFollower } from "./plain.ts";

/** UTF-16 units of a result that are shown: half of them from its head, half from its tail. */
const SHOWN = 2000;

/** Follows a session by showing no more of any result. */
export const byTruncation: Follow = (session, head, onRequest) => follow(session, head, new Truncation(session), onRequest);

/** Nothing that was sent changes: each result is cut as it comes. */
class Truncation extends PlainFollower {
  protected tookResult(place: Place): void {
    const text = textOf((place.entry.data as ResultFact).blocks);
    if (text.length <= SHOWN) return;
    const cut = `${text.slice(0, SHOWN / 2)}\n[${refOf(place)}: cut]\n${text.slice(-SHOWN / 2)}`;
    const body = { as: "blocks", blocks: [{ type: "text", body: textBody(cut) }] } as const;
    this.append({ kind: "replace", target: place.entry.id, body, by: "extractive", mode: "prune" });
  }
}
