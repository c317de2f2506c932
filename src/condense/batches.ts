// A path in batches: what one response of the assistant called, and what came back.
import { type Block, bodyText, type CallFact, type EntryId, isAssistant, type Place, type ResultFact } from "../session/index.ts";
import { argumentsOf } from "./ledger.ts";

/** A call and what answered it. */
interface BatchCall {
  readonly place: Place;
  readonly fact: CallFact;
  /** Absent while no result of the batch answers the call. */
  readonly result?: { readonly place: Place; readonly fact: ResultFact };
  /** The parsed arguments, read when first asked for; undefined where they are no JSON object. */
  readonly args: () => Readonly<Record<string, unknown>> | undefined;
}

export interface Batch {
  /** The assistant messages it belongs to, in path order: one, or several where they are merged; none before the first. */
  readonly assistants: readonly Place[];
  /** The newest message that the user typed before it. */
  readonly user: EntryId | null;
  /** In the order of the calls. */
  readonly calls: readonly BatchCall[];
}

/** `turn`: a batch for each assistant message. `message`: one for all between two messages that the user typed. */
export type Grouping = "turn" | "message";

/**
 * The batches of a path that call anything. A result answers the first unanswered call with its id in its own assistant
 * message's batch; a result that finds none is late and in no batch. What the user did not type parts nothing, and
 * batches before the first message of a user are never merged.
 */
export function batches(path: readonly Place[], grouping: Grouping): Batch[] {
  const turns = turnsOf(path);
  return grouping === "turn" ? turns : merged(turns);
}

function turnsOf(path: readonly Place[]): Batch[] {
  const turns: Batch[] = [];
  let open = new OpenTurn(null, null);
  for (const place of path) {
    const { data } = place.entry;
    if (isAssistant(data)) {
      turns.push(...open.batch());
      open = new OpenTurn(place, place.user?.entry.id ?? null);
    } else if (data.kind === "call") open.call(place, data);
    else if (data.kind === "result") open.result(place, data);
  }
  return [...turns, ...open.batch()];
}

function merged(turns: readonly Batch[]): Batch[] {
  const groups: Batch[][] = [];
  for (const turn of turns) {
    const group = groups.at(-1);
    if (group && turn.user !== null && group[0]?.user === turn.user) group.push(turn);
    else groups.push([turn]);
  }
  return groups.map((group) =>
    Object.freeze({
      assistants: Object.freeze(group.flatMap((turn) => turn.assistants)),
      user: group[0]?.user ?? null,
      calls: Object.freeze(group.flatMap((turn) => turn.calls)),
    }),
  );
}

/** A call of a batch whose results may still come. */
export interface OpenCall {
  readonly place: Place;
  readonly fact: CallFact;
  result?: { readonly place: Place; readonly fact: ResultFact };
}

/** A batch while its results come. */
export class OpenTurn {
  readonly #assistant: Place | null;
  readonly #user: EntryId | null;
  readonly #calls: OpenCall[] = [];
  readonly #byId = new Map<string, { readonly calls: OpenCall[]; answered: number }>();

  constructor(assistant: Place | null, user: EntryId | null) {
    this.#assistant = assistant;
    this.#user = user;
  }

  get calls(): readonly OpenCall[] {
    return this.#calls;
  }

  call(place: Place, fact: CallFact): void {
    const call = { place, fact };
    this.#calls.push(call);
    const same = this.#byId.get(fact.callId);
    if (same) same.calls.push(call);
    else this.#byId.set(fact.callId, { calls: [call], answered: 0 });
  }

  /** The call that a result answers; none where it is late. */
  result(place: Place, fact: ResultFact): OpenCall | undefined {
    const same = this.#byId.get(fact.callId);
    const call = same?.calls[same.answered];
    if (!same || !call) return undefined;
    same.answered += 1;
    call.result = Object.freeze({ place, fact });
    return call;
  }

  batch(): Batch[] {
    if (this.#calls.length === 0) return [];
    const calls = this.#calls.map((call) => Object.freeze({ ...call, args: lazyArguments(call.fact) }));
    return [Object.freeze({ assistants: Object.freeze(this.#assistant ? [this.#assistant] : []), user: this.#user, calls: Object.freeze(calls) })];
  }
}

function lazyArguments(fact: CallFact): BatchCall["args"] {
  let read: { readonly args: Readonly<Record<string, unknown>> | undefined } | undefined;
  return () => {
    read ??= { args: argumentsOf(fact) };
    return read.args;
  };
}

/** What the assistant said in a batch: its text blocks, an empty line between two messages. */
export function saidIn(batch: Batch): string {
  const said = batch.assistants.map(({ entry: { data } }) => (data.kind === "message" ? textIn(data.blocks) : ""));
  return said.filter((text) => text !== "").join("\n\n");
}

function textIn(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []))
    .join("\n")
    .trim();
}
