// The distinct anchors of a text in order of their first place: where each stands and how often, without a copy of any.
import type { AnchorClass } from "./anchors.ts";

const CLASSES: readonly AnchorClass[] = ["path", "code", "value", "identifier", "quoted", "place"];
const SKIPPED = 15;

/**
 * Distinct anchors that are told apart, far more than can be listed: further ones are not new any more. Paths may be four times as
 * many, codes of errors any number.
 */
const MOST = 1 << 16;
const MOST_PATHS = MOST * 4;

/** Slots to one text, at first; fewest slots. */
const PER_TEXT = 4;
const FEWEST_SLOTS = 64;

/** What is kept of one anchor, in 32-bit words: two hashes, the text it stands in, where it begins and ends, how often with its class. */
const WORDS = 6;
const TEXT = 2;
const START = 3;
const END = 4;
const COUNT = 5;
/** The class stands in the lowest bits of the count. */
const CLASS_BITS = 4;
const CLASS_MASK = 15;

/** A hash table over spans of texts; open addresses, at most half full. Two spans of one length with the same 64 bits of hash are taken for the same. */
export class AnchorTable {
  readonly #texts: (place: number) => string;
  #open = 0;
  /** Index of the anchor in each slot, plus 1; 0 in an empty one. */
  #slots: Int32Array;
  #words: Int32Array;
  #size = 0;

  /** `texts`: those that will be opened, by their places. `count`: how many, by which room is made. */
  constructor(texts: (place: number) => string, count: number) {
    this.#texts = texts;
    const slots = Math.min(MOST * 2, Math.max(FEWEST_SLOTS, 2 ** Math.ceil(Math.log2(count * PER_TEXT + 1))));
    this.#slots = new Int32Array(slots);
    this.#words = new Int32Array((slots / 2) * WORDS);
  }

  get size(): number {
    return this.#size;
  }

  /** The place of the text whose spans are added from now on. */
  open(place: number): void {
    this.#open = place;
  }

  /** Counts an anchor of the text opened last, whose units are `codes`; its index where it is new, else -1. */
  add(start: number, end: number, what: AnchorClass, codes: Uint16Array): number {
    let hash = 0x811c9dc5;
    let second = end - start;
    for (let at = start; at < end; at++) {
      const code = codes[at] as number;
      hash = Math.imul(hash ^ code, 0x01000193);
      second = (Math.imul(second, 31) + code) | 0;
    }
    const slots = this.#slots;
    const words = this.#words;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let index = slots[slot] as number; index > 0; index = slots[slot] as number) {
      const own = (index - 1) * WORDS;
      if (words[own] === hash && words[own + 1] === second && (words[own + END] as number) - (words[own + START] as number) === end - start) {
        words[own + COUNT] = (words[own + COUNT] as number) + (1 << CLASS_BITS);
        return -1;
      }
      slot = (slot + 1) & mask;
    }
    if (this.#size >= MOST && what !== "code" && (what !== "path" || this.#size >= MOST_PATHS)) return -1;
    return this.#insert(slot, hash, second, start, end, what);
  }

  /** Leaves one out: it stays known, but has no class. */
  skip(index: number): void {
    this.#words[index * WORDS + COUNT] = (this.#words[index * WORDS + COUNT] as number) | SKIPPED;
  }

  /** The class of an anchor; undefined for one that is left out. */
  what(index: number): AnchorClass | undefined {
    return CLASSES[(this.#words[index * WORDS + COUNT] as number) & CLASS_MASK];
  }

  count(index: number): number {
    return (this.#words[index * WORDS + COUNT] as number) >>> CLASS_BITS;
  }

  text(index: number): string {
    const own = index * WORDS;
    return this.#texts(this.#words[own + TEXT] as number).slice(this.#words[own + START], this.#words[own + END]);
  }

  #insert(slot: number, hash: number, second: number, start: number, end: number, what: AnchorClass): number {
    const index = this.#size;
    this.#size += 1;
    const own = index * WORDS;
    if (own === this.#words.length) this.#grow();
    const words = this.#words;
    words[own] = hash;
    words[own + 1] = second;
    words[own + TEXT] = this.#open;
    words[own + START] = start;
    words[own + END] = end;
    words[own + COUNT] = (1 << CLASS_BITS) | CLASSES.indexOf(what);
    if (this.#size * 2 <= this.#slots.length) this.#slots[slot] = index + 1;
    else this.#spread();
    return index;
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
  }

  /** Twice the slots, all anchors in them. */
  #spread(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      const hash = this.#words[index * WORDS] as number;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while ((slots[slot] as number) > 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}
