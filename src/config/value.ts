// A value written as text, in a variable or on the command line, read as the type of its key.
import type { ConfigFault } from "./error.ts";
import type { ConfigKey, KeyType } from "./keys.ts";
import { isSecret, shortened } from "./secret.ts";

/** A value, or why the text is none. */
export type ReadValue = { readonly value: unknown } | { readonly fault: ConfigFault };

const EXPECTED: Readonly<Record<KeyType, string>> = {
  "whole number": "a whole number",
  number: "a number",
  "true or false": "true or false",
  text: "a text",
  texts: "texts such as one,another",
  "one of": "a text",
  "JSON object": "a JSON object",
};

const REMEDIES: Readonly<Partial<Record<KeyType, string>>> = {
  texts: 'Write one,another or a whole JSON array such as ["one", "another"].',
  "JSON object": 'Write it whole, such as {"name": {"baseUrl": "http://127.0.0.1:8000/v1"}}.',
};

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TRUTHS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/**
 * The value of a key that a text means. Texts are separated by commas, those in braces apart, or written as a JSON array; whether a value is in
 * its range is for the schema to say.
 *
 * @example readValue(key, "read, bash"); // { value: ["read", "bash"] } where the key holds texts
 */
export function readValue(key: ConfigKey, text: string): ReadValue {
  const trimmed = text.trim();
  if (key.nullable && trimmed === "null") return { value: null };
  const value = typedValue(key.type, trimmed);
  return value === undefined ? { fault: notOfType(key, text) } : { value };
}

function typedValue(type: KeyType, text: string): unknown {
  switch (type) {
    case "whole number":
    case "number":
      return NUMBER.test(text) ? Number(text) : undefined;
    case "true or false":
      return Object.hasOwn(TRUTHS, text.toLowerCase()) ? TRUTHS[text.toLowerCase()] : undefined;
    case "texts":
      return text.startsWith("[") ? json(text) : separated(text);
    case "JSON object":
      return text.startsWith("{") ? json(text) : undefined;
    default:
      return text;
  }
}

function separated(text: string): string[] {
  return text === "" ? [] : text.split(/,(?![^{}]*\})/).map((each) => each.trim());
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notOfType({ path, type, nullable }: ConfigKey, text: string): ConfigFault {
  return {
    code: "config-wrong-type",
    path,
    expected: `${EXPECTED[type]}${nullable ? ", or null" : ""}`,
    found: isSecret(path) ? "a text that is none" : JSON.stringify(shortened(text)),
    remedy: REMEDIES[type] ?? "Change it, or leave it out for the default.",
  };
}
