// What is wrong with a configuration, said to the person who wrote it.

/** `config-not-json`, `config-wrong-type`, `config-unknown-key`, `config-out-of-range`. */
type ConfigErrorCode = "config-not-json" | "config-wrong-type" | "config-unknown-key" | "config-out-of-range";

/** One fault: where, what was expected, what was found. */
export interface ConfigFault {
  readonly code: ConfigErrorCode;
  /** Keys from the top, such as `condense.stub.share`; empty for the whole text. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** A configuration that cannot be used. `code` and `path` are those of the first fault; the message lists all. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;
  readonly path: string;
  readonly faults: readonly ConfigFault[];

  /** `place`: what a person knows the text by, mostly its file. `faults`: at least one. */
  constructor(place: string, faults: readonly ConfigFault[]) {
    super(faults.map((fault) => line(place, fault)).join("\n"));
    this.code = (faults[0] as ConfigFault).code;
    this.path = (faults[0] as ConfigFault).path;
    this.faults = faults;
  }
}

function line(place: string, { path, expected, found, remedy }: ConfigFault): string {
  return `${place}${path === "" ? "" : `, ${path}`}: expected ${expected}, found ${found}. ${remedy}`;
}
