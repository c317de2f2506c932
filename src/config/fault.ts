// From what the schema found wrong to what a person needs to know.
import type { z } from "zod";
import type { ConfigFault } from "./error.ts";

/** The faults in one issue of the schema. `value` is what was written, `defaults` a complete one that knows every key. */
export function faultsOf(issue: z.core.$ZodIssue, value: unknown, defaults: unknown): ConfigFault[] {
  const path = issue.path.map(String);
  const found = shown(at(value, path));
  const one = (code: ConfigFault["code"], expected: string, remedy: string): ConfigFault[] => [{ code, path: path.join("."), expected, found, remedy }];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(path, key, defaults));
    case "too_small":
      return one(
        "config-out-of-range",
        issue.origin === "string" ? "a text that is not empty" : `at least ${issue.minimum}`,
        "Change it, or leave the key out for its default.",
      );
    case "too_big":
      return one("config-out-of-range", `at most ${issue.maximum}`, "Change it, or leave the key out for its default.");
    case "invalid_type":
      return one("config-wrong-type", TYPES[issue.expected] ?? issue.expected, wrongTypeRemedy(issue.expected));
    default:
      return one("config-out-of-range", issue.message, "Change it, or leave the key out for its default.");
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text in quotes",
  array: "an array of texts",
  object: "an object",
};

function wrongTypeRemedy(expected: string): string {
  if (expected === "array") return 'Write it as ["one", "another"], a single one too.';
  return "Change it, or leave the key out for its default.";
}

function unknownKey(path: readonly string[], key: string, defaults: unknown): ConfigFault {
  const known = Object.keys(at(defaults, path) as object);
  return {
    code: "config-unknown-key",
    path: [...path, key].join("."),
    expected: `one of the keys ${known.join(", ")}`,
    found: JSON.stringify(key),
    remedy: "Take it out, or write the key that was meant.",
  };
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined), value);
}

/** A value as a message may hold it. */
function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
