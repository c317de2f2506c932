// What went wrong, as the person at the terminal needs it: code, place, expected, found, what to do.

/** Ends a command with an exit code and one message on stderr. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** An error that carries a code of ours and says all there is to say. */
function isOurs(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^[a-z]+(-[a-z]+)*$/.test(error.code);
}

/** The line for stderr and the exit code of whatever a command threw. */
export function explained(error: unknown): { readonly line: string; readonly exitCode: number } {
  if (error instanceof Failure) return { line: `palimpsest: ${error.code}: ${error.message}`, exitCode: error.exitCode };
  if (isOurs(error))
    return {
      line: `palimpsest: ${error.code}: ${error.message}`,
      exitCode: error.name === "ConfigError" ? 1 : error.name === "SourceChangedError" || error.code === "copy-not-verified" ? 4 : 2,
    };
  if (error instanceof Error)
    return {
      line: `palimpsest: unexpected: ${error.stack ?? error.message}\nThis is a fault of palimpsest: please report it with the line above.`,
      exitCode: 2,
    };
  return { line: `palimpsest: unexpected: ${String(error)}`, exitCode: 2 };
}
