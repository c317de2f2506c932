// What writers of condensed copies share: what they are asked, what they report, and files that are either whole or not there.
import { accessSync, closeSync, constants, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, sep } from "node:path";
import type { Damage, Opened } from "../formats/index.ts";
import type { Bytes, Ref, Tokens } from "../session/index.ts";
import type { Composition } from "../view/index.ts";

/** The session that is copied, as it was opened from a file. */
export type CopySource = Opened & { readonly path: string };

export interface CopyOptions {
  /** A folder for the copy, or the copy itself. Absent: where its host looks for it. */
  readonly path?: string;
  /** Says what would be written, and writes nothing. */
  readonly dryRun?: boolean;
}

/** Something that stays whole in a copy, and why. */
export interface LeftWhole {
  /** A ref or an entry id. */
  readonly what: string;
  readonly kind: "result" | "call" | "message";
  readonly why: string;
}

export interface CopyReport {
  readonly format: string;
  /** Of the copy's file. */
  readonly path: string;
  /** Of the copy as a session. */
  readonly id: string;
  /** The command that resumes it. */
  readonly resume: string;
  /** The folder that it must lie in for that, where it does not. */
  readonly place?: string;
  /** False for a dry run, and where the plan holds nothing that the host can show. */
  readonly written: boolean;
  /** What the copy shows otherwise than its source. */
  readonly results: number;
  readonly calls: number;
  readonly messages: number;
  /** Estimated, of the next request. */
  readonly tokens: { readonly before: Tokens; readonly after: Tokens };
  /** The same by category. */
  readonly categories: { readonly before: Composition; readonly after: Composition };
  /** What was planned and is shown whole. */
  readonly left: readonly LeftWhole[];
  /** Of the note that names what was condensed; null where there is none. */
  readonly note: Ref | null;
  /** Pieces of the source that are no records, carried along as they are. */
  readonly damaged: number;
  /** Records that shared a line with another: each has its own in the copy. */
  readonly parted: number;
  /** Other files that were written beside the copy. */
  readonly files: readonly string[];
  /** Facts that were read back and compared with the source. */
  readonly checked: number;
}

export type CopyProblem =
  | "copy-not-offered"
  | "copy-needs-file"
  | "copy-needs-path"
  | "copy-bad-path"
  | "copy-exists"
  /** The entry that it is to end with is in the middle of what its host keeps together. */
  | "copy-bad-end"
  /** The record that its batch must name has no id. */
  | "copy-no-id"
  | "copy-not-written"
  /** It was written and read back otherwise than expected, and taken away again. */
  | "copy-not-verified";

/** No copy was made, and nothing is left behind. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: CopyProblem;

  constructor(code: CopyProblem, message: string) {
    super(message);
    this.code = code;
  }
}

/** How much of the source's file was read when it was opened. @throws CopyError for another format, or where there is no file to copy */
export function checkedSource({ path, checkpoint, format: found }: CopySource, format: string): Bytes {
  if (found !== format) throw new CopyError("copy-not-offered", `${path}: expected a session of ${format}, found one of ${found}.`);
  if (!checkpoint)
    throw new CopyError("copy-needs-file", `${path}: expected a session file, found a stream, beside which nothing can be kept. Save it to a file first.`);
  return checkpoint.size;
}

/** `found`: what is not as expected. */
export function notVerified(path: string, found: string): CopyError {
  return new CopyError(
    "copy-not-verified",
    `${path}: expected the copy to read back as planned, found that ${found}. It was taken away again. Was the source changed meanwhile? Open it and try again.`,
  );
}

/** @throws CopyError where something is there already, or no folder to write to */
export function checkPlace(path: string): void {
  if (existsSync(path)) throw new CopyError("copy-exists", `${path}: expected no file there, found one, and a copy never overwrites. Name another place.`);
  try {
    accessSync(`${dirname(path)}${sep}.`, constants.W_OK);
  } catch (error) {
    throw explainedFault(path, error);
  }
}

/** What the file system said while a copy was written, as an error of ours; anything else is given back as it is. */
export function explainedFault(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return error;
  const found =
    error.code === "ENOENT" || error.code === "ENOTDIR"
      ? "no such folder"
      : error.code === "EACCES" || error.code === "EPERM" || error.code === "EROFS"
        ? "no permission to write there"
        : error.code === "ENOSPC" || error.code === "EDQUOT" || error.code === "EFBIG"
          ? "no room for it"
          : String(error.code);
  if (error.code === "EEXIST")
    return new CopyError("copy-exists", `${path}: expected no file there, found one, and a copy never overwrites. Name another place.`);
  return new CopyError(
    "copy-not-written",
    `${path}: expected a place that a copy can be written to, found ${found}. Nothing was left there; name another place.`,
  );
}

const CHUNK: Bytes = 1024 * 1024;
const NEWLINE = Buffer.from("\n");

/** A new file that gathers small writes. Its name must be free. */
export class DraftFile {
  readonly path: string;
  readonly #file: number;
  #held: Uint8Array[] = [];
  #size: Bytes = 0;
  #closed = false;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "wx", 0o600);
  }

  write(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= CHUNK) this.#flush();
  }

  line(text: string): void {
    this.write(Buffer.from(`${text}\n`));
  }

  /** The bytes of a record on one line: between its parts line ends become blanks. */
  record(bytes: Uint8Array): void {
    this.write(onOneLine(bytes));
    this.write(NEWLINE);
  }

  /** What is no record goes along as it is, on lines of its own; NULs alone hold nothing. */
  damage({ source, start, end }: Damage): void {
    let written = false;
    for (let at = start; at < end; at += CHUNK) {
      const bytes = source.read(at, Math.min(end, at + CHUNK));
      if (!written && bytes.every((byte) => byte === 0)) continue;
      this.write(bytes);
      written = true;
    }
    if (written) this.write(NEWLINE);
  }

  /** Everything is on disk when this returns, under the draft's name. */
  finish(): void {
    this.#flush();
    fsyncSync(this.#file);
    this.close();
  }

  close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#size = 0;
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }
}

/** JSON text on one line: in it, raw line ends stand only between values. */
export function onOneLine(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0x0a) && !bytes.includes(0x0d)) return bytes;
  return Uint8Array.from(bytes, (byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}

/** Gives a draft its name, unless a file of that name came meanwhile. */
export function putInPlace(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // A file system without links.
    checkPlace(path);
    renameSync(draft, path);
    return;
  }
  rmSync(draft);
}
