// The policy: one schema for every key that a decider reads, with its default and its range.
import { z } from "zod";
import { ConfigError } from "./error.ts";
import { faultsOf } from "./fault.ts";

const count = (least: number) => z.int().min(least);
const share = z.number().min(0).max(1);
const names = z.array(z.string().min(1)).readonly();

const stub = z
  .strictObject({
    /** Part of a result that its stub may take. */
    share: share.default(0.4),
    /** The least that a stub may take, in tokens. */
    min: count(0).default(40),
    /** The most that a stub may take, in tokens. */
    max: count(0).default(2500),
    /** Part of a stub for verbatim lines; the rest lists anchors. */
    lines: share.default(0.3),
  })
  .refine(({ min, max }) => min <= max, { path: ["max"], error: "a number that is not below min" })
  .readonly();

const condense = z
  .strictObject({
    /** Newest results that stay verbatim. */
    keepNewest: count(0).default(8),
    /** Requests between two epochs while the cache is warm. */
    everyRequests: count(1).default(21),
    /** No epoch for a pending saving below this many tokens. */
    minSaving: count(0).default(3000),
    /** No epoch before the context holds this many tokens. */
    minContext: count(0).default(30000),
    /** Results up to this many tokens stay verbatim. */
    smallResult: count(0).default(120),
    stub: stub.prefault({}),
    /** Results from this many UTF-16 code units on are never shown whole. */
    spillThreshold: count(1).default(65536),
    /** The head of a spilled result that is shown, at most this many bytes. */
    spillPreviewBytes: count(0).default(2048),
    /** Tools, by exact name, whose results stay verbatim. */
    protectedTools: names.prefault([]),
    /** Globs of files whose results stay verbatim, whichever tool touched them. */
    protectedPaths: names.prefault(["**/skills/**/*.md"]),
  })
  .readonly();

const policy = z.strictObject({ condense: condense.prefault({}) }).readonly();

/** All that a decider may be told, complete and frozen. */
export type Policy = z.infer<typeof policy>;
export type CondensePolicy = Policy["condense"];

export const DEFAULT_POLICY: Policy = policy.parse({});

/**
 * The policy in a file's text; what it does not name has its default, at any depth.
 *
 * ```ts
 * parsePolicy('{ "condense": { "stub": { "share": 0.3 } } }', "policy.json").condense.stub.max; // 2500
 * ```
 * @param place What a person knows the text by.
 * @throws ConfigError with every fault at once.
 */
export function parsePolicy(json: string, place: string): Policy {
  const value = parsed(json, place);
  const read = policy.safeParse(value);
  if (read.success) return read.data;
  throw new ConfigError(
    place,
    read.error.issues.flatMap((issue) => faultsOf(issue, value, DEFAULT_POLICY)),
  );
}

function parsed(json: string, place: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch (error) {
    const found = json.trim() === "" ? "an empty text" : `what JSON does not allow (${(error as SyntaxError).message})`;
    throw new ConfigError(place, [
      {
        code: "config-not-json",
        path: "",
        expected: "a JSON object",
        found,
        remedy: "Mend it there, or write {} for the defaults: comments and trailing commas are not JSON.",
      },
    ]);
  }
}
