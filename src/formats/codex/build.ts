// The session of a list of records: which of them make up one response, and what a compaction puts in place of the history.
import {
  type Block,
  type CompactDecision,
  type Decision,
  type EntryId,
  type Fact,
  type Identity,
  isShowable,
  type MessageFact,
  type RecordRange,
  Session,
} from "../../session/index.ts";
import type { Diagnostic } from "../reader.ts";
import type { Content } from "./content.ts";
import type { Mirrors } from "./mirrors.ts";

/** A record as it is kept between reads. */
export interface Piece {
  readonly range: RecordRange;
  readonly time: number | undefined;
  readonly content: Content;
}

/** A response in the making: its message stands with the first of its records. */
interface Response {
  readonly first: Piece;
  readonly blocks: Block[];
  /** The records that hold them. */
  readonly records: RecordRange[];
  /** How many of those records are events. */
  events: number;
  /** Whether the message has its entry, and can grow no more. */
  written: boolean;
}

/** A message in the user's name. */
interface UserMessage {
  readonly id: EntryId;
  /** What stands before it. */
  readonly before: EntryId | null;
  readonly meta: boolean;
}

type Of<K extends Content["kind"]> = Extract<Content, { readonly kind: K }>;
type Data = readonly (Fact | Decision)[];

const NO_EXTRAS = { autoRead: [], references: [], quotes: [], carried: [], by: "host" } as const;

export class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #mirrors: Mirrors<Piece>;
  #taken = 0;
  /** Events of which later records may show something else, and whether nothing else held their words. */
  #undecided: ReadonlyMap<Piece, boolean> = new Map();
  #last: EntryId | null = null;
  #response: Response | undefined;
  /** What has no entries yet: from the first record of the response on. */
  #waiting: Piece[] = [];
  /** Tools by the ids of their calls, the newest of each. */
  readonly #tools = new Map<string, string>();
  /** Those on the path. */
  #users: UserMessage[] = [];
  /** How many of them stand before the last compaction. */
  #compacted = 0;
  /** Whether the path holds anything to hide but them. */
  #hideable = false;

  constructor(identity: Identity, mirrors: Mirrors<Piece>) {
    this.session = new Session(identity);
    this.#mirrors = mirrors;
  }

  /** Takes the pieces behind those taken; false where they change what was made of those, and all must be made anew. */
  grow(pieces: readonly Piece[]): boolean {
    for (const [event, alone] of this.#undecided) if (this.#mirrors.isAlone(event) !== alone) return false;
    for (; this.#taken < pieces.length; this.#taken++) if (!this.#take(pieces[this.#taken] as Piece)) return false;
    this.#flush();
    this.#undecided = new Map(this.#mirrors.undecided().map((event) => [event, this.#mirrors.isAlone(event)]));
    return true;
  }

  /** False for words of a response whose message has its entry already. */
  #take(piece: Piece): boolean {
    const part = this.#partOf(piece);
    if (part === "end" || (part === "response" && startsAnew(piece, this.#response))) this.#close();
    if (part === "response") {
      this.#response ??= { first: piece, blocks: [], records: [], events: 0, written: false };
      if (!join(piece, this.#response)) return false;
    }
    if (this.#response && !this.#response.written) this.#waiting.push(piece);
    else this.#write(piece);
    return true;
  }

  /** What a record is to the response before it: part of it, its end, or neither, as what may stand between its parts. */
  #partOf(piece: Piece): "response" | "end" | "neither" {
    const { content } = piece;
    switch (content.kind) {
      case "response":
      case "call":
        return "response";
      case "event":
        if (!this.#mirrors.isAlone(piece)) return "neither";
        return content.lane === "user" ? "end" : "response";
      case "usage":
        return "neither";
      case "marker":
        return content.turn ? "end" : "neither";
      default:
        return "end";
    }
  }

  #close(): void {
    this.#flush();
    this.#response = undefined;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const piece of waiting) this.#write(piece);
    if (this.#response) this.#response.written = true;
  }

  #note({ range }: Piece, code: string, message: string): void {
    this.diagnostics.push({ code, message, file: range.source.name, line: range.line, start: range.start, end: range.end });
  }

  /** Adds a record's entries. */
  #write(piece: Piece): void {
    const { content, range } = piece;
    if (content.kind === "rollback") this.#rollBack(piece, content.turns);
    const response = this.#response?.first === piece && !this.#response.written ? this.#response : undefined;
    const message = response && responseMessage(response);
    const data = message ? [message, ...this.#dataOf(piece)] : this.#dataOf(piece);
    for (const [index, each] of data.entries()) {
      const id = `@${range.start}${data.length === 1 ? "" : `#${index}`}` as EntryId;
      const records = response && each === message && response.records.length > 0 ? response.records : [range];
      if (each.kind === "message" && each.role === "user") this.#users.push({ id, before: this.#last, meta: each.mark === "meta" || each.mark === "derived" });
      else if (isShowable(each)) this.#hideable = true;
      if (each.kind === "call") this.#tools.set(each.callId, each.tool);
      this.session.load({ id, parent: this.#last, ...(piece.time !== undefined && { time: piece.time }), data: each, records });
      this.#last = id;
    }
  }

  /** What a record says besides the message of its response. */
  #dataOf(piece: Piece): Data {
    const { content } = piece;
    switch (content.kind) {
      case "message":
        return [{ kind: "message", role: content.role, blocks: content.blocks, ...(content.meta && { mark: "meta" }) }];
      case "response":
        return [];
      case "call":
        return [content.call];
      case "result":
        return [{ ...content.result, tool: this.#tools.get(content.result.callId) ?? "" }];
      case "header":
        return this.#prompt(piece, content);
      case "usage":
        return [content.usage];
      case "failure":
        return [content.failure];
      case "compacted":
        return this.#compaction(piece, content);
      case "event":
        if (!this.#mirrors.isAlone(piece)) return [content.marker];
        return content.lane === "user" ? [{ kind: "message", role: "user", mark: "fallback", blocks: content.blocks }] : [];
      case "rollback":
      case "marker":
        return [content.marker];
    }
  }

  #prompt({ range }: Piece, { prompt }: Of<"header">): Data {
    if (!prompt) return [];
    return this.#hideable ? [prompt, { kind: "epoch", cause: "prompt", applies: [`@${range.start}#0` as EntryId] }] : [prompt];
  }

  #compaction(piece: Piece, content: Of<"compacted">): Data {
    const { shows, summary, raw } = content;
    if (!(this.#hideable || (shows && this.#users.length > 0))) return standIns(content) ?? [{ kind: "marker", what: "compacted", raw }];
    const decision: CompactDecision = {
      kind: "compact",
      cut: null,
      summary,
      ...NO_EXTRAS,
      ...(shows ? { shows } : { kept: this.#users.map(({ id }) => id) }),
    };
    this.#compacted = this.#users.length;
    if (!shows)
      this.#note(
        piece,
        "reconstructed",
        "the record does not hold the history that it put in place: as Codex does then, the user messages before it and its summary stand in place of all",
      );
    return [decision, { kind: "epoch", cause: "host", applies: [`@${piece.range.start}#0` as EntryId] }];
  }

  /** Goes on before the oldest of the last `turns` messages that the user typed: what stands behind it becomes a branch. */
  #rollBack(piece: Piece, turns: number): void {
    const typed = this.#users.slice(this.#compacted).filter(({ meta }) => !meta);
    const oldest = turns > 0 ? typed.at(-turns) : undefined;
    if (!oldest) {
      this.#note(piece, "unknown-rollback", `it takes back ${turns} turns of the ${typed.length} that are known: nothing is taken back`);
      return;
    }
    this.#users = this.#users.slice(0, this.#users.indexOf(oldest));
    this.#last = oldest.before;
  }
}

/** Adds a part's words to a response; false where its message has its entry already. */
function join(piece: Piece, response: Response): boolean {
  const { content, range } = piece;
  if (content.kind !== "response" && content.kind !== "event") return true;
  if (response.written) return false;
  for (const block of content.blocks) response.blocks.push(block);
  response.records.push(range);
  if (content.kind === "event") response.events += 1;
  return true;
}

/** Whether an event begins a response: of several that alone hold what the assistant said each is one, as nothing says where one ends. */
function startsAnew({ content }: Piece, response: Response | undefined): boolean {
  return content.kind === "event" && response !== undefined && response.events > 0 && response.blocks.at(-1)?.type !== "thinking";
}

function responseMessage({ blocks, records, events }: Response): MessageFact {
  const mark = records.length === 0 ? "made" : events === records.length ? "fallback" : undefined;
  return { kind: "message", role: "assistant", blocks, ...(mark && { mark }) };
}

/** Messages for what a compaction shows where nothing before it can be hidden. */
function standIns({ shows, summary }: Of<"compacted">): MessageFact[] | undefined {
  const list = shows ?? (summary ? [{ role: "user" as const, blocks: [{ type: "text" as const, body: summary }] }] : []);
  return list.length > 0 ? list.map((each) => ({ kind: "message", mark: "derived", host: "compaction", ...each })) : undefined;
}
