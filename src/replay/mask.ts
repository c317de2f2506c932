// The field's plain strategy to measure against: the oldest results are left out, the newest ten stay, once every twenty results.
import { blocksOf } from "../recall/index.ts";
import { type EntryId, type Place, type ResultFact, refOf, textBody } from "../session/index.ts";
import { blocksTokens, bodyTokens } from "../tokens/index.ts";
import type { View } from "../view/index.ts";
import { type Follow, follow } from "./follow.ts";
import { PlainFollower } from "./plain.ts";

const KEEP = 10;
const EVERY = 20;

/** Follows a session by masking its oldest results. */
export const byMask: Follow = (session, head, onRequest) => follow(session, head, new Mask(session), onRequest);

/** Masks while it follows a path: each result but the newest ones becomes one line with its ref, where that line is smaller. */
class Mask extends PlainFollower {
  readonly #open: Place[] = [];
  #sinceEpoch = 0;

  override beforeRequest(): View {
    if (this.#sinceEpoch >= EVERY) this.#mask();
    return super.beforeRequest();
  }

  protected tookResult(place: Place): void {
    this.#open.push(place);
    this.#sinceEpoch += 1;
  }

  #mask(): void {
    this.#sinceEpoch = 0;
    const applies: EntryId[] = [];
    for (const place of this.#open.splice(0, Math.max(0, this.#open.length - KEEP))) {
      const body = textBody(`[${refOf(place)} ${(place.entry.data as ResultFact).tool}: output left out]`);
      if (bodyTokens(body) >= blocksTokens(blocksOf(place))) continue;
      applies.push(
        this.append({ kind: "replace", target: place.entry.id, body: { as: "blocks", blocks: [{ type: "text", body }] }, by: "extractive", mode: "prune" }),
      );
    }
    if (applies.length > 0) this.append({ kind: "epoch", cause: "cadence", applies });
  }
}
