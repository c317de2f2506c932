// A view: an immutable list of items, with its chained hash and its size in tokens, both known for the sealed part from before.
import { type Place, type Sha256, sha256, type Tokens } from "../session/index.ts";
import { itemTokens } from "./composition.ts";
import { type Item, itemHash, type PromptItem } from "./item.ts";
import { LongList } from "./long-list.ts";

/** The items before the last batch: final until an epoch. Only ever appended to; an epoch that changes them starts a new one. */
export class Sealed {
  readonly prompt: PromptItem | undefined;
  readonly items: LongList<Item>;
  /** At each count of items: the chained hash, and the tokens of all and of the results among them. Filled as far as asked for. */
  readonly #chain: LongList<Sha256>;
  readonly #tokens: LongList<Tokens>;
  readonly #results: LongList<Tokens>;

  constructor(
    prompt: PromptItem | undefined,
    items = new LongList<Item>(),
    chain = new LongList<Sha256>(),
    tokens = new LongList<Tokens>(),
    results = new LongList<Tokens>(),
  ) {
    this.prompt = prompt;
    this.items = items;
    this.#chain = chain;
    this.#tokens = tokens;
    this.#results = results;
  }

  /** The first `count` items as the start of another list. */
  upTo(count: number): Sealed {
    return new Sealed(this.prompt, this.items.upTo(count), this.#chain.upTo(count + 1), this.#tokens.upTo(count + 1), this.#results.upTo(count + 1));
  }

  /** The same items behind another prompt. */
  behind(prompt: PromptItem | undefined): Sealed {
    return new Sealed(prompt, this.items.upTo(this.items.length));
  }

  /** The chained hash of the prompt and the first `count` items. */
  hashAt(count: number): Sha256 {
    if (this.#chain.length === 0) this.#chain.push(chained(ORIGIN, this.prompt));
    for (let at = this.#chain.length; at <= count; at++) this.#chain.push(chained(this.#chain.at(at - 1) as Sha256, this.items.at(at - 1)));
    return this.#chain.at(count) as Sha256;
  }

  /** Estimated tokens of the prompt and the first `count` items. */
  tokensAt(count: number): Tokens {
    this.#count(count);
    return this.#tokens.at(count) as Tokens;
  }

  resultTokensAt(count: number): Tokens {
    this.#count(count);
    return this.#results.at(count) as Tokens;
  }

  #count(count: number): void {
    if (this.#tokens.length === 0) {
      this.#tokens.push(this.prompt ? itemTokens(this.prompt) : 0);
      this.#results.push(0);
    }
    for (let at = this.#tokens.length; at <= count; at++) {
      const item = this.items.at(at - 1) as Item;
      const tokens = itemTokens(item);
      this.#tokens.push((this.#tokens.at(at - 1) as Tokens) + tokens);
      this.#results.push((this.#results.at(at - 1) as Tokens) + (item.role === "tool" ? tokens : 0));
    }
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
    return inner < this.#count ? this.#sealed.items.at(inner) : this.#tail[inner - this.#count];
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
    if (length < this.#offset) return ORIGIN;
    const inner = length - this.#offset;
    let hash = this.#sealed.hashAt(Math.min(inner, this.#count));
    for (let at = 0; at < inner - this.#count; at++) hash = chained(hash, this.#tail[at]);
    return hash;
  }

  /** Estimated tokens of the whole view. */
  get tokens(): Tokens {
    return this.tokensUpTo(this.length);
  }

  /** Estimated tokens of the first `length` items. */
  tokensUpTo(length: number): Tokens {
    const inner = length - this.#offset;
    if (inner < 0) return 0;
    let tokens = this.#sealed.tokensAt(Math.min(inner, this.#count));
    for (let at = 0; at < inner - this.#count; at++) tokens += itemTokens(this.#tail[at] as Item);
    return tokens;
  }

  /** Estimated tokens of all that stands where results stand: results, stubs and placeholders. */
  get resultTokens(): Tokens {
    return this.#tail.reduce((sum, item) => sum + (item.role === "tool" ? itemTokens(item) : 0), this.#sealed.resultTokensAt(this.#count));
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Item;
  }
}
