// The anchors that a reader of a view has, counted, so that a text which leaves the view takes its own along.
import { anchors } from "../extract/index.ts";
import { type Item, itemText } from "../view/index.ts";

export class KnownAnchors {
  readonly #counts = new Map<string, number>();

  /** What messages, arguments, stubs and blocks of a view tell. Results do not count: they are what is about to go. */
  constructor(view: Iterable<Item>) {
    for (const item of view) if (item.kind !== "result" && item.kind !== "prompt") this.learn(anchors(itemText(item)));
  }

  has(anchor: string): boolean {
    return (this.#counts.get(anchor) ?? 0) > 0;
  }

  /** A text with these anchors comes into view. */
  learn(anchors: Iterable<string>): void {
    for (const anchor of anchors) this.#counts.set(anchor, (this.#counts.get(anchor) ?? 0) + 1);
  }

  /** A text with these anchors leaves the view. */
  forget(anchors: Iterable<string>): void {
    for (const anchor of anchors) this.#counts.set(anchor, (this.#counts.get(anchor) ?? 0) - 1);
  }
}
