// Why a call got no answer, as the agent that made it needs it: code, expected, found, what to do.

/** A call that cannot be answered as it was made. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The text for the agent: `code: what was expected, what was found, what to do`. */
export function problemText(error: unknown): string {
  return isExplained(error) ? `${error.code}: ${error.message}` : `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

/** Whether an error carries a code of ours and says all there is to say. */
export function isExplained(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^[a-z]+(-[a-z]+)*$/.test(error.code);
}

const LONGEST = 80;

/** A value as JSON; one that is deeper than the writer goes, by what it is. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? "a list nested too deep to show" : "an object nested too deep to show";
  }
}

/** What was found, as JSON cut to a short length. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = jsonOf(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
