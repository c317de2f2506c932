// A JSON value that is not whole yet: kept as bytes while it is small, as hash, head and tail once it is not.
import { createHash, type Hash } from "node:crypto";
import { type Bytes, type Sha256, sha256 } from "../session/index.ts";
import type { Extent } from "./extent.ts";

/** Of a value too large to hold, this much of its start and of its end is kept. */
const EDGE: Bytes = 64 * 1024;

/** What is known of a value too large to hold. */
export interface Oversized {
  readonly sha256: Sha256;
  readonly head: string;
  readonly tail: string;
}

export class OpenValue {
  /** Offset and line of its first byte. */
  readonly start: Bytes;
  readonly line: number;
  readonly firstByte: number;
  /** Has taken the same bytes as the value. */
  readonly extent: Extent;
  readonly #limit: Bytes;
  #parts: Buffer[] = [];
  #size: Bytes = 0;
  #wide: { readonly hash: Hash; head: Buffer; tail: Buffer } | undefined;

  constructor(bytes: Buffer, extent: Extent, place: { readonly start: Bytes; readonly line: number }, limit: Bytes) {
    this.start = place.start;
    this.line = place.line;
    this.firstByte = bytes[0] as number;
    this.extent = extent;
    this.#limit = limit;
    this.add(bytes);
  }

  /** Offset behind its last byte so far. */
  get end(): Bytes {
    return this.start + this.#size;
  }

  /** Takes a copy of its next bytes. */
  add(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#wide) {
      this.#wide.hash.update(bytes);
      if (this.#wide.head.length < EDGE) this.#wide.head = Buffer.concat([this.#wide.head, bytes.subarray(0, EDGE - this.#wide.head.length)]);
      this.#wide.tail = edge(this.#wide.tail, bytes);
      return;
    }
    this.#parts.push(Buffer.from(bytes));
    if (this.#size > this.#limit) this.#widen();
  }

  /** All of its bytes, or what is left of a value too large to hold. Asked for once, when it is whole. */
  contents(): Buffer | Oversized {
    if (!this.#wide) return Buffer.concat(this.#parts);
    const { hash, head, tail } = this.#wide;
    return { sha256: hash.digest("hex") as Sha256, head: head.toString("utf8"), tail: tail.toString("utf8") };
  }

  #widen(): void {
    const all = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#wide = { hash: createHash("sha256").update(all), head: Buffer.from(all.subarray(0, EDGE)), tail: Buffer.from(all.subarray(-EDGE)) };
  }
}

function edge(before: Buffer, bytes: Buffer): Buffer {
  return Buffer.from(bytes.length >= EDGE ? bytes.subarray(-EDGE) : Buffer.concat([before, bytes]).subarray(-EDGE));
}

/** Of bytes at hand, what is left of a value too large to keep. */
export function oversized(bytes: Buffer): Oversized {
  return { sha256: sha256(bytes), head: bytes.toString("utf8", 0, EDGE), tail: bytes.subarray(-EDGE).toString("utf8") };
}
