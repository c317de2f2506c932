// What stands in a view and what its texts tell, kept from one view of a path to the next: a new view costs what is not the same.
import { anchors } from "../extract/index.ts";
import type { Place, Ref } from "../session/index.ts";
import { type Item, itemText, sharedFront, type View } from "../view/index.ts";

/** An anchor, and how often the texts in view tell it. */
interface Told {
  readonly anchor: string;
  count: number;
}

/**
 * Follows the views of one path.
 *
 * ```ts
 * const inView = new InView();
 * inView.follow(projector.view());
 * inView.count("src/a.ts");
 * ```
 */
export class InView {
  #items: Item[] = [];
  /** By depth: 1 and more, the index before which the item of that place stands whole; -1 and less, the same of its stub; 0, neither. */
  readonly #places: number[] = [];
  /** By ordinal: whether something of a result is shown behind its call. */
  readonly #results: boolean[] = [];
  readonly #anchors = new Map<string, Told>();
  /** The anchors of all items, one item after the other, and where those of each end. */
  readonly #told: Told[] = [];
  readonly #ends: number[] = [];

  /** Takes a later view of the same path. */
  follow(view: View): void {
    const same = sharedFront(this.#items, view);
    while (this.#items.length > same) this.#leave();
    for (let index = same; index < view.length; index++) this.#come(view.at(index) as Item);
  }

  /** Where a place stands in view as it came. */
  whole(place: Place): number | undefined {
    const at = this.#places[place.depth] ?? 0;
    return at > 0 && this.#items[at - 1]?.place === place ? at - 1 : undefined;
  }

  /** Where a stub of a place stands in view. */
  stub(place: Place): number | undefined {
    const at = this.#places[place.depth] ?? 0;
    return at < 0 && this.#items[-at - 1]?.place === place ? -at - 1 : undefined;
  }

  /** Whether something of a result is in view: itself, a stub or a placeholder. */
  shows(ref: Ref): boolean {
    return this.#results[Number(ref.slice(1))] === true;
  }

  /** How often messages, arguments, stubs and blocks tell an anchor. Results do not count: they are what is about to go. */
  count(anchor: string): number {
    return this.#anchors.get(anchor)?.count ?? 0;
  }

  #come(item: Item): void {
    const index = this.#items.push(item) - 1;
    this.#mark(item, isWhole(item) ? index + 1 : item.kind === "stub" ? -index - 1 : 0, true);
    if (item.kind !== "result" && item.kind !== "prompt") for (const anchor of anchors(itemText(item))) this.#told.push(this.#counted(anchor));
    this.#ends.push(this.#told.length);
  }

  #leave(): void {
    this.#mark(this.#items.pop() as Item, 0, false);
    this.#ends.pop();
    const end = this.#ends.at(-1) ?? 0;
    while (this.#told.length > end) {
      const told = this.#told.pop() as Told;
      told.count -= 1;
      if (told.count === 0) this.#anchors.delete(told.anchor);
    }
  }

  #mark(item: Item, at: number, isShown: boolean): void {
    const { depth, results } = item.place;
    if (isWhole(item) || item.kind === "stub") put(this.#places, depth, at, 0);
    if (item.role === "tool" && item.ref !== undefined) put(this.#results, results, isShown, false);
  }

  #counted(anchor: string): Told {
    let told = this.#anchors.get(anchor);
    if (told) told.count += 1;
    else {
      told = { anchor: detached(anchor), count: 1 };
      this.#anchors.set(told.anchor, told);
    }
    return told;
  }
}

/** Whether an item stands in view as it came. */
function isWhole(item: Item): boolean {
  return item.kind === "result" || ((item.kind === "call" || item.kind === "message") && item.ref === undefined);
}

/** Sets one of a list that has no holes. */
function put<T>(list: T[], at: number, value: T, none: T): void {
  while (list.length <= at) list.push(none);
  list[at] = value;
}

/** An anchor cut free from the text that it may be a slice of, which need not stay in memory for it. */
function detached(anchor: string): string {
  return Buffer.from(anchor, "utf16le").toString("utf16le");
}
