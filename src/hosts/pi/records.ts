// What our own records on a branch say: the batches and their edits, what is to be undone, whether the session is switched on.
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { type AttemptData, BATCH_TYPE, type BatchTarget, type OutageData } from "../../formats/index.ts";
import type { EntryId, Ref, Tokens } from "../../session/index.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A batch on the branch, whole or begun. */
export interface BatchOnBranch {
  readonly batch: string;
  /** Of its note; null where it has none. */
  readonly ref: Ref | null;
  readonly targets: readonly BatchTarget[];
  /** The id of the note's record. */
  note?: string;
  /** The edit of each record that it changes, by the record's id. */
  readonly edits: Map<string, string>;
}

/** What of a record is to be as it was: entry ids of a message and its calls, or all of it. `gone`: a note of ours, which leaves. */
export interface UndoTarget {
  readonly entry: string;
  readonly parts: "all" | "gone" | readonly EntryId[];
}

/** The data of the record that asks for an undo. `undone` with the same name closes it. */
export interface UndoData {
  readonly version: 1;
  readonly kind: "undo";
  /** Names it in its file. */
  readonly undo: string;
  readonly targets: readonly UndoTarget[];
}

/** The data of the record that switches a session on or off. */
export interface SwitchData {
  readonly version: 1;
  readonly kind: "switch";
  readonly enabled: boolean;
}

/** What models took on a branch. */
export interface Spent {
  readonly calls: number;
  /** Calls that reported no usage: the sums are too low by them. */
  readonly unreported: number;
  readonly input: Tokens;
  readonly output: Tokens;
  /** In US dollars; undefined where no call has a price. */
  readonly usd: number | undefined;
  /** Results that they were asked about, and those that they told of. */
  readonly asked: number;
  readonly told: number;
}

const NOTHING: Spent = { calls: 0, unreported: 0, input: 0, output: 0, usd: undefined, asked: 0, told: 0 };

/** A fold of a branch's records. */
export class OurRecords {
  readonly #batches: BatchOnBranch[] = [];
  /** What the newest batch is to edit. */
  #wanted: ReadonlySet<string> = new Set();
  readonly #undos = new Map<string, UndoData>();
  #enabled: boolean | undefined;
  #spent: Spent = NOTHING;
  #attempt: AttemptData | undefined;
  #outage: OutageData | undefined;
  #more = false;

  /** In the order of the branch. */
  get batches(): readonly BatchOnBranch[] {
    return this.#batches;
  }

  /** Asked for and not done yet. */
  get undos(): readonly UndoData[] {
    return [...this.#undos.values()];
  }

  /** What the session itself says; undefined where it says nothing. */
  get enabled(): boolean | undefined {
    return this.#enabled;
  }

  /** The newest epoch edited as much as one may, and more was due. */
  get more(): boolean {
    return this.#more;
  }

  /** What summaries by a model took. */
  get spent(): Spent {
    return this.#spent;
  }

  /** The newest time that a model was asked for summaries. */
  get attempt(): AttemptData | undefined {
    return this.#attempt;
  }

  /** The newest word on whether a model can be reached. */
  get outage(): OutageData | undefined {
    return this.#outage;
  }

  take(record: SessionEntry): void {
    const batch = this.#batches.at(-1);
    if (record.type === "context_edit") {
      // The first edit is the batch's; a later one may undo it.
      if (batch && this.#wanted.has(record.targetId) && !batch.edits.has(record.targetId)) batch.edits.set(record.targetId, record.id);
    } else if (record.type === "custom_message" && record.customType === BATCH_TYPE && batch) batch.note ??= record.id;
    else if (record.type === "custom" && record.customType === BATCH_TYPE) this.#data((record.data ?? {}) as JsonObject);
  }

  #data(data: JsonObject): void {
    if (data.version !== 1) return;
    if (data.kind === "batch" && typeof data.batch === "string" && Array.isArray(data.targets)) {
      const targets = data.targets as BatchTarget[];
      this.#batches.push({ batch: data.batch, ref: (data.note ?? null) as Ref | null, targets, edits: new Map() });
      this.#wanted = new Set(targets.map(({ entry }) => entry));
      // A batch without a note, of what is too large to be shown once, says nothing of what else is due.
      if (data.note || data.more) this.#more = data.more === true;
    } else if (data.kind === "undo" && typeof data.undo === "string" && Array.isArray(data.targets)) this.#undos.set(data.undo, data as unknown as UndoData);
    else if (data.kind === "undone" && typeof data.undo === "string") this.#undos.delete(data.undo);
    else if (data.kind === "attempt") this.#asked(data as unknown as AttemptData);
    else if (data.kind === "outage" && (data.state === "down" || data.state === "up")) this.#outage = data as unknown as OutageData;
    else if (data.kind === "switch" && typeof data.enabled === "boolean") this.#enabled = data.enabled;
  }

  #asked(attempt: AttemptData): void {
    this.#attempt = attempt;
    const { usage, counts } = attempt;
    const { calls, unreported, input, output, usd, asked, told } = this.#spent;
    this.#spent = {
      calls: calls + numberOf(usage?.calls),
      unreported: unreported + numberOf(usage?.unreported),
      input: input + numberOf(usage?.input),
      output: output + numberOf(usage?.output),
      usd: usage?.usd === undefined ? usd : (usd ?? 0) + numberOf(usage.usd),
      asked: asked + numberOf(counts?.asked),
      told: told + numberOf(counts?.told),
    };
  }
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
