// Which lines of a document are marked: a byte for each, where a set would take tens of bytes for each marked one.

/** Marked lines, by index. */
export interface Marked {
  has(at: number): boolean;
}

export class Marks implements Marked {
  readonly #marks: Uint8Array;

  /** `length`: lines of the document. */
  constructor(length: number) {
    this.#marks = new Uint8Array(length);
  }

  add(at: number): void {
    this.#marks[at] = 1;
  }

  has(at: number): boolean {
    return this.#marks[at] === 1;
  }
}
