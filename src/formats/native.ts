// The native log: a session, its decisions and the bytes of its records in two files that need no other.
//
// `NAME.jsonl` holds one entry a line, `NAME.bodies` the texts and records that the lines name. A batch of entries counts when its
// last line is there; what stands behind the last such line is a torn tail.
import { closeSync, constants, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, realpathSync, statSync, writeSync } from "node:fs";
import type { Bytes, Entry, EntryId, Refusal, Session, Sha256 } from "../session/index.ts";
import { BodyFile, BodySink, bodiesPath } from "./native-bodies.ts";
import { entryLine } from "./native-entry.ts";
import { NativeReader } from "./native-reader.ts";
import type { Diagnostic, FormatReader } from "./reader.ts";

/** A native log cannot be opened or written. */
export class NativeLogError extends Error {
  override readonly name = "NativeLogError";
  /** `not-found`: no such file. `not-a-log`: a file of another kind or version. `bodies-missing`: the file beside it is not there. `exists`: a file would be overwritten. */
  readonly code: "not-found" | "not-a-log" | "bodies-missing" | "exists";
  constructor(code: NativeLogError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A batch was not written, and the session has not changed. */
export interface LogRefusal {
  /** `other-writer`: somebody else wrote to the log since it was opened. `not-written`: the disk did not take it, or a source was changed. */
  readonly code: "other-writer" | "not-written" | "closed";
  readonly message: string;
}

export interface NativeSession {
  readonly session: Session;
  /** What was noticed while reading, and what was cut off. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A native log that is open for appending. */
export interface NativeLog extends NativeSession {
  /**
   * Appends these entries as one batch: after a crash all of them are there or none. Bodies are on disk before the lines that name
   * them, the lines before this returns. The head of the session is then the last of them.
   */
  append(entries: readonly Entry[]): Refusal | LogRefusal | undefined;
  close(): void;
}

/** A reader of native logs, for a file found to be one by its first value. */
export function nativeReader(): FormatReader {
  return new NativeReader();
}

/**
 * Reads a native log and leaves it as it is; a torn tail is passed over.
 * @throws NativeLogError `not-found`, `not-a-log`
 */
export function readNative(path: string): NativeSession {
  const file = openLog(path, constants.O_RDONLY);
  try {
    const reader = readLog(file, path);
    return { session: reader.session(), diagnostics: reader.diagnostics };
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a native log for appending. A torn tail is cut off and kept in `NAME.cut`; a diagnostic says what and how much. Only one
 * writer at a time: a batch is refused after another one wrote.
 *
 * ```ts
 * const log = openNative("work.jsonl");
 * const refusal = log.append([{ id: entryId("n1"), parent: null, data: { kind: "message", role: "user", blocks: [] } }]);
 * log.close();
 * ```
 * @throws NativeLogError `not-found`, `not-a-log`, `bodies-missing`
 */
export function openNative(path: string): NativeLog {
  const file = openLog(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const log = realpathSync(path);
    const reader = readLog(file, log);
    const bodies = reader.bodies as BodyFile;
    if (reader.lacksBodies && !bodies.exists)
      throw new NativeLogError("bodies-missing", `${path}: expected its texts in ${bodies.name}, found no such file. Put it back beside the log, then open it again.`);
    const session = reader.session();
    const cut = repair(file, log, reader.end);
    return new OpenLog(log, file, bodies, session, [...reader.diagnostics, ...cut]);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openLog(path: string, flags: number): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new NativeLogError("not-found", `${path}: expected a native log, found no file. Check the path, or write a session there first.`);
  return openSync(path, flags);
}

const CHUNK: Bytes = 1024 * 1024;

function readLog(file: number, path: string): NativeReader {
  const reader = new NativeReader();
  for (const { text, ended, ...spot } of linesOf(file, path)) {
    const value = parsed(text);
    if (value !== undefined) reader.add({ range: { source: NOWHERE, sha256: "" as Sha256, ...spot }, value });
    else if (ended) reader.badLine(spot);
  }
  return reader;
}
