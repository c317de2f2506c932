// Texts by content hash: held in memory or read back from the bytes of the record that holds them.
import { hash } from "node:crypto";

/** SHA-256 of UTF-8 bytes, 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly __brand: "Sha256" };
/** A count of UTF-8 bytes. */
export type Bytes = number;

/** Something bytes are read from again: a file, or a buffer that came through a pipe. */
export interface Source {
  /** What a person knows it by: a path, or `-` for standard input. */
  readonly name: string;
  /** The bytes `[start, end)`. Throws `SourceChangedError` when the place no longer holds that many. */
  read(start: number, end: number): Uint8Array;
}

/** Where a record stands: the JSON value alone, without line end or blank. */
export interface RecordRange {
  readonly source: Source;
  /** 1-based line of the first byte. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly sha256: Sha256;
}

/** Leads from a record to one text in it: a path of keys, or a function for a text that a host composes from several fields. */
export type Pick = readonly (string | number)[] | ((record: unknown) => string) | "whole";

/** A text that stays where it is until somebody reads it. */
export interface Pointer {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** `"whole"`: the range itself is the text, not JSON that holds it. */
  readonly pick: Pick;
}

/** A text known by its content: the same text is the same `sha256`, wherever it lies. */
export interface Body {
  readonly sha256: Sha256;
  readonly bytes: Bytes;
  /** Length in UTF-16 code units. */
  readonly chars: number;
  readonly at: string | Pointer;
}

/** The bytes of a source are no longer those that were read. */
export class SourceChangedError extends Error {
  override readonly name = "SourceChangedError";
  readonly code = "source-changed";
  constructor(source: string, start: number, end: number, found: string) {
    super(
      `${source}, bytes ${start} to ${end}: expected the bytes read before, found ${found}. The file was changed or cut since it was opened: open it again.`,
    );
  }
}

/** Texts up to this many UTF-16 units stay in memory: a pointer would take as much. */
const INLINE_CHARS = 160;

/** SHA-256 of a text as UTF-8; a lone surrogate counts as U+FFFD. */
export function sha256(data: string | Uint8Array): Sha256 {
  return hash("sha256", data, "hex") as Sha256;
}

/** A body held in memory. */
export function textBody(text: string): Body {
  return { sha256: sha256(text), bytes: Buffer.byteLength(text), chars: text.length, at: text };
}

/** A body that stays in its record; short texts are held in memory all the same. */
export function pointedBody(text: string, pointer: Pointer): Body {
  if (text.length <= INLINE_CHARS) return textBody(detached(text));
  return { sha256: sha256(text), bytes: Buffer.byteLength(text), chars: text.length, at: pointer };
}

/** A short text cut free from the long one it may be a slice of. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/**
 * The text of a body.
 * @throws SourceChangedError when the record's place no longer holds it.
 */
export function bodyText(body: Body): string {
  if (typeof body.at === "string") return body.at;
  const text = readPointer(body.at);
  if (text.length !== body.chars)
    throw new SourceChangedError(body.at.source.name, body.at.start, body.at.end, `a text of ${text.length} instead of ${body.chars} characters`);
  return text;
}

function readPointer({ source, start, end, pick }: Pointer): string {
  if (pick === "whole") return Buffer.from(source.read(start, end)).toString("utf8");
  const record = parsedRecord(source, start, end);
  if (typeof pick === "function") return pick(record);
  let value = record;
  for (const key of pick) value = (value as Record<string | number, unknown> | undefined)?.[key];
  if (typeof value !== "string") throw new SourceChangedError(source.name, start, end, `no text at ${pick.join(".")}`);
  return value;
}

/** The record read last from each source: the bodies of one record are mostly read one after the other. */
const lastParsed = new WeakMap<Source, { start: number; end: number; record: unknown }>();

function parsedRecord(source: Source, start: number, end: number): unknown {
  const last = lastParsed.get(source);
  if (last?.start === start && last.end === end) return last.record;
  let record: unknown;
  try {
    record = JSON.parse(Buffer.from(source.read(start, end)).toString("utf8"));
  } catch (error) {
    if (error instanceof SourceChangedError) throw error;
    throw new SourceChangedError(source.name, start, end, "bytes that are not JSON");
  }
  lastParsed.set(source, { start, end, record });
  return record;
}
