// The JSON value in a file's text.
import { ConfigError } from "./error.ts";

/**
 * The value in a text; a byte order mark before it is no fault.
 *
 * @param place What a person knows the text by.
 * @throws ConfigError where it is not JSON.
 */
export function jsonValue(text: string, place: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const found = text.trim() === "" ? "an empty text" : `what JSON does not allow (${(error as SyntaxError).message})`;
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
