// From what the schema found wrong to what a person needs to know.
import type { z } from "zod";
import type { ConfigFault } from "./error.ts";
import { nearest } from "./nearest.ts";
import { REPLACED } from "./removed.ts";
import { shown } from "./secret.ts";

/** The faults in one issue of the schema. `value` is what was written, `defaults` a complete one that knows every key, those of records under `*`. */
export function faultsOf(issue: z.core.$ZodIssue, value: unknown, defaults: unknown): ConfigFault[] {
  const path = issue.path.map(String);
  const found = shown(path.join("."), at(value, path));
  const one = (code: ConfigFault["code"], expected: string, remedy: string): ConfigFault[] => [{ code, path: path.join("."), expected, found, remedy }];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(path, key, defaults));
    case "too_small":
      return one(
        "config-out-of-range",
        issue.origin === "string" ? "a text that is not empty" : `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`,
        "Change it, or leave the key out for its default.",
      );
    case "too_big":
      return one("config-out-of-range", `at most ${issue.maximum}`, "Change it, or leave the key out for its default.");
    case "invalid_type":
      return one("config-wrong-type", TYPES[issue.expected] ?? issue.expected, wrongTypeRemedy(issue.expected));
    case "invalid_key":
      return one("config-out-of-range", issue.issues[0]?.message ?? "a name", "Rename it, or take it out.");
    case "invalid_value":
      return one(
        "config-out-of-range",
        `one of ${issue.values.map((each) => JSON.stringify(each)).join(", ")}`,
        "Change it, or leave the key out for its default.",
      );
    default:
      return one("config-out-of-range", issue.message, "Change it, or leave the key out for its default.");
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  string: "a text in quotes",
  array: "an array of texts",
  object: "an object",
  record: "an object",
};

function wrongTypeRemedy(expected: string): string {
  if (expected === "array") return 'Write it as ["one", "another"], a single one too.';
  return "Change it, or leave the key out for its default.";
}

function unknownKey(above: readonly string[], key: string, defaults: unknown): ConfigFault {
  return unknownKeyFault([...above, key], defaults);
}

/** The fault of a path that leads to no key, its last part being the one that is not there. */
export function unknownKeyFault(parts: readonly string[], defaults: unknown): ConfigFault {
  const path = parts.join(".");
  const key = parts.at(-1) ?? "";
  const known = Object.keys(knownAt(defaults, parts.slice(0, -1)) as object);
  const expected = `one of the keys ${known.join(", ")}`;
  const found = JSON.stringify(key);
  const instead = REPLACED.get(path);
  if (instead !== undefined)
    return { code: "config-removed-key", path, expected: `${instead}, which does the work of ${path}`, found, remedy: `Write ${instead}, or take it out.` };
  const meant = nearest(key, known) ?? elsewhere(key, defaults);
  return {
    code: "config-unknown-key",
    path,
    expected,
    found,
    remedy: meant === undefined ? "Take it out, or write the key that was meant." : `Did you mean ${meant}? Write it so, or take it out.`,
  };
}

/** The whole path of a key of that name in another group. */
function elsewhere(key: string, defaults: unknown, above = ""): string | undefined {
  for (const [name, value] of Object.entries(defaults as object)) {
    if (above !== "" && name === key) return above + name;
    const inside = typeof value === "object" && value !== null && !Array.isArray(value) ? elsewhere(key, value, `${above}${name}.`) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** The keys of a group; those of an entry in a record stand under `*`. */
function knownAt(defaults: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => Reflect.get(inner as object, Object.hasOwn(inner as object, key) ? key : "*"), defaults);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}
