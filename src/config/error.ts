// What is wrong with a configuration, said to the person who wrote it.

type ConfigErrorCode =
  | "config-unreadable"
  | "config-not-json"
  | "config-duplicate-key"
  | "config-too-deep"
  | "config-wrong-type"
  | "config-unknown-key"
  | "config-removed-key"
  | "config-out-of-range"
  | "config-not-a-setting"
  | "config-not-of-a-project";

/** One fault: where, what was expected, what was found. */
export interface ConfigFault {
  readonly code: ConfigErrorCode;
  /** The file, variable or option that it is in, where a configuration has several sources. */
  readonly place?: string;
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

  /** `place`: what a person knows the text by, mostly its file, where a fault does not name its own. `faults`: at least one. */
  constructor(place: string, faults: readonly ConfigFault[]) {
    super(faults.map((fault) => faultLine(fault, place)).join("\n"));
    this.code = (faults[0] as ConfigFault).code;
    this.path = (faults[0] as ConfigFault).path;
    this.faults = faults;
  }
}

/** A fault as one line of text. */
export function faultLine({ place, path, expected, found, remedy }: ConfigFault, otherwise: string): string {
  return `${place ?? otherwise}${path === "" ? "" : `, ${path}`}: expected ${expected}, found ${found}. ${remedy}`;
}
