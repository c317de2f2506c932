// A list that is only ever appended to, and whose front is the start of another list without a copy of all of it.

/** Values that stand together; a power of two. */
const PIECE = 1024;
const SHIFT = 10;

/**
 * Values in pieces. A full piece never changes, so lists share it.
 *
 * ```ts
 * const list = new LongList<number>();
 * list.push(7);
 * list.upTo(1).at(0); // 7
 * ```
 */
export class LongList<T> {
  readonly #pieces: T[][];
  #length: number;

  /** @internal */
  constructor(pieces: T[][] = [], length = 0) {
    this.#pieces = pieces;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): T | undefined {
    return this.#pieces[index >> SHIFT]?.[index & (PIECE - 1)];
  }

  push(value: T): void {
    const last = this.#length >> SHIFT;
    const piece = this.#pieces[last];
    if (piece) piece.push(value);
    else this.#pieces.push([value]);
    this.#length += 1;
  }

  /** The first `length` values, or all where there are fewer, as a list of their own: it costs a piece. */
  upTo(length: number): LongList<T> {
    const kept = Math.min(length, this.#length);
    const full = kept >> SHIFT;
    const pieces = this.#pieces.slice(0, full);
    const rest = kept & (PIECE - 1);
    if (rest > 0) pieces.push((this.#pieces[full] as T[]).slice(0, rest));
    return new LongList(pieces, kept);
  }
}
