// Looking into parsed JSON whose shape is not known.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A count as a host wrote it; 0 for anything that is none. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** What stands at a path of keys. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) at = (at as JsonObject | undefined)?.[key];
  return at;
}

/** What `at` gives for each index below `count`, but where it gives nothing. The list keeps no room to grow, as lists that are pushed to and `flatMap` do. */
export function listOf<T>(count: number, at: (index: number) => T | undefined): T[] {
  const list: T[] = [];
  for (let index = 0; index < count; index++) {
    const value = at(index);
    if (value !== undefined) list.push(value);
  }
  return list.slice();
}

/** A time as ISO text in milliseconds since 1970; undefined where it does not parse: no time is ever made up. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** A value as a host's template shows it; an object or a list, which no host means, as JSON text. */
export function shownText(value: unknown): string {
  return typeof value === "object" && value !== null ? jsonText(value) : String(value);
}

/** A parsed value as JSON text, however deep it is: the built-in writer ends at a few thousand levels. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (error instanceof RangeError) return deepText(value);
    throw error;
  }
}

function deepText(value: unknown): string {
  const out: string[] = [];
  const open: { readonly rest: Iterator<[string, unknown]>; readonly close: string; separator: string }[] = [];
  const write = (each: unknown) => {
    if (typeof each !== "object" || each === null) {
      out.push(JSON.stringify(each) ?? "null");
      return;
    }
    const isList = Array.isArray(each);
    out.push(isList ? "[" : "{");
    const entries = isList
      ? each.map((inner): [string, unknown] => ["", inner])
      : Object.entries(each).map(([key, inner]): [string, unknown] => [`${JSON.stringify(key)}:`, inner]);
    open.push({ rest: entries.values(), close: isList ? "]" : "}", separator: "" });
  };
  write(value);
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    const next = inner.rest.next();
    if (next.done) {
      out.push(inner.close);
      open.pop();
      continue;
    }
    const [key, each] = next.value;
    out.push(inner.separator, key);
    inner.separator = ",";
    write(each);
  }
  return out.join("");
}
