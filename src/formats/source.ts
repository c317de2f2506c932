// What bytes are read from again: a file on disk, or what came through a pipe.
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Bytes, type Source, SourceChangedError } from "../session/index.ts";
import type { Companion } from "./reader.ts";

/** A file, opened on the first read and left open until `close`. */
export class FileSource implements Companion {
  readonly name: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.name = path;
  }

  get size(): Bytes {
    return statSync(this.name, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** @throws SourceChangedError when the file is gone or ends before `end`. */
  read(start: number, end: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(end - start);
    const descriptor = this.#open(start, end);
    for (let filled = 0; filled < bytes.length; ) {
      const length = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (length === 0) throw new SourceChangedError(this.name, start, end, `the end of the file at ${start + filled}`);
      filled += length;
    }
    return bytes;
  }

  /** Gives the descriptor back. A later read opens the file again. */
  close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(start: number, end: number): number {
    try {
      this.#descriptor ??= openSync(this.name, "r");
      return this.#descriptor;
    } catch (error) {
      throw new SourceChangedError(this.name, start, end, `no file that can be read (${(error as NodeJS.ErrnoException).code ?? error})`);
    }
  }
}

/** The file at `relativePath` from the folder that holds `path`; undefined where there is none, or the way leads out of the folder or over a link. */
export function fileBeside(path: string, relativePath: string): FileSource | undefined {
  const folder = dirname(resolve(path));
  const beside = resolve(folder, relativePath);
  const below = relative(folder, beside);
  const isInside = !isAbsolute(below) && below.split(sep)[0] !== "..";
  if (!isInside || !statSync(beside, { throwIfNoEntry: false })?.isFile()) return undefined;
  // A link could lead anywhere, and whoever wrote the session may have put it there.
  return realpathSync(beside) === join(realpathSync(folder), below) ? new FileSource(beside) : undefined;
}

/** Bytes that came through a pipe, kept in memory as nothing else has them. */
export class BufferSource implements Source {
  readonly name: string;
  #chunks: Uint8Array[] = [];
  #size: Bytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Takes the next bytes. They must not change any more. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** @throws SourceChangedError when less than that came. */
  read(start: number, end: number): Uint8Array {
    if (end > this.#size) throw new SourceChangedError(this.name, start, end, `${this.#size} bytes in all`);
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]?.subarray(start, end) ?? new Uint8Array();
  }
}
