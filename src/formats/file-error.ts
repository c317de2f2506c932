// Why no session came of a file: what was expected at which place, what was found, and what to do.

export type SessionFileProblem =
  | "not-found"
  | "is-folder"
  | "permission"
  | "unreadable"
  | "empty"
  | "binary"
  | "not-a-session"
  | "unsupported-version"
  | "bodies-missing";

/** No session could be read; there is no partial one. */
export class SessionFileError extends Error {
  override readonly name = "SessionFileError";
  readonly code: SessionFileProblem;
  /** The path, or `-` for standard input. */
  readonly path: string;

  constructor(code: SessionFileProblem, path: string, message: string) {
    super(`${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}

const LIST = "`palimpsest sessions` lists the sessions on this machine.";

/** What the file system said, in our words. */
export function fileSystemError(path: string, error: unknown): SessionFileError {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "ENOENT" || code === "ENOTDIR")
    return new SessionFileError("not-found", path, `expected a session file, found nothing there. Check the path; ${LIST}`);
  if (code === "EACCES" || code === "EPERM")
    return new SessionFileError("permission", path, "expected a file that can be read, found one without permission. Give this user read access to it.");
  if (code === "EISDIR") return folderError(path);
  return new SessionFileError("unreadable", path, `expected a file that can be read, found ${code}. Check the disk it lies on, then try again.`);
}

export function folderError(path: string): SessionFileError {
  return new SessionFileError("is-folder", path, `expected a session file, found a folder. Name one of the files in it; ${LIST}`);
}

export function unreadVersionError(path: string, problem: string): SessionFileError {
  return new SessionFileError("unsupported-version", path, problem);
}

export function bodiesError(path: string, problem: string): SessionFileError {
  return new SessionFileError("bodies-missing", path, problem);
}

/** What is in a file that has no record of any format. `start`: its first bytes. `size`: bytes in all. `values`: JSON values among them. */
export function noSessionError(path: string, start: Buffer, size: number, values: number): SessionFileError {
  if (size === 0 || (size <= start.length && start.toString("latin1").trim() === ""))
    return new SessionFileError("empty", path, `expected a session file, found ${size === 0 ? "no bytes" : "blank lines only"}. ${LIST}`);
  const other = OTHER_FORMATS.find(({ begins }) => start.subarray(0, begins.length).equals(begins));
  if (other) return new SessionFileError("binary", path, `expected a session file, which is text, found ${other.found}. ${other.hint}`);
  if (isBinary(start) && (values === 0 || start.includes(0)))
    return new SessionFileError("binary", path, `expected a session file, which is text, found binary data. Check the path; ${LIST}`);
  const found = values > 0 ? `${values === 1 ? "a JSON value" : `${values} JSON values`}, none of which is a session's` : `text that begins ${quoted(start)}`;
  return new SessionFileError(
    "not-a-session",
    path,
    `expected a session of an agent that is read (Pi, Claude Code, Codex, Gemini CLI, SWE-agent), a chat or a Palimpsest log, found ${found}. Check the path; ${LIST}`,
  );
}

/** What sessions are found packed in or kept as, by its first bytes; unpacked it may well be a session. */
const OTHER_FORMATS: readonly { readonly begins: Buffer; readonly found: string; readonly hint: string }[] = [
  {
    begins: Buffer.from([0x1f, 0x8b]),
    found: "gzip data",
    hint: "Unpack it first: gunzip -c FILE gives its text, and - in place of FILE takes that from a pipe.",
  },
  {
    begins: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    found: "zstd data",
    hint: "Unpack it first: zstd -dc FILE gives its text, and - in place of FILE takes that from a pipe.",
  },
  { begins: Buffer.from("PK\u0003\u0004"), found: "a zip archive", hint: "Unpack it first, and name the session file in it." },
  { begins: Buffer.from("SQLite format 3\0"), found: "an SQLite database", hint: "Export the session from the agent that keeps it there, and name that file." },
  { begins: Buffer.from([0xff, 0xfe]), found: "UTF-16 text", hint: "Save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE does." },
  { begins: Buffer.from([0xfe, 0xff]), found: "UTF-16 text", hint: "Save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE does." },
];

/** Control characters other than tab, line ends and escape do not occur in text. */
function isBinary(start: Buffer): boolean {
  return start.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
}

function quoted(start: Buffer): string {
  const line = start.toString("utf8").trim().split("\n")[0] ?? "";
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}…` : line);
}
