// Texts of a record as bodies that stay in it.
import { type Body, type Pick, type Pointer, pointedBody } from "../session/index.ts";
import { valueAt } from "./json.ts";
import type { RawRecord } from "./reader.ts";

export type Path = readonly (string | number)[];

/** Points into one record. */
export class Pointing {
  readonly #record: RawRecord;

  constructor(record: RawRecord) {
    this.#record = record;
  }

  #at(pick: Pick): Pointer {
    const { source, start, end } = this.#record.range;
    return { source, start, end, pick };
  }

  /** The string at a path. */
  text(path: Path): Body {
    return pointedBody(String(valueAt(this.#record.value, path)), this.#at(path));
  }

  /** A text composed from the record. */
  composed(compose: (record: unknown) => string): Body {
    return pointedBody(compose(this.#record.value), this.#at(compose));
  }

  /** The value at a path as JSON text. */
  json(path: Path): Body {
    return this.composed((record) => JSON.stringify(valueAt(record, path)) ?? "null");
  }

  /** The whole record as JSON text. */
  whole(): Body {
    return this.json([]);
  }
}
