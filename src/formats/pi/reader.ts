// Pi's session files, versions 1 to 3: records form a tree by their ids; version 1 has none and is a line.
import { type Decision, type EntryId, type Fact, type Identity, type Place, type RecordRange, Session } from "../../session/index.ts";
import { isObject, type JsonObject, shownText, stringOf, timeOf } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { Diagnostic, FormatReader, RawRecord } from "../reader.ts";
import { BATCH_TYPE, batchRecord } from "./batch.ts";
import { type Above, type Draft, entryIds, written } from "./changes.ts";
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
    this.#pieces.push(pieceOf(record, this.#pieces.at(-1)?.id));
  }

  session(): Session {
    const identity = identityOf(this.#header);
    const linear = identity.version === 1;
    if (this.#build?.takes(this.#pieces)) this.#build.grow(this.#pieces);
    else this.#build = new Build(identity, linear, this.#pieces, (number) => (number > this.#headerAt ? number - 1 : number));
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

/** `before`: the id of the record before it, which is mostly its parent: then both hold one string. */
function pieceOf(record: RawRecord, before: string | undefined): Piece {
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
  const parent = value.parentId === null ? null : value.parentId === before ? before : stringOf(value.parentId);
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
    case "custom": {
      const ours = value.customType === BATCH_TYPE ? batchRecord(value.data) : undefined;
      if (ours) return { kind: "batch", fact: markerFact(pointing, "custom"), record: ours };
      break;
    }
  }
  return marker(pointing, stringOf(value.type) ?? "record");
}

function marker(pointing: Pointing, what: string): Draft {
  return { kind: "facts", facts: [markerFact(pointing, what)] };
}

function markerFact(pointing: Pointing, what: string): Fact {
  return { kind: "marker", what, raw: pointing.whole() };
}

function messageDraft(pointing: Pointing, message: JsonObject): Draft {
  if (message.role === "system") return { kind: "prompt", change: promptChange(pointing, message, ["message"]) };
  const facts = messageFacts(pointing, message);
  return facts ? { kind: "facts", facts } : marker(pointing, typeof message.role === "string" ? `message/${message.role}` : "message");
}

function compactionDraft(pointing: Pointing, value: JsonObject): Draft {
  const { firstKeptEntryId, firstKeptEntryIndex, systemMessage } = value;
  return {
    kind: "compaction",
    summary: pointing.composed((each) => shownText((each as JsonObject).summary ?? "")),
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

/** A piece on its way into a session. */
interface Node {
  readonly piece: Piece;
  /** The id it goes by there. */
  id: string;
  parent: Node | null;
  /** The number of the walk upwards that came by; undefined before that. */
  walk: number | undefined;
  /** The state below it; undefined until its entries are there. */
  state: PathState | undefined;
  /** Its last entry, or what stands in place of one. */
  end: Place | null;
}

/** The session of a list of pieces: parents found, cycles cut, parents put before their children. */
class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #linear: boolean;
  /** The index of a piece by its number among all records. */
  readonly #indexOf: (number: number) => number;
  /** Of all pieces taken so far. */
  readonly #nodes: Node[] = [];
  /** The one that holds each id: of several with one id, the last in the file. */
  readonly #holders = new Map<string, Node>();
  /** Ways from one record to others of the file. */
  readonly #others: Pick<Above, "entriesOf" | "editsOf" | "idAt"> = {
    entriesOf: (record) => this.session.named(record),
    editsOf: (record) => this.#edits.get(record) ?? [],
    idAt: (number) => this.#nodes[this.#indexOf(number)]?.id,
  };
  /** The ids of the records that edit each one, in the order of the file. */
  readonly #edits = new Map<string, string[]>();
  /** Whether a later record could change what was read: an id that is named but not there yet. */
  readonly #missing = new Set<string>();

  constructor(identity: Identity, linear: boolean, pieces: readonly Piece[], indexOf: (number: number) => number) {
    this.session = new Session(identity);
    this.#linear = linear;
    this.#indexOf = indexOf;
    this.grow(pieces);
  }

  /** Whether the pieces behind those taken only add to the session. */
  takes(pieces: readonly Piece[]): boolean {
    const fresh = new Set<string>();
    for (const { id } of pieces.slice(this.#nodes.length)) {
      if (id === undefined) continue;
      if (this.#holders.has(id) || this.#missing.has(id) || fresh.has(id)) return false;
      fresh.add(id);
    }
    return true;
  }

  grow(pieces: readonly Piece[]): void {
    const from = this.#nodes.length;
    for (const piece of pieces.slice(from)) this.#name(piece);
    const fresh = this.#nodes.slice(from);
    for (const [index, node] of fresh.entries()) node.parent = this.#parentOf(node, this.#nodes[from + index - 1]);
    this.#cutCycles(fresh, from);
    for (const node of fresh) this.#emit(node);
    const head = this.#nodes.at(-1)?.end;
    if (head) this.session.continueAt(head.entry.id);
  }

  #name(piece: Piece): void {
    const id = this.#linear || piece.id === undefined ? offsetId(piece) : piece.id;
    const node: Node = { piece, id, parent: null, walk: undefined, state: undefined, end: null };
    const earlier = this.#holders.get(id);
    if (earlier) {
      earlier.id = offsetId(earlier.piece);
      this.#holders.set(earlier.id, earlier);
      this.#note(earlier, "duplicate-id", `two records have the id ${id}: the later one keeps it, this one is called ${earlier.id}`);
    }
    this.#nodes.push(node);
    this.#holders.set(id, node);
    if (piece.draft.kind === "edit") this.#nameEdit(id, piece.draft.target);
  }

  #nameEdit(id: string, target: string): void {
    const known = this.#edits.get(target);
    if (known) known.push(id);
    else this.#edits.set(target, [id]);
  }

  #parentOf(node: Node, before: Node | undefined): Node | null {
    const { parent: named } = node.piece;
    if (this.#linear || named === undefined) return before ?? null;
    if (named === null) return null;
    if (before?.id === named) return before;
    const parent = this.#holders.get(named);
    if (parent && parent !== node) return parent;
    this.#missing.add(named);
    this.#note(
      node,
      parent ? "cycle" : "missing-parent",
      parent ? "the record is its own parent: it is a root" : `its parent ${named} is not in the file: it is a root`,
    );
    return null;
  }

  /** Makes the first record in the file of each cycle a root. `first`: the number of the first of these. */
  #cutCycles(fresh: readonly Node[], first: number): void {
    for (const [index, start] of fresh.entries()) {
      const walk = first + index;
      let at: Node | null = start;
      for (; at && at.walk === undefined; at = at.parent) at.walk = walk;
      if (at?.walk !== walk) continue;
      let earliest = at;
      for (let each = at.parent as Node; each !== at; each = each.parent as Node) if (each.piece.range.start < earliest.piece.range.start) earliest = each;
      earliest.parent = null;
      this.#note(earliest, "cycle", "its parents form a circle: it is cut here, at the first of them in the file");
    }
  }

  #note({ piece: { range } }: Node, code: string, message: string): void {
    this.diagnostics.push({ code, message, file: range.source.name, line: range.line, start: range.start, end: range.end });
  }

  /** Adds the entries of a piece, and before them those of the pieces above it that stand later in the file. */
  #emit(node: Node): void {
    const above: Node[] = [];
    for (let at: Node | null = node; at && at.state === undefined; at = at.parent) above.push(at);
    for (const each of above.reverse()) this.#write(each);
  }

  #write(node: Node): void {
    const { id, piece, parent } = node;
    const made = written(id, piece.draft, { session: this.session, parent: parent?.end ?? null, state: parent?.state ?? START, ...this.#others });
    const records = [piece.range];
    const ids = entryIds(id, made.data.length);
    let end = parent?.end ?? null;
    for (const [index, data] of made.data.entries()) end = this.#load(ids[index] as EntryId, end, piece.time, data, records);
    node.state = made.state;
    node.end = end;
    if (made.remark) this.#note(node, made.remark.code, made.remark.message);
  }

  /** Adds an entry and gives its place. Each literal is whole, as fields that are added to one lie apart from it. */
  #load(id: EntryId, above: Place | null, time: number | undefined, data: Fact | Decision, records: readonly RecordRange[]): Place | null {
    const parent = above?.entry.id ?? null;
    const refused = this.session.load(time === undefined ? { id, parent, data, records } : { id, parent, time, data, records });
    return refused ? (this.session.find(id) ?? null) : this.session.last;
  }
}

function offsetId({ range }: Piece): string {
  return `@${range.start}`;
}
