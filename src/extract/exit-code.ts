// The exit code that a tool states in its output.

/** Characters at either end in which a host states it. */
const LOOKED_AT = 400;

const STATED = /(?:\bexit(?:ed)?(?: with)?(?: exit)?(?: code| status)?|\breturned(?: exit)? (?:code|status)|"exit_?code")["\s]{0,3}[:=]?\s{0,3}(-?\d{1,10})\b/i;

/** The code that the first or the last lines state; `undefined` where they state none. */
export function exitCodeOf(text: string): number | undefined {
  const lines = [...text.slice(0, LOOKED_AT).split("\n", 3), ...text.slice(-LOOKED_AT).split("\n").slice(-4)];
  for (const line of lines) {
    const match = STATED.exec(line);
    if (match) return Number(match[1]);
  }
  return undefined;
}
