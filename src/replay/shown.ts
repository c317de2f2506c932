// Which texts stand in a view, followed from request to request by what two views differ in.
import type { Ref } from "../session/index.ts";
import { difference, type Item, type View } from "../view/index.ts";
import type { TextId, Texts } from "./texts.ts";

/** Kinds of items whose words are ours: where a ref in them leads somewhere. */
const OURS: ReadonlySet<Item["kind"]> = new Set(["stub", "placeholder", "late", "block", "notice"]);

/** The texts of the newest view. Each step costs what follows the first difference to the view before. */
export class Shown {
  readonly #texts: Texts;
  /** How often each text stands in the view, and how often in words of ours. */
  readonly #counts: number[] = [];
  readonly #ours: number[] = [];
  /** Refs of blocks and of changed messages and calls. */
  readonly #blocks = new Map<Ref, number>();
  /** What `printedBlocks` said last; undefined once words of ours came or went. */
  #printed: readonly Ref[] | undefined;
  #view: View | undefined;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** Takes the next view and says whether it no longer begins with the whole view before it. */
  take(view: View): boolean {
    const before = this.#view;
    const { first, removed } = before ? difference(before, view) : { first: 0, removed: 0 };
    for (let at = first; before && at < before.length; at++) this.#count(before.at(at) as Item, -1);
    for (let at = first; at < view.length; at++) this.#count(view.at(at) as Item, 1);
    this.#view = view;
    return removed > 0;
  }

  #count(item: Item, by: 1 | -1): void {
    if (item.kind === "prompt") return;
    const block = item.kind === "block" || item.kind === "call" || item.kind === "message" ? item.ref : undefined;
    if (block !== undefined) this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + by);
    const ours = OURS.has(item.kind) || block !== undefined;
    if (ours) this.#printed = undefined;
    for (const id of textsOf(item, this.#texts)) {
      this.#counts[id] = (this.#counts[id] ?? 0) + by;
      if (ours) this.#ours[id] = (this.#ours[id] ?? 0) + by;
    }
  }

  /** Whether any of these texts stands in the view. */
  holdsAny(ids: readonly TextId[]): boolean {
    return ids.some((id) => (this.#counts[id] ?? 0) > 0);
  }

  /** Whether the view prints a ref in words of ours. */
  prints(ref: Ref): boolean {
    return this.#texts.holding(ref).some((id) => (this.#ours[id] ?? 0) > 0);
  }

  /** The `bN` that the view prints, oldest first. */
  printedBlocks(): readonly Ref[] {
    this.#printed ??= [...this.#blocks].flatMap(([ref, count]) => (count > 0 && this.prints(ref) ? [ref] : []));
    return this.#printed;
  }
}

/** The texts that the model reads in an item; thinking is none of them, as an agent does not quote it. */
function textsOf(item: Item, texts: Texts): TextId[] {
  if (item.kind === "prompt") return [];
  if (item.kind === "call") return [texts.add(item.input, "input")];
  return item.blocks.flatMap((block) => (block.type === "text" ? [texts.add(block.body, "text")] : []));
}
