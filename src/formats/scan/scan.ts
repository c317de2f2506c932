// The bytes of a file, in pieces → its JSON values, each with its place, and a diagnostic for all that is none.
import { type Bytes, type RecordRange, type Source, sha256 } from "../../session/index.ts";
import { isObject } from "../json.ts";
import { Extent } from "./extent.ts";
import { OpenValue, type Oversized } from "./open-value.ts";
import { PartScanner } from "./parts.ts";
import { recordOf } from "./record.ts";
import { lastValues, parsed } from "./salvage.ts";
import type { ScanPosition, ScanSink } from "./sink.ts";

/** An unfinished end of a file: no error, since somebody may still be writing it. */
export interface Tail {
  readonly line: number;
  readonly start: Bytes;
  /** The end of the file. */
  readonly end: Bytes;
}

export interface ScanOptions {
  /** @default the start of the source */
  readonly from?: ScanPosition;
  /** A value of more bytes than this is not held: its record is a stub. @default 32 MiB */
  readonly limit?: Bytes;
}

const LIMIT: Bytes = 32 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const NEWLINE = Buffer.from("\n");
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;

/** What stands behind the bytes at hand: the end of the line, of the file, or more of the same line. */
type Behind = "line" | "file" | "more";

type Place = Pick<RecordRange, "start" | "end" | "line">;

/**
 * Finds the JSON values in bytes that come in pieces of any size: one a line, several on one line, one over many lines. Lines end at
 * byte 0x0A alone. What cannot be read costs the line it stands on: an object that was not finished is given up when a line begins
 * with a whole one, and an object that ends a torn line is taken from it. Memory does not grow with the source.
 */
export class RecordScanner {
  readonly #source: Source;
  readonly #sink: ScanSink;
  readonly #limit: Bytes;
  /** The current line as far as it came, or what is left of it behind a value that flowed. */
  #held: Buffer[] = [];
  #heldSize: Bytes = 0;
  /** Offset of the first byte that is held, or of the next one to come. */
  #start: Bytes;
  #line: number;
  /** A value that began on an earlier line, or on this one where it is too long to hold. */
  #open: OpenValue | undefined;
  /** Goes through `#open` where that is too large to hold. */
  #walk: PartScanner | undefined;
  /** Whether the current line goes into `#open` as it comes. */
  #flows = false;
  /** Where bytes began that are no value, on a line too long to hold. */
  #skipped: Bytes | undefined;
  #tail: Tail | undefined;
  /** The value before, by which one behind torn bytes is known. */
  #last: unknown;

  constructor(source: Source, sink: ScanSink, { from = { offset: 0, line: 1 }, limit = LIMIT }: ScanOptions = {}) {
    this.#source = source;
    this.#sink = sink;
    this.#limit = limit;
    this.#start = from.offset;
    this.#line = from.line;
  }

  /** Takes the next bytes; their memory may be used again afterwards. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let from = 0;
    for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, from)) {
      this.#endLine(bytes.subarray(from, newline));
      from = newline + 1;
    }
    if (from < bytes.length) this.#piece(bytes.subarray(from));
  }

  /** No more bytes come. Gives the unfinished end, where there is one, and where reading goes on once the source has grown. */
  end(): { readonly tail: Tail | null; readonly resumeAt: ScanPosition } {
    if (this.#skipped === undefined && !this.#flows) this.#takeLine(this.#takeHeld(NOTHING), "file");
    const end = this.#start;
    if (this.#skipped !== undefined) this.#tail = { line: this.#line, start: this.#skipped, end };
    if (this.#open) {
      const { offset, line } = this.#partsOf(this.#open)?.behind ?? { offset: this.#open.start, line: this.#open.line };
      this.#tail = { line, start: offset, end };
    }
    const tail = this.#tail ?? null;
    return { tail, resumeAt: tail ? { offset: tail.start, line: tail.line } : { offset: end, line: this.#line } };
  }

  /** Bytes of a value that may turn out to be one, or from which parts are being read: 0 between values. */
  get underway(): Bytes {
    if (!this.#open) return this.#held[0]?.[0] === OPEN_BRACE || this.#held[0]?.[0] === OPEN_BRACKET ? this.#heldSize : 0;
    return this.#walk?.handed === 0 ? 0 : this.#open.end - this.#open.start + this.#heldSize;
  }

  /** More of the current line. */
  #piece(bytes: Buffer): void {
    if (this.#skipped !== undefined) this.#start += bytes.length;
    else if (this.#flows) this.#flow(bytes);
    else if (bytes.length > 0) {
      this.#held.push(Buffer.from(bytes));
      this.#heldSize += bytes.length;
      if (this.#heldSize > this.#limit) this.#overflow();
    }
  }

  /** The rest of the current line. */
  #endLine(piece: Buffer): void {
    let rest = piece;
    if (!this.#flows && this.#heldSize + rest.length > this.#limit) {
      this.#piece(rest);
      rest = NOTHING;
    }
    if (this.#skipped !== undefined) {
      this.#start += rest.length;
      this.#badLine(this.#line, this.#skipped, this.#start);
      this.#skipped = undefined;
    } else if (!this.#flows) this.#takeLine(this.#takeHeld(rest), "line");
    else if (this.#flow(rest)) this.#takeLine(this.#takeHeld(NOTHING), "line");
    else this.#endFlow();
    this.#start += 1;
    this.#line += 1;
  }

  #takeHeld(rest: Buffer): Buffer {
    if (this.#held.length === 0) return rest;
    const bytes = Buffer.concat([...this.#held, rest]);
    this.#held = [];
    this.#heldSize = 0;
    return bytes;
  }

  /** A line grew too long to hold: from here on it goes where its bytes belong as they come. */
  #overflow(): void {
    const bytes = this.#takeHeld(NOTHING);
    if (this.#open && this.#open.firstByte === OPEN_BRACE && bytes[0] === OPEN_BRACE) this.#giveUp(this.#open, endBeforeLine(this.#open));
    if (this.#open) {
      this.#flows = true;
      this.#flow(bytes);
    } else {
      const at = this.#fresh(bytes, 0, "more");
      this.#start += at;
      if (at < bytes.length) {
        this.#held.push(bytes.subarray(at));
        this.#heldSize = bytes.length - at;
      }
    }
  }

  /** Gives bytes of the current line to the open value; says whether that ended it. What stands behind it is held. */
  #flow(bytes: Buffer): boolean {
    const open = this.#open as OpenValue;
    const end = open.extent.take(bytes);
    const own = end < 0 ? bytes : bytes.subarray(0, end);
    open.add(own);
    this.#start += own.length;
    if (end < 0) return false;
    this.#open = undefined;
    this.#flows = false;
    if (!this.#finish(open)) this.#badValue(open, open.end);
    this.#piece(bytes.subarray(end));
    return true;
  }

  /** The line ended within the value that flows. */
  #endFlow(): void {
    const open = this.#open as OpenValue;
    this.#flows = false;
    if (open.extent.inString) this.#giveUp(open, open.end);
    else open.add(NEWLINE);
  }

  /** A line that is held as a whole. */
  #takeLine(bytes: Buffer, behind: Behind): void {
    if (!this.#open) this.#fresh(bytes, 0, behind);
    else if (!beginsAnew(this.#open, bytes)) this.#continue(this.#open, bytes, behind);
    else {
      this.#giveUp(this.#open, endBeforeLine(this.#open));
      this.#fresh(bytes, 0, behind);
    }
    this.#start += bytes.length;
  }

  /** One more line of a value that began on an earlier one. */
  #continue(open: OpenValue, bytes: Buffer, behind: Behind): void {
    const end = open.extent.take(bytes);
    if (end < 0 && open.extent.inString && behind === "line") {
      this.#giveUp(open, endBeforeLine(open));
      this.#fresh(bytes, 0, behind);
    } else if (end < 0) {
      open.add(bytes);
      if (behind === "line") open.add(NEWLINE);
    } else {
      const before = endBeforeLine(open);
      open.add(bytes.subarray(0, end));
      this.#open = undefined;
      const whole = this.#finish(open);
      const done = whole || this.#badValue(open, before);
      this.#fresh(bytes, done ? end : 0, behind);
    }
  }

  /** An open value will not be finished: its line ended within a string, or something else stands where it should go on. */
  #giveUp(open: OpenValue, end: Bytes): void {
    this.#open = undefined;
    this.#badValue(open, end);
  }

  /** What is none of the parts of a damaged value, up to `end`, is a bad line. Says whether the parts told it all. */
  #badValue(open: OpenValue, end: Bytes): boolean {
    const walk = this.#partsOf(open);
    const behind = walk?.behind;
    this.#walk = undefined;
    if (walk?.doneAt !== undefined) return true;
    if ((behind?.offset ?? open.start) < end) this.#badLine(behind?.line ?? open.line, behind?.offset ?? open.start, end);
    return false;
  }

  /** Hands over the parts that a value has so far, unless that was done as they came. Undefined where it has none. */
  #partsOf(open: OpenValue): PartScanner | undefined {
    const held = open.held;
    const walk = held ? this.#partsIn(held, { offset: open.start, line: open.line }) : this.#walk;
    return walk && walk.handed > 0 ? walk : undefined;
  }

  #partsIn(bytes: Buffer, from: ScanPosition): PartScanner | undefined {
    const walk = this.#walker(from);
    walk?.take(bytes);
    return walk && walk.handed > 0 ? walk : undefined;
  }

  #walker(from: ScanPosition): PartScanner | undefined {
    const parts = this.#sink.parts?.();
    return parts && new PartScanner(this.#source, this.#sink, parts, from, this.#limit);
  }

  /** Bytes of a line, from `from`, that no open value waits for. Gives the index up to which they are dealt with: all, unless more come. */
  #fresh(bytes: Buffer, from: number, behind: Behind): number {
    const stop = behind === "more" ? bytes.length : trimmedEnd(bytes, from);
    let at = from;
    while (at < stop && isBlank(bytes[at])) at += 1;
    if (behind !== "more" && bytes[at] === OPEN_BRACE && bytes[stop - 1] === CLOSE_BRACE && this.#take(bytes, at, stop)) return stop;
    while (at < stop) {
      const next = this.#next(bytes, at, stop, behind);
      if (next === at) break;
      at = next;
    }
    return at;
  }

  /** Deals with what stands at `at`; gives the index behind it, or `at` where more bytes must come and can be held till then. */
  #next(bytes: Buffer, at: number, stop: number, behind: Behind): number {
    const byte = bytes[at];
    if (isBlank(byte)) return at + 1;
    if (byte === 0) return this.#nuls(bytes, at, stop, behind);
    if (byte === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) return at + 3;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#bracketed(bytes, at, stop, behind);
    // A bare value counts only as a whole line; a number at the end of a file may still grow.
    const isWhole = behind === "line" || (behind === "file" && !/\d/.test(String.fromCharCode(bytes[stop - 1] as number)));
    return isWhole && this.#take(bytes, at, stop) ? stop : this.#leave(bytes, at, stop, behind);
  }

  #nuls(bytes: Buffer, at: number, stop: number, behind: Behind): number {
    let end = at;
    while (end < stop && bytes[end] === 0) end += 1;
    if (this.#canWait(bytes, at, behind) && end === stop) return at;
    if (behind === "file" && end === stop) this.#tail = this.#tailFrom(bytes, at);
    else
      this.#notice(
        "nul-block",
        this.#start + at,
        this.#start + end,
        `found ${end - at} NUL bytes, as a crash leaves them. They are passed over; what stood there was never written.`,
      );
    return end;
  }

  #bracketed(bytes: Buffer, at: number, stop: number, behind: Behind): number {
    const extent = new Extent();
    const end = extent.take(bytes.subarray(at, stop));
    if (end >= 0) return this.#take(bytes, at, at + end) ? at + end : this.#leave(bytes, at, stop, behind);
    if (this.#canWait(bytes, at, behind)) return at;
    if (extent.inString && behind !== "more") return this.#leave(bytes, at, stop, behind);
    const place = { start: this.#start + at, line: this.#line };
    const open = new OpenValue(bytes.subarray(at), extent, place, this.#limit, () => {
      this.#walk = this.#walker({ offset: place.start, line: place.line });
      return this.#walk;
    });
    if (behind === "line") open.add(NEWLINE);
    this.#open = open;
    this.#flows = behind === "more";
    return bytes.length;
  }

  /** Bytes that are no value: whole objects at their end are taken, the rest is a bad line, or the unfinished end of the file. */
  #leave(bytes: Buffer, at: number, stop: number, behind: Behind): number {
    if (this.#canWait(bytes, at, behind)) return at;
    if (behind === "more") {
      this.#skipped = this.#start + at;
      return stop;
    }
    const walk = this.#partsIn(bytes.subarray(at, stop), { offset: this.#start + at, line: this.#line });
    if (walk?.doneAt !== undefined) return walk.doneAt - this.#start;
    const from = walk ? walk.behind.offset - this.#start : at;
    const values = lastValues(bytes, from, stop, this.#last);
    const end = values[0]?.start ?? stop;
    if (behind === "file" && values.length === 0) this.#tail = this.#tailFrom(bytes, from);
    else if (from < end) this.#badLine(this.#line, this.#start + from, this.#start + end);
    for (const value of values) this.#take(bytes, value.start, value.end);
    return stop;
  }

  #canWait(bytes: Buffer, at: number, behind: Behind): boolean {
    return behind === "more" && bytes.length - at <= this.#limit;
  }

  #tailFrom(bytes: Buffer, at: number): Tail {
    return { line: this.#line, start: this.#start + at, end: this.#start + bytes.length };
  }

  /** Hands over the value of a line's bytes `[at, end)`, if they are one. */
  #take(bytes: Buffer, at: number, end: number): boolean {
    return this.#emit(bytes.subarray(at, end), this.#start + at, this.#line);
  }

  #finish(open: OpenValue): boolean {
    const { start, line, end } = open;
    const walk = this.#walk;
    this.#walk = undefined;
    const contents = open.contents();
    return "sha256" in contents ? this.#record(contents, { start, end, line }, walk) : this.#emit(contents, start, line);
  }

  #emit(bytes: Buffer, start: Bytes, line: number): boolean {
    const walk = bytes.length > this.#limit ? this.#partsIn(bytes, { offset: start, line }) : undefined;
    return this.#record(bytes, { start, end: start + bytes.length, line }, walk);
  }

  /** Hands over a value; `walk`: what handed over its parts already. */
  #record(contents: Buffer | Oversized, place: Place, walk: PartScanner | undefined): boolean {
    const range = { source: this.#source, ...place };
    if (walk && walk.handed > 0) {
      this.#sink.record({ range: { ...range, sha256: "sha256" in contents ? contents.sha256 : sha256(contents) }, value: walk.head });
      return true;
    }
    const record = recordOf(contents, range, this.#limit, this.#sink);
    if (!record) return false;
    if (!record.oversized) this.#last = record.value;
    if ("sha256" in contents) this.#sink.record(record);
    else this.#sink.record(record, contents);
    return true;
  }

  #badLine(line: number, start: Bytes, end: Bytes): void {
    this.#notice("bad-line", start, end, "expected JSON, found bytes that are none or were cut off. They are left out; reading went on behind them.", line);
  }

  #notice(code: string, start: Bytes, end: Bytes, message: string, line = this.#line): void {
    this.#sink.diagnostic({ code, message, file: this.#source.name, line, start, end });
  }
}

/**
 * Whether a line begins with a whole object where an open value should go on: the open one was torn. Behind a comma in a list it is the
 * next element. At the start of a list, and elsewhere in an open one, it may well be an element: there it must be a record, alone on its line.
 */
function beginsAnew(open: OpenValue, bytes: Buffer): boolean {
  if (bytes[0] !== OPEN_BRACE) return false;
  const end = new Extent().take(bytes);
  const value = end > 0 ? parsed(bytes.toString("utf8", 0, end)) : undefined;
  if (value === undefined) return false;
  const before = open.extent.inOuterList ? open.lastSolidByte : undefined;
  if (before === COMMA) return false;
  if (open.firstByte === OPEN_BRACE && before !== OPEN_BRACKET) return true;
  return end === trimmedEnd(bytes, 0) && isObject(value) && typeof value.type === "string";
}

/** The end of what an open value has on the lines before this one, the last line's end left out. */
function endBeforeLine(open: OpenValue): Bytes {
  return open.end - 1;
}

/** Space, tab, carriage return. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function trimmedEnd(bytes: Buffer, from: number): number {
  let end = bytes.length;
  while (end > from && isBlank(bytes[end - 1])) end -= 1;
  return end;
}
