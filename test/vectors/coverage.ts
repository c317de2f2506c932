// Reads the tables in test/vectors/coverage.
import { readFileSync } from "node:fs";

/** A span as a table holds it: start and end. */
export type Pair = readonly [number, number];

/** The lists of one table, which must be those of `T`. Numbers that JSON lacks stand in place of `{"number": "NaN"}` and the like; one that is undefined is absent. */
export function coverageTable<T>(name: "spans" | "windows"): T {
  return JSON.parse(readFileSync(new URL(`./coverage/${name}.json`, import.meta.url), "utf8"), (_, value) => numberThatJsonLacks(value)) as T;
}

function numberThatJsonLacks(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("number" in value)) return value;
  return value.number === "undefined" ? undefined : Number(value.number);
}
