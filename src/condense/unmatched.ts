// Globs that protect nothing in a session, so that whoever mistyped one learns of it.
import { argumentsOf, type ResultRecord } from "./ledger.ts";
import { protection } from "./protect.ts";

/** Those globs that match no file which a call of these results named. */
export function unmatchedGlobs(globs: readonly string[], results: readonly ResultRecord[]): string[] {
  return globs.filter((glob) => {
    const isProtected = protection({ tools: [], paths: [glob] });
    return !results.some(({ call, fact }) => isProtected(fact.tool, argumentsOf(call)));
  });
}
