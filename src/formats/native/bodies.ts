// The bodies beside a native log: raw bytes one after the other, found by place and checked by hash.
import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { type Body, type Bytes, type RecordRange, type Sha256, type Source, SourceChangedError, sha256 } from "../../session/index.ts";

/** Bytes `[start, end)` of a bodies file, and what they are. */
export interface Stored {
  readonly start: number;
  readonly end: number;
  readonly sha256: Sha256;
}

/** A record is copied in pieces of this many bytes. */
const PIECE: Bytes = 8 * 1024 * 1024;

/** Where the bodies of a log lie: in its own folder, under its own name. */
export function bodiesPath(logPath: string): string {
  return `${logPath.endsWith(".jsonl") ? logPath.slice(0, -".jsonl".length) : logPath}.bodies`;
}

/**
 * A bodies file to read from. It is opened for each read, so that a session that nobody holds leaves no file open,
 * and a link in its place is not followed.
 */
export class BodyFile implements Source {
  readonly name: string;
  readonly #path: string | undefined;
  readonly #byStart = new Map<number, Stored>();
  readonly #byHash = new Map<Sha256, Stored>();
  #size: Bytes = 0;

  /** `path`: undefined where there is no such file and never will be. `name`: what a person knows it by. */
  constructor(path: string | undefined, name: string) {
    this.#path = path;
    this.name = name;
  }

  /** Whether the file is there at all. */
  get exists(): boolean {
    return this.#sizeOnDisk() !== undefined;
  }

  /** Whether the file reaches to `end`. */
  reaches(end: Bytes): boolean {
    if (end <= this.#size) return true;
    this.#size = this.#sizeOnDisk() ?? 0;
    return end <= this.#size;
  }

  #sizeOnDisk(): Bytes | undefined {
    const stat = this.#path === undefined ? undefined : lstatSync(this.#path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : undefined;
  }

  /** From now on these bytes are compared with their hash when read, and found by it. */
  know(stored: Stored): void {
    this.#byStart.set(stored.start, stored);
    this.#byHash.set(stored.sha256, stored);
  }

  find(hash: Sha256): Stored | undefined {
    return this.#byHash.get(hash);
  }

  /** @throws SourceChangedError when the file ends before `end`, or the bytes are not those that were stored. */
  read(start: number, end: number): Uint8Array {
    const bytes = this.#bytes(start, end);
    const known = this.#byStart.get(start);
    if (known?.end !== end) return bytes;
    const found = sha256(bytes);
    if (found !== known.sha256) throw new SourceChangedError(this.name, start, end, `bytes with the sha256 ${found} where the log says ${known.sha256}`);
    return bytes;
  }

  #bytes(start: number, end: number): Uint8Array {
    if (this.#path === undefined || !this.exists) throw new SourceChangedError(this.name, start, end, "no file");
    const file = openSync(this.#path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const bytes = Buffer.allocUnsafe(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const read = readSync(file, bytes, filled, bytes.length - filled, start + filled);
        if (read === 0) throw new SourceChangedError(this.name, start, end, `an end after ${filled} of ${bytes.length} bytes`);
        filled += read;
      }
      return bytes;
    } finally {
      closeSync(file);
    }
  }
}

/** The source of a record whose bytes were copied: it goes by the name it was read under, and reads from the copy. */
export class CopiedRecord implements Source {
  readonly name: string;
  readonly #file: BodyFile;
  /** Added to a place in the original, it gives the place in the copy. */
  readonly #shift: number;

  constructor(name: string, file: BodyFile, shift: number) {
    this.name = name;
    this.#file = file;
    this.#shift = shift;
  }

  read(start: number, end: number): Uint8Array {
    return this.#file.read(start + this.#shift, end + this.#shift);
  }
}

/** Puts bodies at the end of a bodies file, each content once. */
export class BodySink {
  /** What was put here, in order. */
  readonly stored: Stored[] = [];
  readonly #here = new Map<Sha256, Stored>();
  readonly #before: (hash: Sha256) => Stored | undefined;
  readonly #write: (bytes: Uint8Array) => void;
  #end: Bytes;

  /** `end`: where the file ends now. `before`: what it holds already. `write`: takes the new bytes, in order. */
  constructor(end: Bytes, before: (hash: Sha256) => Stored | undefined, write: (bytes: Uint8Array) => void) {
    this.#end = end;
    this.#before = before;
    this.#write = write;
  }

  /** `text`: the body's. @throws SourceChangedError when it is no longer the one that the body names. */
  text(body: Body, text: string): Stored {
    return this.#known(body.sha256) ?? this.#put(body.sha256, [checkedBytes(body, text)]);
  }

  /** @throws SourceChangedError when the record's bytes are no longer those that were read. */
  record(range: RecordRange): Stored {
    return this.#known(range.sha256) ?? this.#put(range.sha256, pieces(range));
  }

  #known(hash: Sha256): Stored | undefined {
    return this.#here.get(hash) ?? this.#before(hash);
  }

  #put(hash: Sha256, bytes: Iterable<Uint8Array>): Stored {
    const start = this.#end;
    for (const piece of bytes) {
      this.#write(piece);
      this.#end += piece.length;
    }
    const stored = { start, end: this.#end, sha256: hash };
    this.#here.set(hash, stored);
    this.stored.push(stored);
    return stored;
  }
}

function checkedBytes(body: Body, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const found = sha256(bytes);
  if (found === body.sha256) return bytes;
  const { source, start, end } = typeof body.at === "string" ? { source: { name: "a body in memory" }, start: 0, end: bytes.length } : body.at;
  throw new SourceChangedError(source.name, start, end, `a text with the sha256 ${found} instead of ${body.sha256}`);
}

function* pieces({ source, start, end, sha256: expected }: RecordRange): Generator<Uint8Array> {
  const hash = createHash("sha256");
  for (let at = start; at < end; at += PIECE) {
    const piece = source.read(at, Math.min(at + PIECE, end));
    hash.update(piece);
    yield piece;
  }
  const found = hash.digest("hex");
  if (found !== expected) throw new SourceChangedError(source.name, start, end, `a record with the sha256 ${found} instead of ${expected}`);
}
