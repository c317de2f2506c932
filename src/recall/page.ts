// One text in pages, and a literal search in it.

export type Unit = "lines" | "bytes";

export interface Page {
  readonly text: string;
  readonly unit: Unit;
  /** Where the page starts: 1-based in lines, 0-based in bytes. */
  readonly offset: number;
  /** Lines or bytes of the whole text. */
  readonly total: number;
  /** Where the next page starts; absent on the last. */
  readonly next?: number;
}

/** Lines of a text; a final line end closes the last line and opens none. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** What pages of one text share, so that a walk through all of them reads it once. */
interface Known {
  readonly text: string;
  bytes?: Buffer;
  lines?: number;
  /** Where a line of it begins: the one behind the page of lines given last. */
  next?: { readonly line: number; readonly start: number };
}

/** The texts of the newest pages: a page of a page is asked for in between. Held weakly, as a text can be large. */
let newest: readonly WeakRef<Known>[] = [];

function knownOf(text: string): Known {
  const known = newest.map((each) => each.deref()).find((each) => each?.text === text);
  if (known) return known;
  const fresh: Known = { text };
  newest = [new WeakRef(fresh), ...newest.slice(0, 1)];
  return fresh;
}

/** `limit` lines of a text from line `offset` (1-based), line ends as they are. */
export function pageOfLines(text: string, offset: number, limit: number): Page {
  const known = knownOf(text);
  known.lines ??= lineCount(text);
  const from = known.next && known.next.line <= offset ? known.next : { line: 1, start: 0 };
  let { start } = from;
  for (let { line } = from; line < offset && start >= 0; line++) start = after(text, start);
  if (start < 0) start = text.length;
  let end = start;
  for (let line = 0; line < limit && end < text.length; line++) {
    const next = after(text, end);
    end = next < 0 ? text.length : next;
  }
  if (end < text.length && offset >= 1) known.next = { line: offset + limit, start: end };
  return { text: text.slice(start, end), unit: "lines", offset, total: known.lines, ...(end < text.length && { next: offset + limit }) };
}

function after(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? -1 : at + 1;
}

/** At most `limit` bytes of a text as UTF-8 from byte `offset`; a page never parts a character and holds at least one. */
export function pageOfBytes(text: string, offset: number, limit: number): Page {
  const known = knownOf(text);
  known.bytes ??= Buffer.from(text, "utf8");
  const { bytes } = known;
  const start = characterStart(bytes, Math.min(offset, bytes.length));
  let end = characterStart(bytes, Math.min(start + Math.max(1, limit), bytes.length));
  if (end <= start && start < bytes.length) end = characterEnd(bytes, start);
  return { text: bytes.toString("utf8", start, end), unit: "bytes", offset: start, total: bytes.length, ...(end < bytes.length && { next: end }) };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && isContinuation(bytes[start])) start -= 1;
  return start;
}

function characterEnd(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (isContinuation(bytes[end])) end += 1;
  return end;
}

export interface Match {
  /** 1-based. */
  readonly line: number;
  /** The line, cut around the match where it is long. */
  readonly text: string;
}

const SHOWN = 240;

/** Every line that holds `needle` literally; one match a line. An empty needle matches nothing. */
export function* matches(text: string, needle: string): IterableIterator<Match> {
  if (needle === "") return;
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(needle); at >= 0; ) {
    for (let end = text.indexOf("\n", counted); end >= 0 && end < at; end = text.indexOf("\n", counted)) {
      line += 1;
      counted = end + 1;
    }
    const end = text.indexOf("\n", at);
    yield { line, text: around(text.slice(counted, end < 0 ? text.length : end), at - counted) };
    if (end < 0) return;
    at = text.indexOf(needle, end + 1);
  }
}

function around(line: string, at: number): string {
  if (line.length <= SHOWN) return line.replace(/\r$/, "");
  const from = Math.max(0, Math.min(at - SHOWN / 4, line.length - SHOWN));
  return `${from > 0 ? "…" : ""}${line.slice(from, from + SHOWN)}${from + SHOWN < line.length ? "…" : ""}`;
}
