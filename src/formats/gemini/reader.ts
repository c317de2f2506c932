// Gemini CLI's session files: one object that holds the messages, or lines that add to a list, replace it and take from it.
import { type Decision, type EntryId, entryId, type Fact, type Identity, Session } from "../../session/index.ts";
import { isObject, type JsonObject, stringOf, timeOf } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { Diagnostic, FormatReader, RawRecord } from "../reader.ts";
import type { Parts } from "../scan/sink.ts";
import { messageFacts } from "./content.ts";
import { MessageList, type Node, type Piece } from "./list.ts";

/** The message list, in one object or as a whole in a line. */
export const GEMINI_PARTS: Parts = { lists: ["messages", "$set.messages"] };

/** Whether a parsed value can only be Gemini CLI's. */
export function looksLikeGemini(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ("$rewindTo" in value || isObject(value.$set)) return true;
  if (value.type === "gemini") return typeof value.id === "string";
  return isHeader(value);
}

const HEADER_KEYS = ["sessionId", "projectHash", "startTime", "lastUpdated"];

/** Whether an object has the keys that together only a session of Gemini CLI has: one of them may be missing, and any may hold nonsense. */
function isHeader(value: JsonObject): boolean {
  const keys = HEADER_KEYS.filter((key) => key in value);
  return keys.length >= HEADER_KEYS.length - 1 && !("type" in value) && keys.some((key) => typeof value[key] === "string");
}

export function geminiReader(): FormatReader {
  return new GeminiReader();
}

class GeminiReader implements FormatReader {
  readonly format = "gemini";
  readonly #list = new MessageList();
  readonly #about: Record<string, unknown> = {};
  /** Whether messages of the list in the next record have come already. */
  #listing = false;
  #diagnostics: readonly Diagnostic[] = [];

  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  add(record: RawRecord): void {
    const { value, element } = record;
    if (element) {
      if (!this.#listing || element.index === 0) this.#list.beginReplacing();
      this.#listing = true;
      this.#learn(element.head);
      this.#list.replaceNext(pieceOf(record));
      return;
    }
    const listed = this.#listing;
    this.#listing = false;
    if (!isObject(value)) this.#list.put(pieceOf(record));
    else if (typeof value.$rewindTo === "string") this.#list.rewind(value.$rewindTo, pieceOf(record));
    else if (isObject(value.$set) || isAbout(value)) this.#change(record, value, listed);
    else this.#list.put(pieceOf(record));
  }

  /** What is said of the session, with or without its messages. */
  #change(record: RawRecord, value: JsonObject, listed: boolean): void {
    const about = isObject(value.$set) ? value.$set : value;
    this.#learn(about);
    if (listed || Array.isArray(about.messages)) {
      if (!listed) this.#list.beginReplacing();
      this.#list.endReplacing(pieceOf(record));
    } else if (about !== value) this.#list.put(pieceOf(record));
  }

  #learn({ sessionId, summary, directories }: JsonObject): void {
    this.#about.id ??= stringOf(sessionId);
    this.#about.title = stringOf(summary) ?? this.#about.title;
    this.#about.cwd ??= Array.isArray(directories) ? stringOf(directories[0]) : undefined;
  }

  session(): Session {
    this.#list.settle();
    const { id = "unknown", title, cwd } = this.#about as { readonly id?: string; readonly title?: string; readonly cwd?: string };
    const build = new Build({ id, format: this.format, ...(title !== undefined && { title }), ...(cwd !== undefined && { cwd }) }, this.#list);
    this.#diagnostics = build.diagnostics;
    return build.session;
  }
}

/** Whether an object speaks of the session and is no message. */
function isAbout(value: JsonObject): boolean {
  return isHeader(value) || (typeof value.sessionId === "string" && !("type" in value));
}

const ENDED: ReadonlySet<unknown> = new Set(["success", "error", "cancelled"]);

function pieceOf(record: RawRecord): Piece {
  const { range, value, oversized } = record;
  if (oversized) {
    const id = /"id"\s*:\s*"([^"\\]*)"/.exec(oversized.head)?.[1];
    return { range, id, time: undefined, facts: [{ kind: "marker", what: "oversized" }], ended: new Set() };
  }
  const pointing = new Pointing(record);
  const { id, timestamp, type, toolCalls } = isObject(value) ? value : ({} as JsonObject);
  const what = stringOf(type) ?? (isObject(value) ? (Object.keys(value)[0] ?? "record") : typeof value);
  const facts = (isObject(value) && messageFacts(pointing, value)) || [{ kind: "marker", what, raw: pointing.whole() } satisfies Fact];
  const calls: unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
  const ended = new Set(calls.flatMap((call) => (isObject(call) && ENDED.has(call.status) ? (stringOf(call.id) ?? []) : [])));
  return { range, id: stringOf(id), time: timeOf(timestamp), facts, ended };
}

/** The session of a list: every message that was ever in it, what was removed as a branch. */
class Build {
  readonly session: Session;
  readonly diagnostics: Diagnostic[] = [];
  readonly #ids = new Map<Node, string>();
  /** The last entry of each place. */
  readonly #ends = new Map<Node, EntryId>();

  constructor(identity: Identity, list: MessageList) {
    this.session = new Session(identity);
    this.#name(list.nodes);
    for (const node of list.nodes) this.#write(node);
    if (list.last) this.session.continueAt(this.#ends.get(list.last) as EntryId);
    else if (list.cleared) this.#writeCleared(list.cleared);
  }

  /** Of several messages with one id, of which all but one were removed, the last in the file has it. */
  #name(nodes: readonly Node[]): void {
    const holders = new Map<string, Node>();
    for (const node of nodes) {
      const offset = `@${node.piece.range.start}`;
      const id = node.piece.id ?? offset;
      const earlier = holders.get(id);
      if (earlier) {
        const { range } = earlier.piece;
        this.#ids.set(earlier, `@${range.start}`);
        const message = `two messages have the id ${id}: the later one keeps it, this one is called @${range.start}`;
        this.diagnostics.push({ code: "duplicate-id", message, file: range.source.name, line: range.line, start: range.start, end: range.end });
      }
      holders.set(id, node);
      this.#ids.set(node, id);
    }
  }

  #write(node: Node): void {
    const id = this.#ids.get(node) as string;
    const data = node.edits ? this.#editing(id, node.edits) : node.piece.facts;
    let parent = node.parent ? (this.#ends.get(node.parent) as EntryId) : null;
    for (const [index, each] of data.entries()) {
      const entry = entryOf(id, index, data.length);
      this.session.load({ id: entry, parent, ...timed(node.piece), data: each, records: [node.piece.range] });
      parent = entry;
    }
    this.#ends.set(node, parent as EntryId);
  }

  #editing(id: string, edits: NonNullable<Node["edits"]>): Decision[] {
    const replaces = edits.map(({ node, fact, blocks }): Decision => {
      const target = entryOf(this.#ids.get(node) as string, fact, node.piece.facts.length);
      return { kind: "replace", target, body: blocks ? { as: "blocks", blocks } : { as: "unknown" }, by: "host", mode: "prune" };
    });
    const applies = replaces.map((_, index) => entryOf(id, index, replaces.length + 1));
    return [...replaces, { kind: "epoch", cause: "host", applies }];
  }

  /** The place of an empty list: a root of its own. */
  #writeCleared(by: Piece): void {
    const id = entryId(`@${by.range.start}`);
    this.session.load({ id, parent: null, data: { kind: "marker", what: "empty" }, records: [by.range] });
    this.session.continueAt(id);
  }
}

function entryOf(record: string, index: number, count: number): EntryId {
  return entryId(count === 1 ? record : `${record}#${index}`);
}

function timed({ time }: Piece): { readonly time?: number } {
  return time === undefined ? {} : { time };
}
