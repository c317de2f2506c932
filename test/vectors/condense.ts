// Reads the tables in test/vectors/condense.
import { readFileSync } from "node:fs";

/** A text as a table holds it: written out, or as pieces with the number of times each one is repeated. */
export type Pieces = string | readonly (readonly [string, number])[];

export function textOfPieces(pieces: Pieces): string {
  return typeof pieces === "string" ? pieces : pieces.map(([piece, times]) => piece.repeat(times)).join("");
}

/** The lists of one table, which must be those of `T`. */
export function table<T>(name: "chains" | "labels" | "dedupe" | "spill" | "guards"): T {
  return JSON.parse(readFileSync(new URL(`./condense/${name}.json`, import.meta.url), "utf8")) as T;
}
