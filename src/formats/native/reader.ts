// The lines of a native log → session: a batch counts when its last line is there, and its bodies too.
import { realpathSync } from "node:fs";
import { Session } from "../../session/index.ts";
import type { Diagnostic, FormatReader, RawRecord } from "../reader.ts";
import { BodyFile, bodiesPath } from "./bodies.ts";
import { isNativeHeader, lineParser, NATIVE_VERSION, type ParsedLine, parseHeader } from "./entry-line.ts";

/** Where a line stands, its end left out. */
export type Spot = Pick<Diagnostic, "file" | "line" | "start" | "end">;

interface Line extends ParsedLine {
  readonly spot: Spot;
}

/** What the first line gives. */
interface Opened {
  readonly session: Session;
  readonly bodies: BodyFile;
  readonly parse: ReturnType<typeof lineParser>;
}

/**
 * Reads a native log, one line a record. Diagnostics: `bad-header` (nothing can be read), `bad-entry`, `broken-batch` (lines of it
 * are lost), `torn-tail` (a batch not closed so far), `bodies-missing`, `duplicate-id`, `missing-parent`, `illegal-decision`.
 */
export class NativeReader implements FormatReader {
  readonly format = "palimpsest";
  #opened: Opened | undefined;
  #problem: string | undefined;
  #batch: Line[] = [];
  /** The first batch without its bodies: neither it nor what follows counts. */
  #without: Line[] | undefined;
  #last: Spot | undefined;
  readonly #noticed: Diagnostic[] = [];
  #diagnostics: readonly Diagnostic[] = [];

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Why nothing can be read, once a first line was. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The bodies beside the log; none before its first line. */
  get bodies(): BodyFile | undefined {
    return this.#opened?.bodies;
  }

  /** Whether a batch was left out because its bodies are missing. */
  get lacksBodies(): boolean {
    return this.#without !== undefined;
  }

  /** The last line that counts: the first one, or that of the last batch which was closed and has its bodies. */
  get last(): Spot | undefined {
    return this.#last;
  }

  add({ range, value }: RawRecord): void {
    this.line(value, { file: range.source.name, line: range.line, start: range.start, end: range.end });
  }

  /** Takes the next line, parsed. */
  line(value: unknown, spot: Spot): void {
    if (!this.#opened) this.#open(value, spot);
    else if (!this.#without) this.#take(value, spot, this.#opened);
  }

  /** Takes note of a line that is no JSON. */
  badLine(spot: Spot): void {
    this.#notice("bad-line", spot, "expected one JSON object, found other bytes. The line is left out, and so is its batch.");
  }

  /** Takes note of bytes at the end that are no JSON and have no line end. */
  halfLine(spot: Spot): void {
    this.#notice("torn-tail", spot, "the last line is not whole: it is left out, and so is its batch.");
  }

  session(): Session {
    const tail = this.#batch[0];
    const open = `the batch that starts here was not closed: its ${this.#batch.length} whole lines are left out.`;
    this.#diagnostics = [...this.#noticed, ...(tail ? [{ code: "torn-tail", message: open, ...tail.spot }] : [])];
    return this.#opened?.session ?? new Session({ id: "", format: this.format });
  }

  #open(value: unknown, spot: Spot): void {
    if (this.#problem !== undefined) return;
    const identity = parseHeader(value);
    if (!("problem" in identity)) {
      const bodies = bodiesBeside(spot.file);
      this.#opened = { session: new Session(identity), bodies, parse: lineParser(bodies) };
      this.#last = spot;
      return;
    }
    this.#problem = isNativeHeader(value)
      ? `expected the first line of a log of version ${NATIVE_VERSION}, found another: ${identity.problem}. A newer program may have written it.`
      : "expected the first line of a native log, found something else. Open the file as the format that it is.";
    this.#notice("bad-header", spot, this.#problem);
  }

  #take(value: unknown, spot: Spot, opened: Opened): void {
    const parsed = opened.parse(value);
    if ("problem" in parsed) {
      this.#notice("bad-entry", spot, `expected an entry, found something else: ${parsed.problem}. The line is left out, and so is its batch.`);
      return;
    }
    this.#batch.push({ ...parsed, spot });
    if (parsed.closing) this.#close(parsed.closing.lines, spot, opened);
  }

  /** The last `count` lines are a batch; lines before them belong to one whose end was lost. */
  #close(count: number, spot: Spot, opened: Opened): void {
    const lines = this.#batch;
    this.#batch = [];
    const batch = lines.slice(-count);
    const stray = lines.at(-count - 1);
    if (stray) this.#notice("broken-batch", stray.spot, `${lines.length - count} lines up to here belong to a batch that was not closed: they are left out.`);
    if (batch.length < count) {
      this.#notice("broken-batch", spot, `the batch that ends here has ${count} lines, of which ${batch.length} can be read: it is left out.`);
      this.#last = spot;
    } else if (batch.every(({ needs }) => needs.every(({ end }) => opened.bodies.reaches(end)))) {
      this.#load(batch, opened);
      this.#last = spot;
    } else {
      this.#without = batch;
      this.#notice(
        "bodies-missing",
        spot,
        `expected the texts of this batch in ${opened.bodies.name}, found the file shorter or not there. This batch and all behind it are left out: put the whole file back beside the log.`,
      );
    }
  }

  #load(batch: readonly Line[], { session, bodies }: Opened): void {
    for (const { entry, needs, spot } of batch) {
      needs.forEach((stored) => {
        bodies.know(stored);
      });
      const illegal = session.illegal.length;
      const refusal = session.load(entry);
      if (refusal) this.#notice(refusal.code, spot, `${refusal.message}: it is left out.`);
      for (const { message } of session.illegal.slice(illegal)) this.#notice("illegal-decision", spot, `${message}: it counts for nothing.`);
    }
    const { entry, closing } = batch.at(-1) as Line;
    const head = closing?.head ?? entry.id;
    if (session.head?.entry.id !== head) session.continueAt(head);
  }

  #notice(code: string, spot: Spot, message: string): void {
    this.#noticed.push({ code, message, ...spot });
  }
}

/** The bodies of a log in its own folder; of one that came through a pipe there are none. */
function bodiesBeside(file: string): BodyFile {
  let log: string;
  try {
    log = realpathSync(file);
  } catch {
    return new BodyFile(undefined, `a file beside ${file}`);
  }
  const path = bodiesPath(log);
  return new BodyFile(path, path);
}
