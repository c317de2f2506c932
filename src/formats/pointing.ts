// Texts of a record as bodies that stay in it.
import { type Body, type Pick, type Pointer, pointedBody, type Source } from "../session/index.ts";
import { jsonText, valueAt } from "./json.ts";
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
    return pointedBody(String(valueAt(this.#record.value, path)), this.#at(this.#way(path).path));
  }

  /** A text composed from the record. */
  composed(compose: (record: unknown) => string): Body {
    return pointedBody(compose(this.#record.value), this.#at(compose));
  }

  /** The value at a path as JSON text. */
  json(path: Path): Body {
    return this.composed(this.#way(path).json);
  }

  /** The whole record as JSON text. */
  whole(): Body {
    return this.json([]);
  }

  /** A name that many records hold (a tool's, a model's), as the one string that all of them share. */
  name(name: string): string {
    const { names } = sharedOf(this.#record.range.source);
    const known = names.get(name);
    if (known === undefined && names.size < NAMES) names.set(name, name);
    return known ?? name;
  }

  #way(path: Path): Way {
    let way = sharedOf(this.#record.range.source).ways;
    for (const [depth, key] of path.entries()) {
      let next = way.below.get(key);
      if (!next) {
        next = newWay(path.slice(0, depth + 1));
        way.below.set(key, next);
      }
      way = next;
    }
    return way;
  }
}

/** So many different names are shared; more are no names of tools or models. */
const NAMES = 1000;

/** What the records of a source have in common: there are hundreds of thousands of them, and few names and places of texts. */
interface Shared {
  readonly ways: Way;
  readonly names: Map<string, string>;
}

/** A path, and what leads along it to JSON text. */
interface Way {
  readonly path: Path;
  readonly json: (record: unknown) => string;
  readonly below: Map<string | number, Way>;
}

const shared = new WeakMap<Source, Shared>();

function sharedOf(source: Source): Shared {
  const known = shared.get(source);
  if (known) return known;
  const fresh: Shared = { ways: newWay([]), names: new Map() };
  shared.set(source, fresh);
  return fresh;
}

function newWay(path: Path): Way {
  return { path, json: (record) => jsonText(valueAt(record, path)), below: new Map() };
}
