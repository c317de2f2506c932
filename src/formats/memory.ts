// A session whose records a host holds in memory: read like a file that grows, with no byte of it kept twice.
import { type Session, type Source, SourceChangedError, sha256 } from "../session/index.ts";
import { FORMATS } from "./detect.ts";
import { jsonText } from "./json.ts";
import type { Diagnostic, FormatReader } from "./reader.ts";

export class MemorySession {
  readonly #reader: FormatReader;
  readonly #source: Source;
  readonly #records: unknown[] = [];
  /** Where each record would start in a file of one a line. */
  readonly #starts: number[] = [];
  #end = 0;

  /**
   * @param format Of the records, such as `pi`.
   * @param name What a person knows the session by.
   * @throws RangeError for a format that is not read.
   */
  constructor(format: string, name: string) {
    const found = FORMATS.find((each) => each.name === format);
    if (!found) throw new RangeError(`expected one of ${FORMATS.map((each) => each.name).join(", ")}, found ${JSON.stringify(format)}`);
    this.#source = { name, read: (start, end) => this.#read(start, end) };
    this.#reader = found.reader({ source: this.#source, companion: () => undefined });
  }

  /** Records taken so far. */
  get size(): number {
    return this.#records.length;
  }

  /** Takes the next record, which must not change any more. */
  add(value: unknown): void {
    const bytes = Buffer.from(jsonText(value));
    const start = this.#end;
    this.#end = start + bytes.length + 1;
    this.#records.push(value);
    this.#starts.push(start);
    const range = { source: this.#source, line: this.#records.length, start, end: start + bytes.length, sha256: sha256(bytes) };
    this.#reader.add({ range, value });
  }

  /** The session of all records so far. */
  session(): Session {
    return this.#reader.session();
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#reader.diagnostics;
  }

  /** The record that starts there, as a place's `records` say. */
  at(start: number): unknown {
    return this.#records[this.#indexAt(start)];
  }

  #indexAt(start: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= start) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #read(start: number, end: number): Uint8Array {
    const index = this.#indexAt(start);
    const bytes = Buffer.from(index in this.#records ? jsonText(this.#records[index]) : "");
    const from = start - (this.#starts[index] ?? 0);
    if (from < 0 || end - start > bytes.length - from) throw new SourceChangedError(this.#source.name, start, end, `${bytes.length} bytes of a record`);
    return bytes.subarray(from, from + end - start);
  }
}
