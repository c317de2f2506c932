// The anchors that a reader of a view has, counted, so that a text which leaves the view takes its own along.
import type { InView } from "./in-view.ts";

/** What a plan changes of what the texts in view tell; the view itself stays as it is. */
export class KnownAnchors {
  readonly #inView: Pick<InView, "count">;
  /** By how much the plan changes each count. */
  readonly #changes = new Map<string, number>();

  constructor(inView: Pick<InView, "count">) {
    this.#inView = inView;
  }

  has(anchor: string): boolean {
    return this.#inView.count(anchor) + (this.#changes.get(anchor) ?? 0) > 0;
  }

  /** A text with these anchors comes into view. */
  learn(anchors: Iterable<string>): void {
    for (const anchor of anchors) this.#changes.set(anchor, (this.#changes.get(anchor) ?? 0) + 1);
  }

  /** A text with these anchors leaves the view. */
  forget(anchors: Iterable<string>): void {
    for (const anchor of anchors) this.#changes.set(anchor, (this.#changes.get(anchor) ?? 0) - 1);
  }
}
