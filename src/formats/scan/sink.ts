// What a scanner is asked for and where it hands over what it finds.
import type { Bytes } from "../../session/index.ts";
import type { Diagnostic, RawRecord } from "../reader.ts";

/** What of a value is records of its own, by keys from the top, joined by points: `""` is the value itself, `"$set.messages"` two keys down. */
export interface Parts {
  /** Lists whose elements are records. */
  readonly lists: readonly string[];
  /** Values beside them that are a record as they stand. */
  readonly members?: readonly string[];
}

/** Where a scanner hands over what it finds, in file order. */
export interface ScanSink {
  /** `bytes`: the value's, where it is held as a whole; good until the call returns. */
  record(record: RawRecord, bytes?: Buffer): void;
  /** `bad-line`, `nul-block`, `invalid-utf8` (the record is there all the same), `oversized` (so is its stub). */
  diagnostic(diagnostic: Diagnostic): void;
  /**
   * Which parts of a value are records of their own. Asked of a value that is too large to hold, was cut off or is damaged: its parts are
   * handed over one by one, and a whole one's head behind them.
   */
  parts?(): Parts | undefined;
}

/** A place at which reading starts or goes on. */
export interface ScanPosition {
  readonly offset: Bytes;
  /** 1-based line of the byte at `offset`. */
  readonly line: number;
}
