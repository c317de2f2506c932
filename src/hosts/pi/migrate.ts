// Pi's versions 1 and 2 as version 3: records get ids and parents, and what was counted or named otherwise.
import { randomUUID } from "node:crypto";
import { jsonText, type RawRecord } from "../../formats/index.ts";

type JsonObject = Readonly<Record<string, unknown>>;

function objectOf({ value }: RawRecord): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The ids of a file's records in the copy. Version 1 has none: each record gets one, and the one before it as parent. */
export class RecordIds {
  readonly version: number;
  readonly #given = new Map<number, { readonly id: string; readonly parent: string | null }>();
  readonly #order: (string | undefined)[] = [];
  readonly #taken = new Set<string>();
  #header: number | undefined;
  #last: string | null = null;

  constructor(version: string | number | undefined) {
    this.version = typeof version === "number" ? version : 3;
  }

  add(record: RawRecord): void {
    const { start } = record.range;
    const value = objectOf(record);
    if (this.#header === undefined && value?.type === "session") {
      this.#header = start;
      this.#order.push(undefined);
      return;
    }
    if (this.version > 1 || (!value && !record.oversized)) {
      const id = typeof value?.id === "string" ? value.id : undefined;
      if (id !== undefined) this.#taken.add(id);
      this.#order.push(id);
      return;
    }
    const id = this.fresh();
    this.#given.set(start, { id, parent: this.#last });
    this.#order.push(id);
    this.#last = id;
  }

  isHeader({ range }: RawRecord): boolean {
    return range.start === this.#header;
  }

  /** The id and the parent that a record of version 1 gets. */
  given({ range }: RawRecord): { readonly id: string; readonly parent: string | null } | undefined {
    return this.#given.get(range.start);
  }

  /** The id, in the copy, of the record that starts at this byte and is called `name` in the source; undefined where it has none. */
  named(start: number, name: string): string | undefined {
    return this.#given.get(start)?.id ?? (name.startsWith("@") ? undefined : name);
  }

  /** The id of the N-th record, the header being 0. */
  at(index: number): string | undefined {
    return index > 0 ? this.#order[index] : undefined;
  }

  /** An id that no record has: eight hexadecimal digits, as Pi makes them. */
  fresh(): string {
    for (;;) {
      const id = randomUUID().slice(0, 8);
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }
}

/** A record's bytes as version 3 has them. Where nothing but an id and a parent is missing, all other bytes stay. */
export function migrated(record: RawRecord, ids: RecordIds): Uint8Array {
  const { source, start, end } = record.range;
  const bytes = source.read(start, end);
  if (ids.version >= 3) return bytes;
  const value = objectOf(record);
  const given = ids.given(record);
  const changed = value && renamed(value, ids);
  if (value && (changed || (given && ("id" in value || "parentId" in value))))
    return Buffer.from(jsonText({ ...(changed ?? value), ...(given && { id: given.id, parentId: given.parent }) }));
  if (!given) return bytes;
  const front = `{"id":${JSON.stringify(given.id)},"parentId":${JSON.stringify(given.parent)}`;
  return Buffer.concat([Buffer.from(value && Object.keys(value).length === 0 ? front : `${front},`), bytes.subarray(1)]);
}

/** What is said otherwise in version 3: where a compaction cuts, and the messages of hooks. */
function renamed(value: JsonObject, ids: RecordIds): JsonObject | undefined {
  if (ids.version === 1 && value.type === "compaction" && typeof value.firstKeptEntryIndex === "number") {
    const { firstKeptEntryIndex, ...rest } = value;
    const kept = ids.at(firstKeptEntryIndex as number);
    return kept === undefined ? rest : { ...rest, firstKeptEntryId: kept };
  }
  const message = value.type === "message" ? (value.message as JsonObject | undefined) : undefined;
  return message?.role === "hookMessage" ? { ...value, message: { ...message, role: "custom" } } : undefined;
}
