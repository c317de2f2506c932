// The records of a session file once more, one after the other with their bytes: for writers that copy a file.
import { closeSync, openSync, readSync } from "node:fs";
import { type Bytes, pause, type Source } from "../session/index.ts";
import { fileSystemError } from "./file-error.ts";
import type { RawRecord } from "./reader.ts";
import { RecordScanner } from "./scan/scan.ts";
import { FileSource } from "./source.ts";

/** Bytes that are no record: a torn line, NULs, an unfinished end. */
export interface Damage {
  readonly source: Source;
  readonly start: Bytes;
  readonly end: Bytes;
}

interface FileSink {
  record(record: RawRecord): void;
  damage(damage: Damage): void;
}

const CHUNK: Bytes = 1024 * 1024;
const DAMAGE: ReadonlySet<string> = new Set(["bad-line", "nul-block"]);

/**
 * Gives the first `size` bytes of a file as the scanner sees them when the file is opened: records and damage, in file order, with a pause after each piece.
 * @throws SessionFileError where the file cannot be read, and whatever the sink throws
 */
export async function scanFile(path: string, size: Bytes, sink: FileSink): Promise<void> {
  const source = new FileSource(path);
  const scanner = new RecordScanner(source, {
    record: (record) => sink.record(record),
    diagnostic: ({ code, start, end }) => {
      if (DAMAGE.has(code)) sink.damage({ source, start, end });
    },
  });
  let file: number | undefined;
  try {
    file = opened(path);
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; at < size; ) {
      const length = readSync(file, chunk, 0, Math.min(CHUNK, size - at), at);
      if (length === 0) break;
      scanner.push(chunk.subarray(0, length));
      at += length;
      await pause();
    }
    const { tail } = scanner.end();
    if (tail) sink.damage({ source, start: tail.start, end: tail.end });
  } finally {
    if (file !== undefined) closeSync(file);
    source.close();
  }
}

function opened(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw fileSystemError(path, error);
  }
}
