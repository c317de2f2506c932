// What happened (facts) and what to show instead (decisions): plain frozen data, one shape for every host.
import type { Body, Bytes, RecordRange } from "./body.ts";

/** A record's id, with `#n` where one record holds several entries, or `@` and the byte offset where it has none. */
export type EntryId = string & { readonly __brand: "EntryId" };
/** `tN`, the N-th result on its path, or `bN`, the N-th legal decision that hides anything else. */
export type Ref = `t${number}` | `b${number}`;
export type Tokens = number;

export function entryId(text: string): EntryId {
  return text as EntryId;
}

export type Block =
  | { readonly type: "text"; readonly body: Body }
  | { readonly type: "thinking"; readonly body: Body; readonly signature?: Body }
  /** `data`: the base64 or URL string as written. */
  | { readonly type: "image"; readonly mediaType: string; readonly data: Body; readonly width?: number; readonly height?: number }
  /** A block of a type we do not know, as JSON text. */
  | { readonly type: "other"; readonly was: string; readonly raw: Body };

export interface Section {
  readonly name: string;
  readonly body: Body;
}
/** `body`: the declaration as JSON text. */
export interface ToolDeclaration {
  readonly name: string;
  readonly body: Body;
}

export type Role = "user" | "assistant" | "system";
export type Status = "ok" | "error";

/** The whole prompt from here on, not the difference to the one before. */
export interface PromptFact {
  readonly kind: "prompt";
  readonly sections: readonly Section[];
  readonly tools: readonly ToolDeclaration[];
}
export interface MessageFact {
  readonly kind: "message";
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** `made`: the reader's, for a response whose record lacks a message. `fallback`: from an event, as nothing else holds the text. `derived`: written by a host. `meta`: sent, but not typed by the user. */
  readonly mark?: "made" | "fallback" | "derived" | "meta";
  /** The host's word for a message that it composed (`branch_summary`, `bashExecution`, `custom_message`). */
  readonly host?: string;
  /** The provider's id of the response. */
  readonly messageId?: string;
}
export interface CallFact {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  /** JSON text of the arguments; the text itself where they are free text or do not parse. */
  readonly input: Body;
  readonly summarize?: true;
}
export interface ResultFact {
  readonly kind: "result";
  readonly callId: string;
  readonly tool: string;
  readonly status: Status;
  readonly blocks: readonly Block[];
  /** The whole output, where the host gave the model a preview and kept the rest in a file. */
  readonly full?: Body;
  /** The original is gone, which a condensed copy kept beside it: its stub is all that is left. */
  readonly lost?: true;
}
export interface UsageFact {
  readonly kind: "usage";
  /** What the host spent it on, where that is no request of the conversation (`cache_warm`, a title). */
  readonly what?: string;
  /** Uncached input tokens. */
  readonly input: Tokens;
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  /** Thoughts included. */
  readonly output: Tokens;
  readonly window?: Tokens;
  readonly messageId?: string;
  readonly model?: string;
}
export interface FailureFact {
  readonly kind: "failure";
  readonly class: "overflow" | "transient" | "aborted" | "other";
  readonly text?: Body;
}
/** A record that nobody sent: label, title, model change, anything unknown. */
export interface MarkerFact {
  readonly kind: "marker";
  readonly what: string;
  /** The record as JSON text; absent for a line too large to hold. */
  readonly raw?: Body;
}
export type Fact = PromptFact | MessageFact | CallFact | ResultFact | UsageFact | FailureFact | MarkerFact;

export type Author = "host" | "extractive" | "model" | "agent" | "person";

/** What stands in place of an entry. `nothing` and `unknown` come from hosts only: a pair that a host took out, a text that it did not record. */
export type Replacement =
  | { readonly as: "blocks"; readonly blocks: readonly Block[] }
  | { readonly as: "input"; readonly input: Body }
  | { readonly as: "nothing" }
  | { readonly as: "unknown" };

export interface CondenseDecision {
  readonly kind: "condense";
  readonly targets: readonly EntryId[];
  /** One for each target, in order. */
  readonly stubs: readonly Body[];
  readonly summary: Body;
  readonly by: Author;
}
export interface ReplaceDecision {
  readonly kind: "replace";
  readonly target: EntryId;
  readonly body: Replacement;
  readonly by: Author;
  /** An annotation: the projector does not read it. */
  readonly mode: "apriori" | "aposteriori" | "spill" | "duplicate" | "prune" | "media" | "arguments" | "thinking";
}
export interface FoldDecision {
  readonly kind: "fold";
  readonly from: EntryId;
  /** The last entry folded. */
  readonly to: EntryId;
  /** Entries that stay; an assistant message stands for its whole batch. */
  readonly kept: readonly EntryId[];
  readonly body: Body;
  readonly by: Author;
}
/** A message of a list that a host puts in place of a history. */
export interface ShownMessage {
  readonly role: Role;
  readonly blocks: readonly Block[];
}
export interface CompactDecision {
  readonly kind: "compact";
  /** The first entry shown. Null, from hosts only: nothing before the decision is. */
  readonly cut: EntryId | null;
  /** Null, from hosts only: not recorded. */
  readonly summary: Body | null;
  /** What the host put before the model, where it wraps the summary. */
  readonly shown?: Body;
  /** From hosts only: the messages that stand in place of what it hides, where that is a list and not the summary alone. */
  readonly shows?: readonly ShownMessage[];
  /** From hosts only, that are known to do so and did not record what they showed: messages before the cut that stay. */
  readonly kept?: readonly EntryId[];
  readonly autoRead: readonly { readonly path: string; readonly body: Body }[];
  readonly references: readonly Body[];
  readonly quotes: readonly { readonly entry: EntryId; readonly body: Body }[];
  readonly carried: readonly Body[];
  readonly by: Author;
}
export interface MoltDecision {
  readonly kind: "molt";
  /** The first entry shown; null: the newest assistant message. */
  readonly keepFrom: EntryId | null;
  /** Assistant messages whose batches stay. */
  readonly keepBatches: readonly EntryId[];
  readonly briefing: Body;
  readonly by: Author;
}
export interface RevertDecision {
  readonly kind: "revert";
  readonly of: EntryId;
  /** Results of a condense, or messages (an assistant message stands for its batch) of a range; absent: all. */
  readonly targets?: readonly EntryId[];
}
export type Cause = "host" | "prompt" | "cadence" | "final-reply" | "on-demand" | "occupancy" | "growth" | "cold-cache" | "revert";
export interface Economics {
  /** Bytes of an already sent prefix that are sent anew. */
  readonly rewritten: Bytes;
  /** Tokens that each later request saves. */
  readonly saving: Tokens;
  /** What that comes to at the prices of the policy, in millionths of their currency. */
  readonly cost?: EpochCost;
}
export interface EpochCost {
  /** Whether there was a prompt cache to miss. */
  readonly cache: "warm" | "cold";
  /** What the next request pays more. */
  readonly miss: number;
  /** What each later request pays less. */
  readonly savingPerRequest: number;
  /** Requests until the miss is earned back; null: never. */
  readonly paysAfterRequests: number | null;
}
export interface EpochDecision {
  readonly kind: "epoch";
  readonly cause: Cause;
  readonly applies: readonly EntryId[];
  readonly economics?: Economics;
}
export interface NoticeDecision {
  readonly kind: "notice";
  readonly code: string;
  readonly text: Body;
}
export interface AttemptDecision {
  readonly kind: "attempt";
  readonly what: string;
  readonly phase: "started" | "done" | "failed" | "skipped";
  readonly code?: string;
  /** What it took of a language model. */
  readonly usage?: AttemptUsage;
  /** What it came to, by names of its own: results asked about, told of, bytes read. */
  readonly counts?: Readonly<Record<string, number>>;
}
/** What calls of a language model came to. A figure that no call reported is absent; those that some did not report are too low by `unreported` calls. */
export interface AttemptUsage {
  /** `PROVIDER/ID`. */
  readonly model: string;
  readonly calls: number;
  /** Calls whose usage is not known. */
  readonly unreported: number;
  readonly input?: Tokens;
  readonly cacheRead?: Tokens;
  readonly output?: Tokens;
  /** In US dollars. */
  readonly usd?: number;
  /** The version of the prompt. */
  readonly prompt?: string;
}
export type RangeDecision = FoldDecision | CompactDecision | MoltDecision;
/** Decisions that hide something. */
export type HidingDecision = CondenseDecision | ReplaceDecision | RangeDecision;
export type Decision = HidingDecision | RevertDecision | EpochDecision | NoticeDecision | AttemptDecision;

export interface Entry {
  readonly id: EntryId;
  /** Null: a root. */
  readonly parent: EntryId | null;
  /** Milliseconds since 1970, for people only. */
  readonly time?: number;
  readonly data: Fact | Decision;
  /** On a side chain (a question beside the conversation, a subagent): never part of the main conversation's heads. */
  readonly side?: true;
  /** The records it was read from; absent for what Palimpsest itself decided. */
  readonly records?: readonly RecordRange[];
}

const DECISIONS: ReadonlySet<string> = new Set<Decision["kind"]>(["condense", "replace", "fold", "compact", "molt", "revert", "epoch", "notice", "attempt"]);

export function isDecision(data: Fact | Decision): data is Decision {
  return DECISIONS.has(data.kind);
}

/** The host's record id of an entry: its id without the `#n`. */
export function recordId(id: EntryId): string {
  const at = id.lastIndexOf("#");
  return at > 0 && /^\d+$/.test(id.slice(at + 1)) ? id.slice(0, at) : id;
}
