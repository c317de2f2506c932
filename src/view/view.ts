// A view: an immutable list of items, with its chained hash and its size in tokens, both known for the sealed part from before.
import { type Place, type Sha256, sha256, type Tokens } from "../session/index.ts";
import { itemTokens } from "./composition.ts";
import { type Item, itemHash, type PromptItem } from "./item.ts";

/** The items before the last batch: final until an epoch. Only ever appended to; an epoch that changes them starts a new one. */
export class Sealed {
  readonly prompt: PromptItem | undefined;
  readonly items: Item[];
  readonly #chain: Sha256[] = [];
  readonly #sums: Tokens[] = [];

  constructor(prompt: PromptItem | undefined, items: Item[]) {
    this.prompt = prompt;
    this.items = items;
  }

  /** The chained hash of the prompt and the first `count` items. */
  hashAt(count: number): Sha256 {
    if (this.#chain.length === 0) this.#chain.push(chained(ORIGIN, this.prompt));
    for (let at = this.#chain.length; at <= count; at++) this.#chain.push(chained(this.#chain[at - 1] as Sha256, this.items[at - 1]));
    return this.#chain[count] as Sha256;
  }

  /** Estimated tokens of the prompt and the first `count` items. */
  tokensAt(count: number): Tokens {
    if (this.#sums.length === 0) this.#sums.push(this.prompt ? itemTokens(this.prompt) : 0);
    for (let at = this.#sums.length; at <= count; at++) this.#sums.push((this.#sums[at - 1] as Tokens) + itemTokens(this.items[at - 1] as Item));
    return this.#sums[count] as Tokens;
  }
}

const ORIGIN = sha256("");

function chained(before: Sha256, item: Item | undefined): Sha256 {
  return item ? sha256(before + itemHash(item)) : before;
}

/** What the model sees at a head: an immutable list of items. */
export class View {
  readonly head: Place | null;
  readonly #sealed: Sealed;
  readonly #count: number;
  readonly #tail: readonly Item[];
  readonly #offset: number;
  #items: readonly Item[] | undefined;

  /** @internal */
  constructor(head: Place | null, sealed: Sealed, tail: readonly Item[]) {
    this.head = head;
    this.#sealed = sealed;
    this.#count = sealed.items.length;
    this.#tail = tail;
    this.#offset = sealed.prompt ? 1 : 0;
  }

  get length(): number {
    return this.#offset + this.#count + this.#tail.length;
  }

  at(index: number): Item | undefined {
    if (index < this.#offset) return index < 0 ? undefined : this.#sealed.prompt;
    const inner = index - this.#offset;
    return inner < this.#count ? this.#sealed.items[inner] : this.#tail[inner - this.#count];
  }

  /** All items as one array, made on first use: linear in the length of the view. */
  get items(): readonly Item[] {
    this.#items ??= Array.from({ length: this.length }, (_, index) => this.at(index) as Item);
    return this.#items;
  }

  /** How many items at the front are final until an epoch. */
  get sealed(): number {
    return this.#offset + this.#count;
  }

  /** The chained hash of the first `length` items, by default of all: two views with one hash are the same for the model. */
  hash(length = this.length): Sha256 {
    const inner = Math.max(0, length - this.#offset);
    if (length < this.#offset) return ORIGIN;
    let hash = this.#sealed.hashAt(Math.min(inner, this.#count));
    for (let at = 0; at < inner - this.#count; at++) hash = chained(hash, this.#tail[at]);
    return hash;
  }

  /** Estimated tokens of the whole view. */
  get tokens(): Tokens {
    return this.#tail.reduce((sum, item) => sum + itemTokens(item), this.#sealed.tokensAt(this.#count));
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Item;
  }
}
