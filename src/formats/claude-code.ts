// Claude Code's session files: a tree of records in which one response is spread over several.
import {
  type Decision,
  type EntryId,
  type Fact,
  type Identity,
  isShowable,
  type MessageFact,
  type Place,
  type RecordRange,
  Session,
} from "../session/index.ts";
import { contentOf, type Result } from "./claude-code-content.ts";
import { type Piece, type Tree, treeOf, type Unit } from "./claude-code-tree.ts";
import { isObject, stringOf, timeOf } from "./json.ts";
import type { Diagnostic, FormatReader, RawRecord, ReaderContext } from "./reader.ts";

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

  constructor(context: ReaderContext) {
    this.#context = context;
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
    this.#pieces.push({
      range: record.range,
      uuid: stringOf(uuid),
      parentUuid: parentUuid === null ? null : stringOf(parentUuid),
      logicalParent: stringOf(logicalParentUuid),
      side: isSidechain === true,
      time: timeOf(timestamp),
      content: contentOf(record, this.#context),
    });
  }

  session(): Session {
    // A file of side chains alone is a subagent's own conversation.
    const subagent = this.#pieces.every(({ side, content }) => side || (content.kind !== "assistant" && content.kind !== "user"));
    const build = new Build(this.#identity(subagent), treeOf(this.#pieces), subagent);
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
  readonly data: (Fact | Decision)[];
  /** For entries that more than the record itself takes part in. */
  readonly records?: readonly RecordRange[];
  /** Of the record that reports the usage. */
  readonly usage?: RecordRange;
}

class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #tree: Tree;
  readonly #subagent: boolean;
  /** Last entry of each unit, or of what stands in place of one that has none. */
  readonly #ends = new Map<Unit, EntryId | null>();
  /** Responses of the main chain, by the provider's id: a side chain repeats some. */
  readonly #mainMessages = new Set<string>();
  /** The summary that follows each boundary. */
  readonly #summaries = new Map<Piece, Piece>();

  constructor(identity: Identity, tree: Tree, subagent: boolean) {
    this.session = new Session(identity);
    this.#tree = tree;
    this.#subagent = subagent;
    this.#look();
    for (const unit of tree.units) this.#write(unit);
    for (const { piece, code, message } of tree.remarks)
      this.diagnostics.push({ code, message, file: piece.range.source.name, line: piece.range.line, start: piece.range.start, end: piece.range.end });
    this.#findHead();
  }

  #look(): void {
    for (const { members } of this.#tree.units)
      for (const piece of members) {
        const { content, side } = piece;
        if (content.kind === "assistant" && content.messageId !== undefined && !side) this.#mainMessages.add(content.messageId);
        const parent = this.#tree.parentOf.get(piece);
        if (content.kind === "summary" && parent?.content.kind === "boundary" && !this.#summaries.has(parent)) this.#summaries.set(parent, piece);
      }
  }

  #write(unit: Unit): void {
    const parent = this.#tree.parentOf.get(unit.anchor);
    let last = parent ? (this.#ends.get(this.#tree.unitOf.get(parent) as Unit) ?? null) : null;
    for (const draft of this.#drafts(unit, last)) last = this.#append(draft, last);
    this.#ends.set(unit, last);
  }

  /** The entries of one record below `parent`; gives the last. */
  #append({ piece, data, records, usage }: Draft, parent: EntryId | null): EntryId | null {
    const record = this.#tree.idOf.get(piece) as string;
    let last = parent;
    for (const [index, each] of data.entries()) {
      const id = (data.length === 1 ? record : `${record}#${index}`) as EntryId;
      const whole = each.kind === "usage" && usage ? [usage] : records && (each.kind === "message" || each.kind === "compact") ? records : [piece.range];
      this.session.load({
        id,
        parent: last,
        ...(piece.time !== undefined && { time: piece.time }),
        data: each,
        ...(piece.side && !this.#subagent && { side: true }),
        records: whole,
      });
      last = id;
    }
    return last;
  }

  #drafts(unit: Unit, above: EntryId | null): Draft[] {
    const first = unit.anchor.content;
    if (first.kind !== "assistant") return unit.members.map((piece) => this.#single(piece, above, undefined));
    if (unit.anchor.side && !this.#subagent && first.messageId !== undefined && this.#mainMessages.has(first.messageId)) return [];
    const said = unit.members.filter(({ content }) => content.kind === "assistant");
    const drafts = said.map((piece) => this.#response(piece, unit, said));
    return [...drafts, ...unit.members.filter((piece) => !said.includes(piece)).map((piece) => this.#single(piece, above, unit))];
  }

  /** A record of a response: the first carries the message, each its own calls, the last report of usage counts. */
  #response(piece: Piece, { anchor }: Unit, said: readonly Piece[]): Draft {
    const data: Fact[] = [];
    const parts = said.flatMap((each) => (each.content.kind === "assistant" ? [{ each, content: each.content }] : []));
    const { content } = piece;
    if (content.kind !== "assistant") return { piece, data };
    const spoken = parts.filter((part) => part.content.blocks.length > 0);
    if (piece === anchor)
      data.push({
        kind: "message",
        role: "assistant",
        blocks: parts.flatMap((part) => part.content.blocks),
        ...(content.messageId !== undefined && { messageId: content.messageId }),
      });
    data.push(...content.calls);
    // Usage stands with the first record, so that a response that grows changes no entry's id.
    const usage = parts.findLast((part) => part.content.usage);
    if (piece === anchor && usage?.content.usage) data.push(usage.content.usage);
    return { piece, data, records: spoken.length > 0 ? spoken.map(({ each }) => each.range) : [piece.range], ...(usage && { usage: usage.each.range }) };
  }

  /** A record that is no part of a response's own words. */
  #single(piece: Piece, above: EntryId | null, unit: Unit | undefined): Draft {
    const { content } = piece;
    switch (content.kind) {
      case "user":
        return { piece, data: [...content.results.map((result) => this.#result(result, unit)), ...userMessage(content)] };
      case "failure":
        return { piece, data: [content.failure] };
      case "boundary":
        return this.#boundary(piece, above);
      case "summary":
        return { piece, data: this.#summaries.get(this.#tree.parentOf.get(piece) as Piece) === piece ? [] : summaryMessage(content.text) };
      case "microcompact":
        return this.#microcompact(piece, content.callIds, above);
      case "marker":
        return { piece, data: [{ kind: "marker", what: content.what, ...(content.raw && { raw: content.raw }) }] };
      case "assistant":
        return { piece, data: [] };
    }
  }

  #result(result: Result, unit: Unit | undefined): Fact {
    return { kind: "result", tool: this.#toolOf(result.callId, unit), ...result };
  }

  #toolOf(callId: string, unit: Unit | undefined): string {
    const own = unit?.members.flatMap(({ content }) => (content.kind === "assistant" ? content.calls : [])).find((call) => call.callId === callId);
    const any = own ?? this.session.withCallId(callId).find((place) => place.entry.data.kind === "call")?.entry.data;
    return any?.kind === "call" ? any.tool : "";
  }

  /** A compaction hides all before it. Where nothing is before it, its summary is a message of the host's. */
  #boundary(piece: Piece, above: EntryId | null): Draft {
    const summary = this.#summaries.get(piece);
    const text = summary?.content.kind === "summary" ? summary.content.text : undefined;
    const records = summary ? [piece.range, summary.range] : [piece.range];
    if (!this.#hidesAnything(above)) return { piece, data: text ? summaryMessage(text) : [{ kind: "marker", what: "system/compact_boundary" }], records };
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

  #hidesAnything(above: EntryId | null): boolean {
    for (let at: Place | null | undefined = above === null ? null : this.session.find(above); at; at = at.parent) if (isShowable(at.entry.data)) return true;
    return false;
  }

  /** Results that the host cleared without recording what it showed instead. */
  #microcompact(piece: Piece, callIds: readonly string[], above: EntryId | null): Draft {
    const head = above === null ? undefined : this.session.find(above);
    const onPath = new Set(head ? this.session.path(head) : []);
    const targets = callIds.flatMap(
      (callId) => this.session.withCallId(callId).findLast((place) => place.entry.data.kind === "result" && onPath.has(place)) ?? [],
    );
    const id = this.#tree.idOf.get(piece) as string;
    if (targets.length === 0) return { piece, data: [{ kind: "marker", what: "system/microcompact_boundary" }] };
    const replaced = targets.map((place): Decision => ({ kind: "replace", target: place.entry.id, body: { as: "unknown" }, by: "host", mode: "prune" }));
    return { piece, data: [...replaced, { kind: "epoch", cause: "host", applies: replaced.map((_, index) => `${id}#${index}` as EntryId) }] };
  }

  /** The host goes on at the end of what stands below the last message of the main chain. */
  #findHead(): void {
    const last = this.#tree.units
      .flatMap(({ members }) => members)
      .filter((piece) => (!piece.side || this.#subagent) && (piece.content.kind === "assistant" || piece.content.kind === "user"))
      .reduce<Piece | undefined>((a, b) => (a && a.range.start > b.range.start ? a : b), undefined);
    const end = last && this.#ends.get(this.#tree.unitOf.get(last) as Unit);
    const start = end ? this.session.find(end) : undefined;
    if (!start) return;
    let head = start;
    for (const place of this.session.entries()) if (place.parent === head && !place.entry.side) head = place;
    this.session.continueAt(head.entry.id);
  }
}

function userMessage({ blocks, results, meta }: Extract<Piece["content"], { kind: "user" }>): MessageFact[] {
  if (blocks.length === 0 && results.length > 0) return [];
  return [{ kind: "message", role: "user", blocks, ...(meta && { mark: "meta" }) }];
}

function summaryMessage(text: Extract<Piece["content"], { kind: "summary" }>["text"]): Fact[] {
  return [{ kind: "message", role: "user", mark: "derived", host: "compaction", blocks: text ? [{ type: "text", body: text }] : [] }];
}
