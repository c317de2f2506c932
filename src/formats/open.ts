// A path, or what comes through a pipe → a session; and the same file again after it grew.
import { createReadStream, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type Bytes, type Session, type Sha256, type Source, SourceChangedError, sha256 } from "../session/index.ts";
import { ALL_PARTS, detect, type Format } from "./detect.ts";
import { bodiesError, fileSystemError, folderError, noSessionError, SessionFileError, unreadVersionError } from "./file-error.ts";
import type { Diagnostic, FormatReader, RawRecord, ReaderContext } from "./reader.ts";
import { hasParts, PartScanner } from "./scan/parts.ts";
import { RecordScanner, type Tail } from "./scan/scan.ts";
import type { Parts, ScanPosition, ScanSink } from "./scan/sink.ts";
import { BufferSource, FileSource, fileBeside } from "./source.ts";

interface OpenOptions {
  /** Called after each piece that was read; `total` is undefined for what comes through a pipe. */
  readonly onProgress?: (read: Bytes, total: Bytes | undefined) => void;
  /** A record of more bytes is kept as a stub. @default 32 MiB */
  readonly limit?: Bytes;
  /** What `-` means. @default process.stdin */
  readonly input?: Readable;
}

/** How far a file was read, and what tells it from another one at the same path. */
interface Checkpoint {
  readonly device: number;
  readonly inode: number;
  readonly size: Bytes;
  /** Where reading goes on: behind the last whole record, or at the unfinished end. */
  readonly resumeAt: ScanPosition;
  /** Of the first 4 KiB that were read, and of the last. */
  readonly headSha256: Sha256;
  readonly lastSha256: Sha256;
}

export interface Opened {
  readonly session: Session;
  /** Of the file: `palimpsest` for a log of ours, whose session goes by the format that it came from. */
  readonly format: string;
  /** What was noticed, in file order. */
  readonly diagnostics: readonly Diagnostic[];
  /** An unfinished end, as a file has that is being written. */
  readonly tail: Tail | null;
  /** Null for what came through a pipe. */
  readonly checkpoint: Checkpoint | null;
  /** Gives back the open files. Texts of the session can still be read; that opens them again. */
  readonly close: () => void;
}

interface Resumed extends Opened {
  /** `append`: what was read before is unchanged, and only what is new was read. `reread`: the file is another one or was rewritten. */
  readonly how: "append" | "reread";
}

const CHUNK: Bytes = 1024 * 1024;
const EDGE: Bytes = 4096;
/** Without a record of a known format in so many bytes and values, there is none. */
const UNKNOWN_BYTES: Bytes = 8 * 1024 * 1024;
const UNKNOWN_VALUES = 200;

/**
 * Reads a session file of any format, or standard input for `-`.
 *
 * ```ts
 * const { session, diagnostics, close } = await openSession("session.jsonl");
 * ```
 * @throws SessionFileError when it holds no session; there is no partial one
 */
export async function openSession(path: string, options: OpenOptions = {}): Promise<Opened> {
  if (path === "-") return openStream(path, options.input ?? process.stdin, options);
  const stats = await statOf(path);
  if (!stats.isFile()) return openStream(path, createReadStream(path), options);
  const reading = new Reading(path, new FileSource(path), options);
  try {
    return await readFrom(reading, { offset: 0, line: 1 });
  } catch (error) {
    reading.close();
    throw error;
  }
}

/**
 * Reads what was added to a file since it was opened, after a check that it begins as it did. Otherwise it is read anew.
 * @throws SessionFileError when it is gone or holds no session any more; TypeError for what came through a pipe
 */
export async function resume(previous: Opened): Promise<Resumed> {
  const { checkpoint } = previous;
  const reading = checkpoint && readings.get(checkpoint);
  if (!reading) throw new TypeError("expected a session opened from a file, found one that came through a pipe: it cannot be read on");
  const stats = await statOf(reading.path);
  if (!reading.endsWithin && beginsAsBefore(reading.source, stats, checkpoint)) return { ...(await readFrom(reading, checkpoint.resumeAt)), how: "append" };
  reading.close();
  return { ...(await openSession(reading.path, reading.options)), how: "reread" };
}

/** What goes on with an opened file, by the checkpoint that a copy of `Opened` shares. */
const readings = new WeakMap<Checkpoint, Reading<FileSource>>();

async function statOf(path: string): Promise<Stats> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw folderError(path);
    return stats;
  } catch (error) {
    throw error instanceof SessionFileError ? error : fileSystemError(path, error);
  }
}

function beginsAsBefore(source: Source, stats: Stats, { device, inode, resumeAt, headSha256, lastSha256 }: Checkpoint): boolean {
  if (stats.dev !== device || stats.ino !== inode) return false;
  try {
    return headHash(source, resumeAt.offset) === headSha256 && lastHash(source, resumeAt.offset) === lastSha256;
  } catch (error) {
    if (error instanceof SourceChangedError) return false;
    throw error;
  }
}

function headHash(source: Source, end: Bytes): Sha256 {
  return sha256(source.read(0, Math.min(EDGE, end)));
}

function lastHash(source: Source, end: Bytes): Sha256 {
  return sha256(source.read(Math.max(0, end - EDGE), end));
}

async function readFrom(reading: Reading<FileSource>, from: ScanPosition): Promise<Opened> {
  const { path, source, options } = reading;
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const { dev, ino, size } = await file.stat();
    const scanner = reading.scanner(from);
    let at = from.offset;
    for await (const chunk of chunksOf(file, at)) {
      at += chunk.length;
      reading.take(scanner, chunk);
      options.onProgress?.(at, size);
    }
    const { tail, resumeAt } = scanner.end();
    const session = reading.session();
    const checkpoint: Checkpoint = {
      device: dev,
      inode: ino,
      size,
      resumeAt,
      headSha256: headHash(source, resumeAt.offset),
      lastSha256: lastHash(source, resumeAt.offset),
    };
    readings.set(checkpoint, reading);
    return { session, format: reading.format, diagnostics: reading.diagnostics(), tail, checkpoint, close: () => reading.close() };
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? fileSystemError(path, error) : error;
  } finally {
    await file?.close();
  }
}

/** The bytes from `start`, piece by piece; each is good until the next is asked for, while that one is being read already. */
async function* chunksOf(file: FileHandle, start: Bytes): AsyncGenerator<Buffer> {
  const [one, two] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  let ahead = file.read(one, 0, CHUNK, start);
  for (let at = start; ; ) {
    const { bytesRead, buffer } = await ahead;
    if (bytesRead === 0) return;
    at += bytesRead;
    ahead = file.read(buffer === one ? two : one, 0, CHUNK, at);
    // Whoever stops listening leaves a read behind, whose failure nobody needs to hear of.
    ahead.catch(() => undefined);
    yield buffer.subarray(0, bytesRead);
  }
}

async function openStream(path: string, stream: Readable, options: OpenOptions): Promise<Opened> {
  const source = new BufferSource(path);
  const reading = new Reading(path, source, options);
  const scanner = reading.scanner({ offset: 0, line: 1 });
  let read = 0;
  try {
    for await (const piece of stream) {
      const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as string);
      source.push(chunk);
      reading.take(scanner, chunk);
      read += chunk.length;
      options.onProgress?.(read, undefined);
    }
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? fileSystemError(path, error) : error;
  }
  const { tail } = scanner.end();
  const session = reading.session();
  return { session, format: reading.format, diagnostics: reading.diagnostics(), tail, checkpoint: null, close: () => reading.close() };
}

/** A value as detection knows it: of a part, the larger one with that part alone. */
function wholeOf({ value, element }: RawRecord): unknown {
  if (!element) return value;
  const keys = element.list === "" ? [] : element.list.split(".");
  const inner = keys.reduceRight<unknown>((whole, key) => ({ [key]: whole }), [value]);
  return Array.isArray(inner) ? inner : { ...element.head, ...(inner as object) };
}

/** One source on its way through scanner and reader: the format is found with the first value that shows it. */
class Reading<S extends Source = Source> implements ScanSink {
  readonly path: string;
  readonly source: S;
  readonly options: OpenOptions;
  readonly #noticed: Diagnostic[] = [];
  readonly #companions: FileSource[] = [];
  #format: Format | undefined;
  #reader: FormatReader | undefined;
  #within = false;
  /** Until the format is known: values so far, bytes so far, the first of them. */
  #waiting: RawRecord[] = [];
  #read: Bytes = 0;
  #firstBytes = Buffer.alloc(0);

  constructor(path: string, source: S, options: OpenOptions) {
    this.path = path;
    this.source = source;
    this.options = options;
  }

  scanner(from: ScanPosition): RecordScanner {
    const { limit } = this.options;
    return new RecordScanner(this.source, this, { from, ...(limit !== undefined && { limit }) });
  }

  take(scanner: RecordScanner, chunk: Buffer): void {
    if (this.#firstBytes.length < EDGE) this.#firstBytes = Buffer.concat([this.#firstBytes, chunk.subarray(0, EDGE)]);
    this.#read += chunk.length;
    scanner.push(chunk);
    if (!this.#reader && (this.#read - scanner.underway > UNKNOWN_BYTES || this.#waiting.length > UNKNOWN_VALUES)) throw this.#noSession();
  }

  /** What the file showed itself to be; only asked for when it did. */
  get format(): string {
    return this.#format?.name ?? "unknown";
  }

  /** Whether the last thing read was part of a value that has not ended. */
  get endsWithin(): boolean {
    return this.#within;
  }

  record(record: RawRecord, bytes?: Buffer): void {
    this.#within = record.element !== undefined;
    if (this.#reader) {
      this.#give(this.#reader, record, bytes);
      return;
    }
    const format = detect(wholeOf(record));
    if (!format) this.#waiting.push(record);
    else this.#give(this.#begin(format), record, bytes);
  }

  parts(): Parts | undefined {
    return this.#format ? this.#format.parts : ALL_PARTS;
  }

  /** Hands a record to the reader, its parts before it. */
  #give(reader: FormatReader, record: RawRecord, bytes?: Buffer): void {
    const parts = this.#format?.parts;
    if (parts && !record.element && bytes && hasParts(record.value, parts)) {
      const { source, start: offset, line } = record.range;
      const sink: ScanSink = { record: (part) => reader.add(part), diagnostic: (each) => this.diagnostic(each) };
      new PartScanner(source, sink, parts, { offset, line }, this.options.limit ?? bytes.length).take(bytes);
    }
    reader.add(record);
  }

  diagnostic(diagnostic: Diagnostic): void {
    this.#noticed.push(diagnostic);
  }

  /** @throws SessionFileError when no value showed a format, or its version is not read */
  session(): Session {
    if (!this.#reader) throw this.#noSession();
    const session = this.#reader.session();
    const unread = this.#reader.diagnostics.find(({ code }) => code === "bad-header");
    if (unread) throw unreadVersionError(this.path, unread.message);
    const bodiless = this.#reader.diagnostics.find(({ code }) => code === "bodies-missing");
    if (bodiless) throw bodiesError(this.path, bodiless.message);
    return session;
  }

  diagnostics(): Diagnostic[] {
    return [...this.#noticed, ...(this.#reader?.diagnostics ?? [])].sort((a, b) => a.start - b.start);
  }

  close(): void {
    for (const file of [this.source, ...this.#companions]) if (file instanceof FileSource) file.close();
  }

  #begin(format: Format): FormatReader {
    const reader = this.#readerOf(format);
    this.#format = format;
    this.#reader = reader;
    for (const waiting of this.#waiting) if (format.parts || !waiting.element) reader.add(waiting);
    this.#waiting = [];
    return reader;
  }

  #readerOf(format: Format): FormatReader {
    const context: ReaderContext = { source: this.source, companion: (relativePath) => this.#companion(relativePath) };
    return format.reader(context);
  }

  #companion(relativePath: string): FileSource | undefined {
    const companion = this.source instanceof FileSource ? fileBeside(this.path, relativePath) : undefined;
    if (companion) this.#companions.push(companion);
    return companion;
  }

  #noSession(): SessionFileError {
    return noSessionError(this.path, this.#firstBytes, this.#read, this.#waiting.length);
  }
}
