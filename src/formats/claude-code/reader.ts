// Claude Code's session files: a tree of records in which one response is spread over several.
import {
  type Body,
  type Decision,
  type EntryId,
  type Fact,
  type Identity,
  isOnPath,
  isShowable,
  type MessageFact,
  type Place,
  type RecordRange,
  Session,
} from "../../session/index.ts";
import { isObject, stringOf, timeOf } from "../json.ts";
import type { Diagnostic, FormatReader, RawRecord, ReaderContext } from "../reader.ts";
import { type Content, contentOf, type Result, wordsOf } from "./content.ts";
import { Copied } from "./copied.ts";
import { Originals } from "./originals.ts";
import { type Piece, type Tree, treeOf, type Unit } from "./tree.ts";

/** Whether a parsed record can only be Claude Code's. */
export function looksLikeClaudeCode(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (typeof value.uuid === "string" && "parentUuid" in value && typeof value.type === "string") return true;
  return value.type === "summary" && typeof value.leafUuid === "string";
}

export function claudeCodeReader(context: ReaderContext): FormatReader {
  return new ClaudeCodeReader(context);
}

class ClaudeCodeReader implements FormatReader {
  readonly format = "claude-code";
  readonly #context: ReaderContext;
  readonly #pieces: Piece[] = [];
  readonly #sessionIds = new Set<string>();
  #cwd: string | undefined;
  #agentId: string | undefined;
  #diagnostics: readonly Diagnostic[] = [];
  readonly #originals: Originals | undefined;

  constructor(context: ReaderContext) {
    this.#context = context;
    this.#originals = Originals.beside(context);
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  add(record: RawRecord): void {
    const value = isObject(record.value) ? record.value : {};
    const { sessionId, cwd, agentId, uuid, parentUuid, logicalParentUuid, isSidechain, timestamp } = record.oversized ? readable(record.oversized.head) : value;
    if (typeof sessionId === "string") this.#sessionIds.add(sessionId);
    this.#cwd ??= stringOf(cwd);
    this.#agentId ??= stringOf(agentId);
    const before = this.#pieces.at(-1)?.uuid;
    this.#pieces.push({
      range: record.range,
      uuid: stringOf(uuid),
      // Mostly the record before: then both hold one string.
      parentUuid: parentUuid === null ? null : parentUuid === before ? before : stringOf(parentUuid),
      logicalParent: stringOf(logicalParentUuid),
      side: isSidechain === true,
      time: timeOf(timestamp),
      content: contentOf(record, this.#context, this.#originals),
    });
  }

  session(): Session {
    // A file of side chains alone is a subagent's own conversation.
    const spoken = this.#pieces.filter(({ content }) => content.kind === "assistant" || content.kind === "user");
    const subagent = spoken.length > 0 && spoken.every(({ side }) => side);
    const build = new Build(this.#identity(subagent), treeOf(this.#pieces), subagent, this.#originals);
    this.#diagnostics = build.diagnostics;
    return build.session;
  }

  #identity(subagent: boolean): Identity {
    const ids = [...this.#sessionIds];
    const file = this.#context.source.name
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.jsonl$/, "");
    const id = ids.find((each) => each === file) ?? ids[0] ?? "unknown";
    return {
      id,
      format: "claude-code",
      sessionIds: ids,
      ...(this.#cwd !== undefined && { cwd: this.#cwd }),
      ...(subagent && this.#agentId !== undefined && { parentSession: id, agentId: this.#agentId }),
    };
  }
}

/** What can be read of a record too large to hold. */
function readable(head: string): Readonly<Record<string, unknown>> {
  const read = (key: string) => new RegExp(`"${key}"\\s*:\\s*"([^"\\\\]*)"`).exec(head)?.[1];
  const parent = /"parentUuid"\s*:\s*null/.test(head) ? null : read("parentUuid");
  return {
    uuid: read("uuid"),
    parentUuid: parent,
    sessionId: read("sessionId"),
    cwd: read("cwd"),
    timestamp: read("timestamp"),
    isSidechain: /"isSidechain"\s*:\s*true/.test(head),
  };
}

/** One record's entries in the making. */
interface Draft {
  readonly piece: Piece;
  readonly data: readonly (Fact | Decision)[];
  /** For entries that more than the record itself takes part in. */
  readonly records?: readonly RecordRange[];
  /** Of the record that reports the usage. */
  readonly usage?: RecordRange;
  /** Lines beside the session that hold what these entries say, by index. */
  readonly beside?: readonly (RecordRange | undefined)[];
}

type Of<K extends Content["kind"]> = Piece & { readonly content: Extract<Content, { readonly kind: K }> };

class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #tree: Tree;
  readonly #subagent: boolean;
  /** Last entry of each unit, or of what stands in place of one that has none. */
  readonly #ends = new Map<Unit, EntryId | null>();
  /** Units at or above which something stands that a compaction can hide. */
  readonly #hideable = new Set<Unit>();
  /** Tools by the ids of their calls, the newest of each. */
  readonly #tools = new Map<string, string>();
  /** What responses and results of the main chain say, where side chains could repeat it. */
  readonly #mainWords = new Set<string>();
  /** Records with a stub of a condensed copy whose original is gone. */
  readonly #orphaned = new Set<Piece>();
  /** The summary that follows each boundary. */
  readonly #summaries = new Map<Piece, Of<"summary">>();

  readonly #copied: Copied;

  constructor(identity: Identity, tree: Tree, subagent: boolean, originals: Originals | undefined) {
    this.session = new Session(identity);
    this.#tree = tree;
    this.#subagent = subagent;
    this.#copied = new Copied(originals);
    this.#look();
    for (const unit of tree.units) this.#write(unit);
    for (const { piece, code, message } of tree.remarks) this.#notice(piece, code, message);
    this.#findHead();
  }

  #notice({ range }: Piece, code: string, message: string): void {
    this.diagnostics.push({ code, message, file: range.source.name, line: range.line, start: range.start, end: range.end });
  }

  #look(): void {
    const pieces = this.#tree.units.flatMap(({ members }) => members);
    const sides = !this.#subagent && pieces.some(({ side }) => side);
    for (const piece of pieces) {
      if (sides && !piece.side) for (const word of wordsOf(piece.content)) this.#mainWords.add(word);
      const above = this.#tree.aboveOf.get(piece);
      if (is("summary")(piece) && above?.content.kind === "boundary" && !this.#summaries.has(above)) this.#summaries.set(above, piece);
    }
  }

  /** Whether a side chain repeats what the main chain holds, as a question beside the conversation does. */
  #isReplay({ side, content }: Piece): boolean {
    if (!side || this.#subagent) return false;
    const words = wordsOf(content);
    return words.length > 0 && words.every((word) => this.#mainWords.has(word));
  }

  #write(unit: Unit): void {
    const parent = this.#tree.parentOf.get(unit.anchor);
    const above = parent ? this.#tree.unitOf.get(parent) : undefined;
    let last = above ? (this.#ends.get(above) ?? null) : null;
    if (above && this.#hideable.has(above)) this.#hideable.add(unit);
    const members: Piece[] = [];
    for (const piece of unit.members)
      if (this.#isReplay(piece)) this.#notice(piece, "replay", "a side chain repeats what the main chain holds: it adds nothing");
      else members.push(piece);
    const said = members.filter(is("assistant"));
    for (const draft of responseDrafts(said)) last = this.#append(unit, draft, last);
    for (const piece of members) {
      if (piece.content.kind === "assistant") continue;
      last = this.#append(unit, this.#single(piece, unit, last), last);
      if (piece.content.kind === "user") last = this.#stubs(piece as Of<"user">, last);
    }
    this.#ends.set(unit, last);
  }

  /** In a condensed copy: what stands in place of the results of a record, and the note behind it. */
  #stubs(piece: Of<"user">, parent: EntryId | null): EntryId | null {
    if (this.#copied.isDamaged(piece))
      this.#notice(
        piece,
        "original-damaged",
        "an original of this record is not what its hash says: the file of originals was changed. Its stub is all that counts.",
      );
    else if (this.#orphaned.has(piece))
      this.#notice(
        piece,
        "originals-missing",
        "a stub of a condensed copy without its original: the file of originals beside the session is gone or another one. The stub is all that is left.",
      );
    let last = parent;
    for (const { id, data } of this.#copied.decisions(this.#tree.idOf.get(piece) as string, piece)) {
      this.session.load({ id, parent: last, ...(piece.side && !this.#subagent && { side: true }), data, records: [piece.range] });
      last = id;
    }
    return last;
  }

  /** The entries of one record below `parent`; gives the last. */
  #append(unit: Unit, { piece, data, records, usage, beside }: Draft, parent: EntryId | null): EntryId | null {
    const record = this.#tree.idOf.get(piece) as string;
    let last = parent;
    // The first record of a response gets more entries as the response grows: what it has keeps its id.
    const single = data.length === 1 && !(piece === unit.anchor && piece.content.kind === "assistant");
    const own = [piece.range];
    for (const [index, each] of data.entries()) {
      const id = (single ? record : [record, index].join("#")) as EntryId;
      const whole = each.kind === "usage" && usage ? [usage] : records && (each.kind === "message" || each.kind === "compact") ? records : own;
      const original = beside?.[index];
      const entry = { id, parent: last, data: each, records: original ? [original, ...whole] : whole };
      const { time } = piece;
      const timed = time === undefined ? entry : { id, parent: last, time, data: each, records: entry.records };
      this.session.load(piece.side && !this.#subagent ? { ...timed, side: true } : timed);
      if (isShowable(each)) this.#hideable.add(unit);
      if (each.kind === "call") this.#tools.set(each.callId, each.tool);
      last = id;
    }
    return last;
  }

  /** A record that is no part of a response's own words, below `last`. */
  #single(piece: Piece, unit: Unit, last: EntryId | null): Draft {
    const { content } = piece;
    switch (content.kind) {
      case "user":
        return {
          piece,
          data: [...this.#results(piece, content, last), ...userMessage(content)],
          beside: content.results.map(({ stub }) => stub?.original),
        };
      case "failure":
        return { piece, data: [content.failure] };
      case "boundary":
        return this.#boundary(piece, content.raw, unit);
      case "summary":
        return { piece, data: this.#summaries.get(this.#tree.aboveOf.get(piece) as Piece) === piece ? [] : summaryMessage(content.text) };
      case "microcompact":
        return this.#microcompact(piece, content, last);
      case "marker":
        return { piece, data: [{ kind: "marker", what: content.what, ...(content.raw && { raw: content.raw }) }] };
      case "assistant":
        return { piece, data: [] };
    }
  }

  #results(piece: Piece, { results, claims = [] }: Of<"user">["content"], last: EntryId | null): Fact[] {
    const before = (last === null ? undefined : this.session.find(last)?.results) ?? 0;
    const lost = new Set(claims.flatMap(({ order, ordinal }) => (ordinal === before + order + 1 ? [order] : [])));
    if (lost.size > 0) this.#orphaned.add(piece);
    return results.map((result, order) => this.#result(result, lost.has(order)));
  }

  /** `lost`: it is the stub of a copy, by the ref that it names: its own. */
  #result({ callId, status, blocks, full }: Result, lost: boolean): Fact {
    const fact: Fact = { kind: "result", tool: this.#tools.get(callId) ?? "", callId, status, blocks, ...(lost && { lost }) };
    return full ? { ...fact, full } : fact;
  }

  /** A compaction hides all before it. Where nothing is before it, its summary is a message of the host's. */
  #boundary(piece: Piece, raw: Body, unit: Unit): Draft {
    const summary = this.#summaries.get(piece);
    const text = summary?.content.text;
    const records = summary ? [piece.range, summary.range] : [piece.range];
    if (!this.#hideable.has(unit)) return { piece, data: text ? summaryMessage(text) : [{ kind: "marker", what: "system/compact_boundary", raw }], records };
    const id = this.#tree.idOf.get(piece) as string;
    return {
      piece,
      data: [
        { kind: "compact", cut: null, summary: text ?? null, autoRead: [], references: [], quotes: [], carried: [], by: "host" },
        { kind: "epoch", cause: "host", applies: [`${id}#0` as EntryId] },
      ],
      records,
    };
  }

  /** Results that the host cleared without recording what it showed instead. */
  #microcompact(piece: Piece, { callIds, raw }: Of<"microcompact">["content"], last: EntryId | null): Draft {
    const head = last === null ? undefined : this.session.find(last);
    const targets = callIds.flatMap(
      (callId) => this.session.withCallId(callId).findLast((place) => place.entry.data.kind === "result" && isOnPath(place, head ?? null)) ?? [],
    );
    const id = this.#tree.idOf.get(piece) as string;
    if (targets.length === 0) return { piece, data: [{ kind: "marker", what: "system/microcompact_boundary", raw }] };
    const replaced = targets.map((place): Decision => ({ kind: "replace", target: place.entry.id, body: { as: "unknown" }, by: "host", mode: "prune" }));
    return { piece, data: [...replaced, { kind: "epoch", cause: "host", applies: replaced.map((_, index) => `${id}#${index}` as EntryId) }] };
  }

  /** The host goes on at the end of what stands below the last record of the main chain that is more than a marker. */
  #findHead(): void {
    const last = this.#tree.units
      .flatMap(({ members }) => members)
      .filter((piece) => (!piece.side || this.#subagent) && piece.content.kind !== "marker")
      .reduce<Piece | undefined>((a, b) => (a && a.range.start > b.range.start ? a : b), undefined);
    const end = last && this.#ends.get(this.#tree.unitOf.get(last) as Unit);
    const start = end ? this.session.find(end) : undefined;
    if (!start) return;
    // Of several ends below it the one that was written last.
    const below = new Set([start]);
    const leaves = new Set([start]);
    for (const place of this.session.entries()) {
      if (!place.parent || !below.has(place.parent) || (place.entry.side && !this.#subagent)) continue;
      below.add(place);
      leaves.delete(place.parent);
      leaves.add(place);
    }
    const { source } = (last as Piece).range;
    const written = ({ entry }: Place) => Math.max(...(entry.records ?? []).map((range) => (range.source === source ? range.start : -1)));
    this.session.continueAt([...leaves].reduce((a, b) => (written(a) > written(b) ? a : b)).entry.id);
  }
}

function is<K extends Content["kind"]>(kind: K): (piece: Piece) => piece is Of<K> {
  return (piece): piece is Of<K> => piece.content.kind === kind;
}

/** The records of a response: the first carries the message, each its own calls, the last report of usage counts. */
function responseDrafts(said: readonly Of<"assistant">[]): Draft[] {
  const [first] = said;
  if (!first) return [];
  const { messageId } = first.content;
  const message: MessageFact = {
    kind: "message",
    role: "assistant",
    blocks: said.flatMap(({ content }) => content.blocks),
    ...(messageId !== undefined && { messageId }),
  };
  const spoken = said.filter(({ content }) => content.blocks.length > 0);
  const records = (spoken.length > 0 ? spoken : [first]).map(({ range }) => range);
  const reporting = said.findLast(({ content }) => content.usage);
  return said.map((piece) => {
    const { calls } = piece.content;
    if (piece !== first) return { piece, data: calls };
    // Usage stands with the first record, so that a response that grows changes no entry's id.
    const usage = reporting?.content.usage;
    return { piece, data: [message, ...calls, ...(usage ? [usage] : [])], records, ...(reporting && { usage: reporting.range }) };
  });
}

function userMessage({ blocks, results, meta }: Of<"user">["content"]): MessageFact[] {
  if (blocks.length === 0 && results.length > 0) return [];
  return [{ kind: "message", role: "user", blocks, ...(meta && { mark: "meta" }) }];
}

function summaryMessage(text: Of<"summary">["content"]["text"]): Fact[] {
  return [{ kind: "message", role: "user", mark: "derived", host: "compaction", blocks: text ? [{ type: "text", body: text }] : [] }];
}
