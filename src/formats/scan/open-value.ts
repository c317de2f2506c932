// A JSON value that is not whole yet: kept as bytes while it is small, as hash, head and tail once it is not.
import { createHash } from "node:crypto";
import { type Bytes, type Sha256, sha256 } from "../../session/index.ts";
import type { Extent } from "./extent.ts";

/** Of a value too large to hold, this much of its start and of its end is kept. */
const EDGE: Bytes = 64 * 1024;
/** In so many pieces at most. */
const PIECES = 1024;

/** What is known of a value too large to hold. */
export interface Oversized {
  readonly sha256: Sha256;
  readonly head: string;
  readonly tail: string;
}

/** Called when a value gets too large to hold; what it gives takes all bytes of the value. */
export type OnWide = () => { take(bytes: Buffer): void } | undefined;

export class OpenValue {
  /** Offset and line of its first byte. */
  readonly start: Bytes;
  readonly line: number;
  readonly firstByte: number;
  /** Has taken the same bytes as the value. */
  readonly extent: Extent;
  readonly #limit: Bytes;
  readonly #onWide: OnWide | undefined;
  #parts: Buffer[] = [];
  #size: Bytes = 0;
  #wide: WideValue | undefined;

  constructor(bytes: Buffer, extent: Extent, place: { readonly start: Bytes; readonly line: number }, limit: Bytes, onWide?: OnWide) {
    this.start = place.start;
    this.line = place.line;
    this.firstByte = bytes[0] as number;
    this.extent = extent;
    this.#limit = limit;
    this.#onWide = onWide;
    this.add(bytes);
  }

  /** Its bytes so far; undefined once they are too many to hold. */
  get held(): Buffer | undefined {
    return this.#wide ? undefined : Buffer.concat(this.#parts);
  }

  /** Its last byte so far that is neither blank nor a line end, looked for in the bytes that came last. */
  get lastSolidByte(): number | undefined {
    if (this.#wide) return this.#wide.end.findLast(isSolid);
    for (let index = this.#parts.length - 1; index >= 0; index--) {
      const last = this.#parts[index]?.findLast(isSolid);
      if (last !== undefined) return last;
    }
    return undefined;
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
    const wide = new WideValue(this.#onWide?.());
    for (const part of this.#parts) wide.take(part);
    this.#parts = [];
    return wide;
  }
}

function isSolid(byte: number): boolean {
  return byte > 0x20;
}

/** Streams through a value too large to hold. */
class WideValue {
  readonly #hash = createHash("sha256");
  readonly #also: { take(bytes: Buffer): void } | undefined;
  #head = Buffer.alloc(0);
  /** Its last bytes in the pieces they came in, joined when they are many. */
  #tail: Buffer[] = [];
  #tailSize: Bytes = 0;

  constructor(also: { take(bytes: Buffer): void } | undefined) {
    this.#also = also;
  }

  take(bytes: Buffer): void {
    this.#also?.take(bytes);
    this.#hash.update(bytes);
    if (this.#head.length < EDGE) this.#head = Buffer.concat([this.#head, bytes.subarray(0, EDGE - this.#head.length)]);
    const last = bytes.subarray(-EDGE);
    this.#tail.push(Buffer.from(last));
    this.#tailSize += last.length;
    if (this.#tailSize > 4 * EDGE || this.#tail.length > PIECES) this.#tail = [this.end];
    if (this.#tail.length === 1) this.#tailSize = (this.#tail[0] as Buffer).length;
  }

  /** Its last bytes so far. */
  get end(): Buffer {
    return Buffer.from(Buffer.concat(this.#tail).subarray(-EDGE));
  }

  left(): Oversized {
    return { sha256: this.#hash.digest("hex") as Sha256, head: this.#head.toString("utf8"), tail: this.end.toString("utf8") };
  }
}

/** Of bytes at hand, what is left of a value too large to keep. */
export function oversized(bytes: Buffer): Oversized {
  return { sha256: sha256(bytes), head: bytes.toString("utf8", 0, EDGE), tail: bytes.subarray(-EDGE).toString("utf8") };
}
