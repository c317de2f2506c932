// The records inside one JSON value that holds a list of them, found while its bytes come by, each with its own place.
import type { Bytes, Source } from "../../session/index.ts";
import type { RawRecord } from "../reader.ts";
import { Extent, StringExtent } from "./extent.ts";
import { OpenValue } from "./open-value.ts";
import { recordOf } from "./record.ts";
import { parsed } from "./salvage.ts";
import type { Parts, ScanPosition, ScanSink } from "./sink.ts";

/** Simple values beside the lists are kept up to this size: an id, a time, a version. */
const SIMPLE: Bytes = 4096;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** An object or list that holds parts, or leads to them. */
interface Frame {
  readonly kind: "object" | "list";
  readonly path: string;
  /** Of an object: the key whose value comes; undefined where a key comes. */
  key: string | undefined;
  /** Of a list: elements begun. */
  count: number;
}

/** A value that is passed through: a part that is handed over, a simple one that is kept, or anything else. */
interface Passing {
  readonly shape: "bracketed" | "string" | "bare";
  readonly extent: Extent | StringExtent | undefined;
  readonly part: OpenValue | undefined;
  readonly element: NonNullable<RawRecord["element"]> | undefined;
  /** Of a key or a simple value: its bytes. */
  readonly held: Buffer[] | undefined;
  readonly isKey: boolean;
}

/**
 * Walks through one object or list and hands over its parts as they end. What it holds is one part at a time. Brackets are counted,
 * not matched; a part that is no JSON is a bad line, and the walk goes on behind it.
 */
export class PartScanner {
  readonly #source: Source;
  readonly #sink: ScanSink;
  readonly #limit: Bytes;
  readonly #lists: ReadonlySet<string>;
  readonly #members: ReadonlySet<string>;
  readonly #leading: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  readonly #head: Record<string, unknown> = {};
  #passing: Passing | undefined;
  /** Offset and line of the first byte of the piece at hand. */
  #offset: Bytes;
  #line: number;
  /** Index in the piece up to which its line ends are counted. */
  #counted = 0;
  /** Behind the whole value. */
  #end: Bytes | undefined;
  #handed = 0;
  #faulty = 0;
  #behind: ScanPosition;

  constructor(source: Source, sink: ScanSink, { lists, members = [] }: Parts, from: ScanPosition, limit: Bytes) {
    this.#source = source;
    this.#sink = sink;
    this.#limit = limit;
    this.#lists = new Set(lists);
    this.#members = new Set(members);
    this.#leading = new Set([...lists, ...members].flatMap(prefixes));
    this.#offset = from.offset;
    this.#line = from.line;
    this.#behind = from;
  }

  /** Parts handed over so far. */
  get handed(): number {
    return this.#handed;
  }

  /** Behind a value that came to its end with each fault in it told; undefined of any other. */
  get doneAt(): Bytes | undefined {
    return this.#faulty > 0 ? this.#end : undefined;
  }

  /** Behind the last part that was handed over. */
  get behind(): ScanPosition {
    return this.#behind;
  }

  /** Texts and numbers of the outermost object so far. */
  get head(): Readonly<Record<string, unknown>> {
    return this.#head;
  }

  /** Takes the next bytes; those behind the value are passed over. */
  take(bytes: Buffer): void {
    this.#counted = 0;
    for (let at = 0; at < bytes.length && this.#end === undefined; ) at = this.#passing ? this.#pass(this.#passing, bytes, at) : this.#outer(bytes, at);
    this.#countLines(bytes, bytes.length);
    this.#offset += bytes.length;
  }

  /** A byte between values; gives the index of the next one. */
  #outer(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    const frame = this.#frames.at(-1);
    if (byte === COMMA) {
      if (frame?.kind === "object") frame.key = undefined;
      return at + 1;
    }
    if (byte <= 0x20 || byte === COLON) return at + 1;
    if (isClosing(byte)) {
      this.#frames.pop();
      if (this.#frames.length === 0) this.#end = this.#offset + at + 1;
      return at + 1;
    }
    if (frame?.kind === "object" && frame.key === undefined) {
      if (byte !== QUOTE) return at + 1;
      this.#passing = { shape: "string", extent: new StringExtent(), part: undefined, element: undefined, held: [], isKey: true };
      return at;
    }
    return this.#begin(frame, bytes, at);
  }

  /** A value begins. */
  #begin(frame: Frame | undefined, bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    const shape = isOpening(byte) ? "bracketed" : byte === QUOTE ? "string" : "bare";
    const path = !frame ? "" : frame.kind === "list" ? undefined : joined(frame.path, frame.key ?? "");
    const isPart = path === undefined || (frame !== undefined && this.#members.has(path));
    if (!isPart && shape === "bracketed") {
      const kind = byte === 0x5b ? "list" : "object";
      if (kind === "list" ? this.#lists.has(path) : this.#leading.has(path)) {
        this.#frames.push({ kind, path, key: undefined, count: 0 });
        return at + 1;
      }
    }
    const list = path ?? (frame as Frame).path;
    const element = isPart ? { list, index: path === undefined ? (frame as Frame).count : 0, head: this.#head } : undefined;
    if (path === undefined) (frame as Frame).count += 1;
    const extent = shape === "bracketed" ? new Extent() : shape === "string" ? new StringExtent() : undefined;
    this.#countLines(bytes, at);
    const part = isPart ? new OpenValue(bytes.subarray(at, at), new Extent(), { start: this.#offset + at, line: this.#line }, this.#limit) : undefined;
    const held = !isPart && shape !== "bracketed" && this.#frames.length === 1 ? [] : undefined;
    this.#passing = { shape, extent, part, element, held, isKey: false };
    return at;
  }

  /** Goes on within a value; gives the index behind its last byte or the end. */
  #pass(passing: Passing, bytes: Buffer, at: number): number {
    const rest = bytes.subarray(at);
    const length = passing.extent ? passing.extent.take(rest) : endOfBare(rest);
    const own = length < 0 ? rest : rest.subarray(0, length);
    passing.part?.add(own);
    if (passing.held && sizeOf(passing.held) <= SIMPLE) passing.held.push(Buffer.from(own));
    if (length < 0) return bytes.length;
    this.#passing = undefined;
    const end = at + length;
    this.#ended(passing, bytes, end);
    return end;
  }

  #ended({ part, element, held, isKey }: Passing, bytes: Buffer, end: number): void {
    const frame = this.#frames.at(-1);
    if (part && element) {
      this.#countLines(bytes, end);
      this.#hand(part, element);
    } else if (held && frame && sizeOf(held) <= SIMPLE) {
      const value = parsed(Buffer.concat(held).toString("utf8"));
      if (isKey) frame.key = typeof value === "string" ? value : "";
      else if (value !== undefined && frame.key !== undefined) this.#head[frame.key] = value;
    } else if (isKey && frame) frame.key = "";
  }

  #hand(part: OpenValue, element: NonNullable<RawRecord["element"]>): void {
    const record = recordOf(part.contents(), { source: this.#source, line: part.line, start: part.start, end: part.end }, this.#limit, this.#sink);
    if (!record) {
      this.#faulty += 1;
      const message = "expected JSON, found an element of the list that is none. It is left out; reading went on behind it.";
      this.#sink.diagnostic({ code: "bad-line", message, file: this.#source.name, line: part.line, start: part.start, end: part.end });
      return;
    }
    this.#handed += 1;
    this.#behind = { offset: part.end, line: this.#line };
    this.#sink.record({ ...record, element });
  }

  #countLines(bytes: Buffer, to: number): void {
    for (let newline = bytes.indexOf(0x0a, this.#counted); newline >= 0 && newline < to; newline = bytes.indexOf(0x0a, newline + 1)) this.#line += 1;
    this.#counted = to;
  }
}

/** Whether a value holds a list of records, or a record beside one. */
export function hasParts(value: unknown, { lists, members = [] }: Parts): boolean {
  return lists.some((path) => Array.isArray(at(value, path))) || members.some((path) => at(value, path) !== undefined);
}

function at(value: unknown, path: string): unknown {
  return path === "" ? value : path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}

/** The paths of the objects that lead to a path. */
function prefixes(path: string): string[] {
  const keys = path === "" ? [] : path.split(".");
  return keys.map((_, count) => keys.slice(0, count).join("."));
}

function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function sizeOf(pieces: readonly Buffer[]): Bytes {
  return pieces.reduce((size, piece) => size + piece.length, 0);
}

/** The index of the first byte that cannot belong to a number or a word. */
function endOfBare(bytes: Buffer): number {
  return bytes.findIndex((byte) => byte <= 0x20 || byte === COMMA || byte === COLON || byte === QUOTE || isOpening(byte) || isClosing(byte));
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}
