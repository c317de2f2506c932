// What a condensed copy hides: originals and notes that stand beside it in `SESSION/palimpsest/originals.jsonl`.
import { type RecordRange, type Ref, sha256 } from "../../session/index.ts";
import { isObject, type JsonObject, jsonText, stringOf } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { Companion, ReaderContext } from "../reader.ts";

/** The file of originals, from the folder that goes by the session file's name. */
export const ORIGINALS_FILE = "palimpsest/originals.jsonl";

/** The content of one `tool_result` block as it was. */
export interface Original {
  readonly pointing: Pointing;
  readonly content: unknown;
  /** Its line in the file of originals. */
  readonly range: RecordRange;
}

/** Where a copy says what was condensed: it becomes a decision behind that record. */
export interface Note {
  readonly ref: Ref | undefined;
  /** Each: the record's uuid and the index of the block in its content. */
  readonly targets: readonly (readonly [uuid: string, index: number])[];
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly stub: string;
}

const CHUNK = 1024 * 1024;
const CONTENT = Buffer.from(',"content":');

/** The originals of one session, found by record and block; their texts stay in their file. */
export class Originals {
  readonly #source: Companion;
  readonly #lines = new Map<string, Line[]>();
  readonly #notes = new Map<string, Note[]>();
  /** What is wrong with them, by record. */
  readonly damaged = new Set<string>();

  private constructor(source: Companion) {
    this.#source = source;
    for (const { bytes, start, line } of linesOf(source)) this.#take(bytes, start, line);
  }

  /** Those of the session that is read; undefined where it has none. Only its own folder is looked into. */
  static beside(context: ReaderContext): Originals | undefined {
    const folder = context.source.name
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.jsonl$/, "");
    const companion = folder ? context.companion(`${folder}/${ORIGINALS_FILE}`) : undefined;
    return companion && new Originals(companion);
  }

  #take(bytes: Buffer, start: number, line: number): void {
    const at = bytes.indexOf(CONTENT);
    const head = parsed(at < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), Buffer.from("}")]));
    if (!isObject(head) || typeof head.uuid !== "string") return;
    if (head.kind === "note") add(this.#notes, head.uuid, { ref: stringOf(head.ref) as Ref | undefined, targets: targetsOf(head) });
    if (head.kind !== "original" || at < 0 || typeof head.index !== "number" || typeof head.stub !== "string") return;
    const content = bytes.subarray(at + CONTENT.length, bytes.length - 1);
    if (sha256(content) !== head.sha256) this.damaged.add(head.uuid);
    else add(this.#lines, key(head.uuid, head.index), { start, end: start + bytes.length, line, stub: head.stub });
  }

  /** The notes that stand behind a record. */
  notesAt(uuid: string): readonly Note[] {
    return this.#notes.get(uuid) ?? [];
  }

  /** What a block held before its content became what it is now. */
  find(uuid: string, index: number, content: unknown): Original | undefined {
    const lines = this.#lines.get(key(uuid, index));
    if (!lines) return undefined;
    const stub = sha256(content === undefined ? "" : jsonText(content));
    const found = lines.find((each) => each.stub === stub);
    if (!found) return undefined;
    const { start, end, line } = found;
    const bytes = this.#source.read(start, end);
    const range: RecordRange = { source: this.#source, line, start, end, sha256: sha256(bytes) };
    const value = parsed(Buffer.from(bytes));
    return isObject(value) ? { range, content: value.content, pointing: new Pointing({ range, value }) } : undefined;
  }
}

function add<T>(map: Map<string, T[]>, name: string, value: T): void {
  const known = map.get(name);
  if (known) known.push(value);
  else map.set(name, [value]);
}

function key(uuid: string, index: number): string {
  return `${uuid} ${index}`;
}

function targetsOf({ targets }: JsonObject): Note["targets"] {
  if (!Array.isArray(targets)) return [];
  return targets.flatMap((each: unknown) =>
    Array.isArray(each) && typeof each[0] === "string" && typeof each[1] === "number" ? [[each[0], each[1]] as const] : [],
  );
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The lines of a file, without their ends. */
function* linesOf(source: Companion): Generator<{ readonly bytes: Buffer; readonly start: number; readonly line: number }> {
  const { size } = source;
  let held: Buffer[] = [];
  let start = 0;
  let line = 1;
  for (let at = 0; at < size; at += CHUNK) {
    const chunk = Buffer.from(source.read(at, Math.min(size, at + CHUNK)));
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const bytes = Buffer.concat([...held, chunk.subarray(from, to)]);
      yield { bytes, start, line };
      held = [];
      from = to + 1;
      start = at + from;
      line += 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
}

/** The N of the `tN` in a text that begins like a stub of ours; undefined for any other text. */
export function stubOrdinal(text: string): number | undefined {
  const found = /^\[t(\d{1,9}) [^\]\n]{1,200}\](?:\n|$)/.exec(text);
  return found ? Number(found[1]) : undefined;
}
