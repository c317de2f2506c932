// Whole objects that end a line whose start is torn or is no JSON.
import { startOfLast } from "./extent.ts";

/** Bytes `[start, end)` of a line that are one object. */
export interface Salvaged {
  readonly start: number;
  readonly end: number;
}

/** So many names must an object share with a record of the same file to be taken for one, not for a part of a torn one. */
const SHARED_NAMES = 3;

/**
 * The objects that end a line, last ones glued behind each other, first to last. Each is found from its end, in one pass over its
 * bytes, as nothing is known of the bytes before it. `record`: any record of the same file; without one every object counts.
 */
export function lastValues(bytes: Buffer, from: number, stop: number, record: unknown): Salvaged[] {
  const names = new Set(Object.keys(isObject(record) ? record : {}));
  const values: Salvaged[] = [];
  for (let end = stop; bytes[end - 1] === 0x7d; ) {
    const start = startOfLast(bytes, from, end);
    if (start <= from) break;
    const value = parsed(bytes.toString("utf8", start, end));
    if (!isObject(value)) break;
    if (names.size > 0 && Object.keys(value).filter((name) => names.has(name)).length < Math.min(SHARED_NAMES, names.size)) break;
    values.unshift({ start, end });
    end = start;
  }
  return values;
}

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
