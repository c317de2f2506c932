// Pi's session files, versions 1 to 3: records form a tree by their ids; version 1 has none and is a line.
import { type EntryId, type Identity, type Place, type RecordRange, Session } from "../../session/index.ts";
import { isObject, type JsonObject, stringOf, timeOf } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { Diagnostic, FormatReader, RawRecord } from "../reader.ts";
import { type Draft, entryIds, written } from "./changes.ts";
import { blocksAt, branchText, callsAt, compactionText, messageFacts, usageFact } from "./content.ts";
import { type PathState, promptChange, START } from "./path-state.ts";

/** A record as it is kept between reads: its texts stay in the file. */
interface Piece {
  readonly range: RecordRange;
  readonly id: string | undefined;
  /** Null: a root; undefined: below the record before it. */
  readonly parent: string | null | undefined;
  readonly time: number | undefined;
  readonly draft: Draft;
}

/** Whether a parsed record can only be Pi's. */
export function looksLikePi(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.type === "session") return typeof value.id === "string" && ("cwd" in value || "version" in value) && !("sessionId" in value);
  return value.type === "message" && isObject(value.message) && typeof value.message.role === "string" && !("uuid" in value) && !("sessionId" in value);
}

export function piReader(): FormatReader {
  return new PiReader();
}

class PiReader implements FormatReader {
  readonly format = "pi";
  readonly #pieces: Piece[] = [];
  #header: JsonObject | undefined;
  /** Pieces that came before the header: version 1 counts all records. */
  #headerAt = Number.POSITIVE_INFINITY;
  #build: Build | undefined;

  get diagnostics(): readonly Diagnostic[] {
    return this.#build?.diagnostics ?? [];
  }

  add(record: RawRecord): void {
    const { value } = record;
    if (!this.#header && isObject(value) && value.type === "session") {
      this.#headerAt = this.#pieces.length;
      this.#header = { id: value.id, version: value.version, cwd: value.cwd, parentSession: value.parentSession };
      return;
    }
    this.#pieces.push(pieceOf(record));
  }

  session(): Session {
    const identity = identityOf(this.#header);
    const linear = identity.version === 1;
    if (this.#build?.takes(this.#pieces)) this.#build.grow(this.#pieces);
    else this.#build = new Build(identity, linear, this.#pieces, (index) => this.#pieces[index > this.#headerAt ? index - 1 : index]);
    return this.#build.session;
  }
}

function identityOf(header: JsonObject | undefined): Identity {
  const parentSession = stringOf(header?.parentSession);
  const cwd = stringOf(header?.cwd);
  const version = typeof header?.version === "number" ? header.version : header ? 1 : 3;
  return {
    id: stringOf(header?.id) ?? "unknown",
    format: "pi",
    version,
    ...(cwd !== undefined && { cwd }),
    ...(parentSession !== undefined && { parentSession }),
  };
}

function pieceOf(record: RawRecord): Piece {
  const { range, value, oversized } = record;
  if (oversized) {
    const read = (key: string) => new RegExp(`"${key}"\\s*:\\s*"([^"\\\\]*)"`).exec(oversized.head)?.[1];
    return { range, id: read("id"), parent: read("parentId"), time: undefined, draft: { kind: "facts", facts: [{ kind: "marker", what: "oversized" }] } };
  }
  if (!isObject(value))
    return {
      range,
      id: undefined,
      parent: undefined,
      time: undefined,
      draft: { kind: "facts", facts: [{ kind: "marker", what: typeof value, raw: new Pointing(record).whole() }] },
    };
  const parent = value.parentId === null ? null : stringOf(value.parentId);
  return { range, id: stringOf(value.id), parent, time: timeOf(value.timestamp), draft: draftOf(record, value) };
}

function draftOf(record: RawRecord, value: JsonObject): Draft {
  const pointing = new Pointing(record);
  switch (value.type) {
    case "message":
      if (isObject(value.message)) return messageDraft(pointing, value.message);
      break;
    case "custom_message":
      return { kind: "facts", facts: [{ kind: "message", role: "user", host: "custom_message", blocks: blocksAt(pointing, value.content, ["content"]) }] };
    case "branch_summary":
      if (!stringOf(value.summary)) break;
      return {
        kind: "facts",
        facts: [
          {
            kind: "message",
            role: "user",
            host: "branch_summary",
            mark: "derived",
            blocks: [{ type: "text", body: pointing.composed((each) => branchText((each as JsonObject).summary)) }],
          },
        ],
      };
    case "usage":
      if (isObject(value.usage)) return { kind: "facts", facts: [{ ...usageFact(value.usage, stringOf(value.model)), what: stringOf(value.kind) ?? "usage" }] };
      break;
    case "compaction":
      return compactionDraft(pointing, value);
    case "context_edit":
      if (typeof value.targetId === "string" && (value.replacement === null || isObject(value.replacement)))
        return editDraft(pointing, value.targetId, value.replacement);
      break;
  }
  return marker(pointing, stringOf(value.type) ?? "record");
}

function marker(pointing: Pointing, what: string): Draft {
  return { kind: "facts", facts: [{ kind: "marker", what, raw: pointing.whole() }] };
}

function messageDraft(pointing: Pointing, message: JsonObject): Draft {
  if (message.role === "system") return { kind: "prompt", change: promptChange(pointing, message, ["message"]) };
  const facts = messageFacts(pointing, message);
  return facts ? { kind: "facts", facts } : marker(pointing, `message/${message.role}`);
}

function compactionDraft(pointing: Pointing, value: JsonObject): Draft {
  const { firstKeptEntryId, firstKeptEntryIndex, systemMessage } = value;
  return {
    kind: "compaction",
    summary: pointing.composed((each) => String((each as JsonObject).summary ?? "")),
    shown: pointing.composed((each) => compactionText((each as JsonObject).summary ?? "")),
    keep: typeof firstKeptEntryIndex === "number" ? firstKeptEntryIndex : stringOf(firstKeptEntryId),
    change: isObject(systemMessage) ? promptChange(pointing, systemMessage, ["systemMessage"]) : undefined,
  };
}

function editDraft(pointing: Pointing, target: string, replacement: JsonObject | null): Draft {
  if (replacement === null) return { kind: "edit", target, content: null };
  const path = ["replacement", "content"];
  return { kind: "edit", target, content: { blocks: blocksAt(pointing, replacement.content, path), calls: callsAt(pointing, replacement.content, path) } };
}

/** The session of a list of pieces: parents found, cycles cut, parents put before their children. */
class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #linear: boolean;
  readonly #pieceAt: (index: number) => Piece | undefined;
  readonly #ids = new Map<Piece, string>();
  /** The piece that holds each id: of several with one id, the last in the file. */
  readonly #holders = new Map<string, Piece>();
  readonly #states = new Map<string, PathState>();
  #taken = 0;
  /** Whether a later record could change what was read: an id that is named but not there yet. */
  readonly #missing = new Set<string>();

  constructor(identity: Identity, linear: boolean, pieces: readonly Piece[], pieceAt: (index: number) => Piece | undefined) {
    this.session = new Session(identity);
    this.#linear = linear;
    this.#pieceAt = pieceAt;
    this.grow(pieces);
  }

  /** Whether the pieces behind those taken only add to the session. */
  takes(pieces: readonly Piece[]): boolean {
    const fresh = new Set<string>();
    for (const { id } of pieces.slice(this.#taken)) {
      if (id === undefined) continue;
      if (this.#holders.has(id) || this.#missing.has(id) || fresh.has(id)) return false;
      fresh.add(id);
    }
    return true;
  }

  grow(pieces: readonly Piece[]): void {
    const fresh = pieces.slice(this.#taken);
    for (const piece of fresh) this.#name(piece);
    const parents = this.#parents(pieces);
    for (const piece of fresh) this.#emit(piece, parents);
    this.#taken = pieces.length;
    const last = pieces.at(-1);
    const head = last && this.session.named(this.#ids.get(last) as string).at(-1);
    if (head) this.session.continueAt(head.entry.id);
  }

  #name(piece: Piece): void {
    const offset = `@${piece.range.start}`;
    const id = this.#linear ? offset : (piece.id ?? offset);
    const earlier = this.#holders.get(id);
    if (earlier) {
      const moved = `@${earlier.range.start}`;
      this.#ids.set(earlier, moved);
      this.#holders.set(moved, earlier);
      this.#note(earlier, "duplicate-id", `two records have the id ${id}: the later one keeps it, this one is called ${moved}`);
    }
    this.#ids.set(piece, id);
    this.#holders.set(id, piece);
  }

  /** The parent of each piece not emitted yet. */
  #parents(pieces: readonly Piece[]): Map<Piece, Piece | null> {
    const parents = new Map<Piece, Piece | null>();
    for (let index = this.#taken; index < pieces.length; index++) {
      const piece = pieces[index] as Piece;
      parents.set(piece, this.#parentOf(piece, pieces[index - 1]));
    }
    this.#cutCycles(parents);
    return parents;
  }

  #parentOf(piece: Piece, before: Piece | undefined): Piece | null {
    if (this.#linear || piece.parent === undefined) return before ?? null;
    if (piece.parent === null) return null;
    const parent = this.#holders.get(piece.parent);
    if (parent && parent !== piece) return parent;
    this.#missing.add(piece.parent);
    this.#note(
      piece,
      parent ? "cycle" : "missing-parent",
      parent ? "the record is its own parent: it is a root" : `its parent ${piece.parent} is not in the file: it is a root`,
    );
    return null;
  }

  /** Makes the first record in the file of each cycle a root. */
  #cutCycles(parents: Map<Piece, Piece | null>): void {
    const ends = new Set<Piece>();
    for (const start of parents.keys()) {
      const walked: Piece[] = [];
      const here = new Set<Piece>();
      let at: Piece | null | undefined = start;
      for (; at && !ends.has(at) && !here.has(at); at = parents.get(at)) {
        here.add(at);
        walked.push(at);
      }
      if (at && here.has(at)) {
        const cycle = walked.slice(walked.indexOf(at));
        const first = cycle.reduce((a, b) => (a.range.start < b.range.start ? a : b));
        parents.set(first, null);
        this.#note(first, "cycle", "its parents form a circle: it is cut here, at the first of them in the file");
      }
      for (const each of walked) ends.add(each);
    }
  }

  #note({ range }: Piece, code: string, message: string): void {
    this.diagnostics.push({ code, message, file: range.source.name, line: range.line, start: range.start, end: range.end });
  }

  /** Adds a piece, and before it those above it that stand later in the file. */
  #emit(piece: Piece, parents: ReadonlyMap<Piece, Piece | null>): void {
    const above: Piece[] = [];
    for (let at: Piece | null | undefined = piece; at && !this.#states.has(this.#ids.get(at) as string); at = parents.get(at)) above.push(at);
    for (const each of above.reverse()) this.#write(each, parents.get(each) ?? null);
  }

  #write(piece: Piece, parent: Piece | null): void {
    const id = this.#ids.get(piece) as string;
    const parentId = parent && (this.#ids.get(parent) as string);
    const below = parentId === null ? null : (this.session.named(parentId).at(-1) as Place);
    const state = parentId === null ? START : (this.#states.get(parentId) as PathState);
    const made = written(id, piece.draft, {
      session: this.session,
      parent: below,
      state,
      entriesOf: (record) => this.session.named(record),
      idAt: (index) => this.#idAt(index),
    });
    const ids = entryIds(id, made.data.length);
    let last = below?.entry.id ?? null;
    for (const [index, data] of made.data.entries()) {
      this.session.load({ id: ids[index] as EntryId, parent: last, ...(piece.time !== undefined && { time: piece.time }), data, records: [piece.range] });
      last = ids[index] as EntryId;
    }
    this.#states.set(id, made.state);
    if (made.remark) this.#note(piece, made.remark.code, made.remark.message);
  }

  #idAt(index: number): string | undefined {
    const piece = this.#pieceAt(index);
    return piece && this.#ids.get(piece);
  }
}
