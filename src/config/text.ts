// The JSON value in a file's text.
import { ConfigError, type ConfigFault } from "./error.ts";

/**
 * The value in a text; a byte order mark before it is no fault.
 *
 * @param place What a person knows the text by.
 * @throws ConfigError where it is not JSON, or writes a key twice.
 */
export function jsonValue(text: string, place: string): unknown {
  const value = parsed(text, place);
  const faults = keysWrittenTwice(text);
  if (faults.length > 0) throw new ConfigError(place, faults);
  return value;
}

function parsed(text: string, place: string): unknown {
  try {
    const value: unknown = JSON.parse(withoutMark(text));
    if (isWithin(value, DEEPEST)) return value;
  } catch (error) {
    const found = text.trim() === "" ? "an empty text" : `what JSON does not allow ${placeOf(withoutMark(text), (error as SyntaxError).message)}`;
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
  throw new ConfigError(place, [
    {
      code: "config-too-deep",
      path: "",
      expected: `objects and lists at most ${DEEPEST} deep`,
      found: "deeper ones",
      remedy: "Take them out: no key needs more than three levels.",
    },
  ]);
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

/** Where the parser stumbled. Its own words may repeat the text, which may hold what is secret. */
function placeOf(text: string, message: string): string {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (line !== undefined) return `in line ${line}, column ${column}`;
  if (!isStrange(message)) return "at its end";
  const before = text.slice(0, strangeAt(text));
  return `in line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`;
}

/** Of the token that the parser does not know it says no place. All texts up to it fail at their end or not at all, all that hold it fail by it. */
function strangeAt(text: string): number {
  let [below, above] = [0, text.length];
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (isStrange(messageOf(text.slice(0, middle)))) above = middle;
    else below = middle;
  }
  return below;
}

function isStrange(message: string): boolean {
  return message.startsWith("Unexpected token");
}

function messageOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Levels that are read; the keys themselves have three. */
const DEEPEST = 100;

/** Whether a value has at most so many objects and lists in each other. */
function isWithin(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return false;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each).filter((inner) => typeof inner === "object") : []));
  }
  return true;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/** Of two values of one key JSON keeps the last, and whoever wrote the first is not told. `text`: valid JSON. */
function keysWrittenTwice(text: string): ConfigFault[] {
  const twice = new Set<string>();
  const open: { readonly keys: Set<string>; readonly isObject: boolean; key: string }[] = [];
  let string = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === "{" || token === "[") open.push({ keys: new Set(), isObject: token === "{", key: "" });
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") string = token;
    else if (inner) {
      inner.key = JSON.parse(string) as string;
      if (inner.keys.has(inner.key)) twice.add(open.flatMap(({ isObject, key }) => (isObject ? [key] : [])).join("."));
      inner.keys.add(inner.key);
    }
  }
  return [...twice].map((path) => ({
    code: "config-duplicate-key",
    path,
    expected: "each key once",
    found: "this one again",
    remedy: "Leave it there once: of several values only the last would count.",
  }));
}
