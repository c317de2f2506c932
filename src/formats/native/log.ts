// The native log: a session, its decisions and the bytes of its records in two files that need no other.
//
// `NAME.jsonl` holds one entry a line, `NAME.bodies` the texts and records that the lines name. A batch of entries counts when its
// last line is there; what stands behind the last such line is a torn tail.
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { atOnce, type Bytes, type Entry, type Refusal, type Session, type Steps } from "../../session/index.ts";
import { heldDraft } from "../draft.ts";
import type { Diagnostic, FormatReader } from "../reader.ts";
import { type BodyFile, BodySink, bodiesPath } from "./bodies.ts";
import { entryLine, headerLine } from "./entry-line.ts";
import { BufferedFile, cutBehind, linesOf, syncFolder, writeAll } from "./files.ts";
import { NativeReader, type Spot } from "./reader.ts";

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
      throw new NativeLogError(
        "bodies-missing",
        `${path}: expected its texts in ${bodies.name}, found no such file. Put it back beside the log, then open it again.`,
      );
    const session = reader.session();
    const cut = cutBehind(file, reader.last as Spot);
    return new OpenLog(log, file, bodies, { session, diagnostics: [...reader.diagnostics, ...cut] });
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

function readLog(file: number, path: string): NativeReader {
  const reader = new NativeReader();
  for (const { bytes, ended, spot } of linesOf(file, path)) {
    const value = parsed(bytes);
    if (value !== undefined) reader.line(value, spot);
    else if (!ended) reader.halfLine(spot);
    else reader.badLine(spot);
  }
  if (reader.bodies) return reader;
  throw new NativeLogError("not-a-log", `${path}: ${reader.problem ?? "expected a native log, found no whole line."}`);
}

/** The JSON value of a line, if it is one. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The two files of a log, open for appending, and their sizes as we left them. */
class OpenLog implements NativeLog {
  readonly session: Session;
  readonly diagnostics: readonly Diagnostic[];
  readonly #path: string;
  readonly #known: BodyFile;
  readonly #lines: number;
  readonly #bodies: number;
  #linesEnd: Bytes;
  #bodiesEnd: Bytes;
  #closed = false;

  constructor(path: string, lines: number, known: BodyFile, { session, diagnostics }: NativeSession) {
    this.session = session;
    this.diagnostics = diagnostics;
    this.#path = path;
    this.#known = known;
    this.#lines = lines;
    this.#bodies = openSync(known.name, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0), 0o600);
    this.#linesEnd = fstatSync(lines).size;
    this.#bodiesEnd = fstatSync(this.#bodies).size;
  }

  append(entries: readonly Entry[]): Refusal | LogRefusal | undefined {
    const last = entries.at(-1)?.id;
    if (last === undefined) return undefined;
    const refusal = this.session.appendAll(entries, () => this.#write(entries));
    if (refusal === undefined && this.session.head?.entry.id !== last) this.session.continueAt(last);
    return refusal;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#lines);
    closeSync(this.#bodies);
  }

  #write(entries: readonly Entry[]): LogRefusal | undefined {
    if (this.#closed) return { code: "closed", message: `${this.#path}: expected an open log, found it closed. Open it again; nothing was written.` };
    const other = this.#otherWriter();
    if (other) return other;
    try {
      return this.#writeBatch(entries);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      return { code: "not-written", message: `${this.#path}: the batch was not written. ${error.message}` };
    }
  }

  /** Bodies first; only when they are on disk, the lines that name them, in one write. */
  #writeBatch(entries: readonly Entry[]): LogRefusal | undefined {
    const pieces: Uint8Array[] = [];
    const sink = new BodySink(
      this.#bodiesEnd,
      (hash) => this.#known.find(hash),
      (bytes) => pieces.push(bytes),
    );
    const lines = entries.map((entry, n) => `${entryLine(entry, n === entries.length - 1 ? { lines: entries.length } : undefined, sink)}\n`).join("");
    if (pieces.length > 0) {
      const bytes = Buffer.concat(pieces);
      const start = this.#bodiesEnd;
      this.#bodiesEnd += bytes.length;
      this.#writeBodies(bytes, start);
      const other = this.#otherWriter();
      if (other) return other;
    }
    const refusal = this.#writeLines(Buffer.from(lines));
    if (!refusal) for (const stored of sink.stored) this.#known.know(stored);
    return refusal;
  }

  #writeBodies(bytes: Buffer, start: Bytes): void {
    try {
      writeAll(this.#bodies, bytes);
      fdatasyncSync(this.#bodies);
    } catch (error) {
      // What was written of it stays there, named by no line.
      this.#bodiesEnd = Math.max(start, fstatSync(this.#bodies).size);
      throw error;
    }
  }

  #writeLines(bytes: Buffer): LogRefusal | undefined {
    try {
      const written = writeSync(this.#lines, bytes);
      if (written < bytes.length) {
        this.#takeBack(written);
        return { code: "not-written", message: `${this.#path}: the disk took ${written} of ${bytes.length} bytes. Make room, then append again.` };
      }
      fdatasyncSync(this.#lines);
    } catch (error) {
      this.#takeBack(bytes.length);
      throw error;
    }
    this.#linesEnd += bytes.length;
    return undefined;
  }

  /** Takes back a write of ours of at most that many bytes; what another writer put behind it is left alone. */
  #takeBack(written: Bytes): void {
    if (fstatSync(this.#lines).size <= this.#linesEnd + written) ftruncateSync(this.#lines, this.#linesEnd);
  }

  /** Both files must be as we left them, and the log still the file of that name. */
  #otherWriter(): LogRefusal | undefined {
    const lines = fstatSync(this.#lines);
    const bodies = fstatSync(this.#bodies);
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (lines.size === this.#linesEnd && bodies.size === this.#bodiesEnd && named?.ino === lines.ino && named.dev === lines.dev) return undefined;
    const found = named?.ino === lines.ino ? `${lines.size} and ${bodies.size}` : "another file of that name";
    const message = `${this.#path}: expected ${this.#linesEnd} bytes of lines and ${this.#bodiesEnd} of bodies, found ${found}: another writer was here. The batch does not count; close this log and open it again.`;
    return { code: "other-writer", message };
  }
}

/**
 * Writes a whole session as a native log: `path`, and the bodies beside it, with the bytes of all its records. Both come under
 * temporary names first and are on disk before they are renamed. `existing`: what to do with a log that is there.
 * @throws NativeLogError `exists`
 * @throws SourceChangedError when a text or a record is no longer what was read; nothing is left behind then
 */
export function writeNative(session: Session, path: string, options: WriteOptions = {}): void {
  atOnce(writingNative(session, path, options));
}

interface WriteOptions {
  readonly existing?: "refuse" | "replace";
}

/** The same in steps, one for each entry. */
export function* writingNative(session: Session, path: string, { existing = "refuse" }: WriteOptions = {}): Steps<void> {
  const bodies = bodiesPath(path);
  if (existing === "refuse") refuseExisting(path, bodies);
  const draft = { lines: `${path}.${process.pid}.tmp`, bodies: `${bodies}.${process.pid}.tmp` };
  const removeDrafts = [draft.lines, draft.bodies].map(heldDraft);
  try {
    yield* writingDraft(session, draft);
    if (existing === "refuse") refuseExisting(path, bodies);
    // The old lines go first: at no time do lines stand beside bodies that are not theirs.
    rmSync(path, { force: true });
    renameSync(draft.bodies, bodies);
    renameSync(draft.lines, path);
  } finally {
    for (const remove of removeDrafts) remove();
  }
  syncFolder(path);
}

function refuseExisting(...paths: readonly string[]): void {
  const there = paths.find((path) => existsSync(path));
  if (there !== undefined) throw new NativeLogError("exists", `${there}: expected no file, found one. Choose another name, or move that one away first.`);
}

/** Each entry is a batch of its own, so that damage to one line costs no other. */
function* writingDraft(session: Session, draft: { readonly lines: string; readonly bodies: string }): Steps<void> {
  const files = [openSync(draft.lines, "w", 0o600), openSync(draft.bodies, "w", 0o600)] as const;
  try {
    const lines = new BufferedFile(files[0]);
    const bodies = new BufferedFile(files[1]);
    const sink = new BodySink(0, () => undefined, bodies.write);
    const put = (line: string) => lines.write(Buffer.from(`${line}\n`));
    put(headerLine(session.identity));
    const head = session.head?.entry.id;
    let left = session.size;
    for (const { entry } of session.entries()) {
      left -= 1;
      put(entryLine(entry, { lines: 1, ...(left === 0 && head !== undefined && head !== entry.id && { head }) }, sink));
      yield 1 - left / session.size;
    }
    bodies.sync();
    lines.sync();
  } finally {
    files.forEach(closeSync);
  }
}
