// What every format's reader is given and gives: records in file order, a session out.
import type { Bytes, RecordRange, Session, Source } from "../session/index.ts";

/** One JSON value of a file, parsed, with the place of its bytes. */
export interface RawRecord {
  readonly range: RecordRange;
  /** The parsed value; `undefined` where `oversized` is set. */
  readonly value: unknown;
  /** A value too large to hold in memory: its first and last bytes as text. */
  readonly oversized?: { readonly head: string; readonly tail: string };
  /**
   * Set where the record is part of a larger value, which follows behind its parts as a record of its own: the list it stands in, as
   * keys joined by points (or the key of a member that is a record as it stands), where in the list, and what of the larger value is known.
   */
  readonly element?: { readonly list: string; readonly index: number; readonly head: Readonly<Record<string, unknown>> };
}

/** Another file that belongs to a session. */
export interface Companion extends Source {
  readonly size: Bytes;
}

/** What a reader may look at besides the records. */
export interface ReaderContext {
  readonly source: Source;
  /**
   * A file at or below the session file's folder, by its path from there. Undefined where there is none, where the path leads out of
   * the folder, and for a session that came through a pipe.
   */
  companion(relativePath: string): Companion | undefined;
}

/** Something a reader noticed; reading went on. */
export interface Diagnostic {
  /** `bad-line`, `oversized`, `missing-parent`, `cycle`, `duplicate-id`, `illegal-decision`, … */
  readonly code: string;
  readonly message: string;
  /** What the bytes are read from, as a person knows it. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Turns the records of one format into a session. One instance reads one file, and goes on when the file grows. */
export interface FormatReader {
  readonly format: string;
  /** Takes the next record in file order. */
  add(record: RawRecord): void;
  /** The session of all records so far. Called again after more records were added, it gives the larger session. */
  session(): Session;
  /** Of `session()`'s last call: what the records themselves showed (bad lines are the scanner's). */
  readonly diagnostics: readonly Diagnostic[];
}
