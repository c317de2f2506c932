// One conversation of a chat file: messages in a line, a prompt before them.
import { type EntryId, entryId, type Fact, type PromptFact, type RecordRange, type Section, type Session, type ToolDeclaration } from "../../session/index.ts";
import { isObject, type JsonObject, stringOf, timeOf } from "../json.ts";
import { Pointing } from "../pointing.ts";
import type { RawRecord } from "../reader.ts";
import { messageFacts, roleOf, systemText } from "./content.ts";

/** A record as it is kept: its texts stay in the file. */
interface Piece {
  readonly range: RecordRange;
  readonly time: number | undefined;
  readonly facts: readonly Fact[];
}

/** What a record adds to the prompt. */
interface PromptPiece {
  readonly range: RecordRange;
  readonly sections: readonly Section[];
  readonly tools: readonly ToolDeclaration[];
}

/** Changes what a message's facts are, for formats that say more of it than a chat does. */
export type Shape = (facts: readonly Fact[], value: JsonObject, answered: boolean) => readonly Fact[];

/**
 * Takes the records of one conversation and writes them below one root. The prompt is what stands before the first message: members
 * that hold it (they may come behind the messages in the file), then system messages.
 */
export class Conversation {
  readonly #shape: Shape | undefined;
  readonly #members: PromptPiece[] = [];
  readonly #leading: PromptPiece[] = [];
  readonly #pieces: Piece[] = [];
  readonly #tools = new Map<string, string>();
  #answered = false;
  #begun = false;
  #prompt: PromptFact = { kind: "prompt", sections: [], tools: [] };
  /** Records of the prompt, and of messages, that are written. */
  #prompts = 0;
  #written = 0;
  #last: EntryId | null = null;

  constructor(shape?: Shape) {
    this.#shape = shape;
  }

  get isEmpty(): boolean {
    return this.#members.length + this.#leading.length + this.#pieces.length === 0;
  }

  /** A message, or anything else where one is expected. */
  addMessage(record: RawRecord): void {
    const { range, value } = record;
    const pointing = new Pointing(record);
    const role = roleOf(value);
    if (role === undefined || !isObject(value)) {
      this.#addPiece(range, value, [
        { kind: "marker", what: record.oversized ? "oversized" : markerName(value), ...(!record.oversized && { raw: pointing.whole() }) },
      ]);
      return;
    }
    if (role === "system" && !this.#begun) {
      const body = pointing.composed((each) => systemText((each as JsonObject).content));
      this.#leading.push({ range, sections: [{ name: String(value.role), body }], tools: [] });
      return;
    }
    this.#begun = true;
    const facts = messageFacts(pointing, value, (callId) => this.#tools.get(callId) ?? "");
    for (const fact of facts) if (fact.kind === "call") this.#tools.set(fact.callId, fact.tool);
    this.#addPiece(range, value, this.#shape?.(facts, value, this.#answered) ?? facts);
    if (role === "assistant") this.#answered = true;
  }

  /** Facts of a record that is no chat message. */
  addFacts({ range, value }: RawRecord, facts: readonly Fact[]): void {
    this.#begun = true;
    this.#addPiece(range, value, facts);
  }

  /** A member beside the messages: the system prompt, or the tools' declarations. */
  addMember(record: RawRecord, name: string): void {
    const { range, value } = record;
    const pointing = new Pointing(record);
    if (name === "system") this.#members.push({ range, sections: [{ name, body: pointing.composed(systemText) }], tools: [] });
    else if (Array.isArray(value))
      this.#members.push({ range, sections: [], tools: value.map((tool, index) => ({ name: toolName(tool), body: pointing.json([index]) })) });
  }

  #addPiece(range: RecordRange, value: unknown, facts: readonly Fact[]): void {
    this.#pieces.push({ range, time: isObject(value) ? timeOf(value.timestamp) : undefined, facts });
  }

  /** Writes what was not written yet; gives the last entry. */
  write(session: Session): EntryId | null {
    this.#writePrompt(session);
    for (const { range, time, facts } of this.#pieces.slice(this.#written))
      for (const [index, data] of facts.entries()) this.#load(session, range, data, index, facts.length, time);
    this.#written = this.#pieces.length;
    return this.#last;
  }

  /** Each record of the prompt makes it whole so far: the last one is the prompt. */
  #writePrompt(session: Session): void {
    const records = [...this.#members, ...this.#leading];
    for (const { range, sections, tools } of records.slice(this.#prompts)) {
      this.#prompt = { kind: "prompt", sections: [...this.#prompt.sections, ...sections], tools: [...this.#prompt.tools, ...tools] };
      this.#load(session, range, this.#prompt, 0, 1, undefined);
    }
    this.#prompts = records.length;
  }

  #load(session: Session, range: RecordRange, data: Fact, index: number, count: number, time: number | undefined): void {
    const id = entryId(count === 1 ? `@${range.start}` : `@${range.start}#${index}`);
    session.load({ id, parent: this.#last, ...(time !== undefined && { time }), data, records: [range] });
    this.#last = id;
  }
}

function markerName(value: unknown): string {
  if (!isObject(value)) return typeof value;
  return stringOf(value.role) ?? stringOf(value.type) ?? "record";
}

function toolName(tool: unknown): string {
  if (!isObject(tool)) return "";
  const declared = isObject(tool.function) ? tool.function : tool;
  return stringOf(declared.name) ?? stringOf(tool.type) ?? "";
}
