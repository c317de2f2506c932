// A JSON value that is not whole yet: kept as bytes while it is small, as hash, head and tail once it is not.
import { createHash } from "node:crypto";
import { type Bytes, type Sha256, sha256 } from "../../session/index.ts";
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
  #wide: WideValue | undefined;

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

  /** Takes its next bytes; their memory may be used again afterwards. */
  add(bytes: Buffer): void {
    this.#size += bytes.length;
    if (!this.#wide && this.#size <= this.#limit) {
      this.#parts.push(Buffer.from(bytes));
      return;
    }
    this.#wide ??= this.#widened();
    this.#wide.take(bytes);
  }

  /** All of its bytes, or what is left of a value too large to hold. Asked for once, when it is whole. */
  contents(): Buffer | Oversized {
    return this.#wide?.left() ?? Buffer.concat(this.#parts);
  }

  #widened(): WideValue {
    const wide = new WideValue();
    for (const part of this.#parts) wide.take(part);
    this.#parts = [];
    return wide;
  }
}

/** Streams through a value too large to hold. */
class WideValue {
  readonly #hash = createHash("sha256");
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  take(bytes: Buffer): void {
    this.#hash.update(bytes);
    if (this.#head.length < EDGE) this.#head = Buffer.concat([this.#head, bytes.subarray(0, EDGE - this.#head.length)]);
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-EDGE)]);
    if (this.#tail.length > EDGE) this.#tail = Buffer.from(this.#tail.subarray(-EDGE));
  }

  left(): Oversized {
    return { sha256: this.#hash.digest("hex") as Sha256, head: this.#head.toString("utf8"), tail: this.#tail.toString("utf8") };
  }
}

/** Of bytes at hand, what is left of a value too large to keep. */
export function oversized(bytes: Buffer): Oversized {
  return { sha256: sha256(bytes), head: bytes.toString("utf8", 0, EDGE), tail: bytes.subarray(-EDGE).toString("utf8") };
}
