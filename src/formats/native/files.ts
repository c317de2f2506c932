// What a native log does with its files: lines in, bytes out, a torn tail cut off, a whole file put in place.
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Bytes } from "../../session/index.ts";
import type { Diagnostic } from "../reader.ts";
import type { Spot } from "./reader.ts";

const CHUNK: Bytes = 1024 * 1024;

/** `ended`: with a line end behind it. */
interface FileLine {
  readonly bytes: Buffer;
  readonly ended: boolean;
  readonly spot: Spot;
}

/** The bytes `[start, end)` of an open file, piece by piece; each piece is good until the next. */
function* bytesOf(file: number, start: number, end = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = start; at < end; ) {
    const length = readSync(file, chunk, 0, Math.min(CHUNK, end - at), at);
    if (length === 0) return;
    yield chunk.subarray(0, length);
    at += length;
  }
}

export function* linesOf(file: number, path: string): Generator<FileLine> {
  let held: Buffer[] = [];
  let line = 1;
  let start = 0;
  const take = (ended: boolean): FileLine => {
    const bytes = Buffer.concat(held);
    const spot = { file: path, line, start, end: start + bytes.length };
    held = [];
    line += 1;
    start = spot.end + 1;
    return { bytes, ended, spot };
  };
  for (const chunk of bytesOf(file, 0)) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      held.push(Buffer.from(chunk.subarray(from, to)));
      from = to + 1;
      yield take(true);
    }
    if (from < chunk.length) held.push(Buffer.from(chunk.subarray(from)));
  }
  if (held.length > 0) yield take(false);
}

/** Writes all of it, in as many writes as it takes. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Gathers small writes into large ones. */
export class BufferedFile {
  readonly #file: number;
  #held: Uint8Array[] = [];
  #size: Bytes = 0;

  constructor(file: number) {
    this.#file = file;
  }

  readonly write = (bytes: Uint8Array): void => {
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= CHUNK) this.#flush();
  };

  /** Everything is on disk when this returns. */
  sync(): void {
    this.#flush();
    fsyncSync(this.#file);
  }

  #flush(): void {
    writeAll(this.#file, Buffer.concat(this.#held));
    this.#held = [];
    this.#size = 0;
  }
}

/** Names put into the folder of `path` are on disk when this returns, where the system can say so. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Cuts off what stands behind `last`, the last line that counts, and keeps it in `NAME.cut`. */
export function cutBehind(file: number, { file: path, line, end }: Spot): Diagnostic[] {
  const { size } = fstatSync(file);
  if (size === end) {
    writeAll(file, Buffer.from("\n"));
    fdatasyncSync(file);
  }
  const start = end + 1;
  if (size <= start) return [];
  const kept = `${path}.cut`;
  keep(file, start, size, kept);
  ftruncateSync(file, start);
  fdatasyncSync(file);
  const message = `cut off the ${size - start} bytes behind the last whole batch: their writing was not finished. They are kept in ${kept}.`;
  return [{ code: "cut", message, file: path, line: line + 1, start, end: size }];
}

function keep(file: number, start: number, end: number, path: string): void {
  const copy = openSync(path, "a", 0o600);
  try {
    for (const piece of bytesOf(file, start, end)) writeAll(copy, piece);
    fdatasyncSync(copy);
  } finally {
    closeSync(copy);
  }
}
