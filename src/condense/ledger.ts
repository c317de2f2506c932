// What a decider keeps of each result as it follows a path: what it was, and what became of it.
import { type Block, bodyText, type CallFact, type EntryId, type Place, type Ref, type ResultFact, refOf, type Tokens } from "../session/index.ts";
import { blocksTokens } from "../tokens/index.ts";

/** What became of a result. `kept` says why. */
export type Fate =
  | ({ readonly kind: "condensed" | "spilled" } & Hidden)
  /** In the block of its chain. */
  | ({ readonly kind: "folded"; readonly into: Ref } & Hidden)
  | ({ readonly kind: "duplicate"; readonly of: Ref } & Hidden)
  /** `rule`: the tool's name or the glob that protects it. */
  | { readonly kind: "protected"; readonly rule: string }
  | { readonly kind: "kept"; readonly why: KeptWhy };

/** What shows a result shortened. */
interface Hidden {
  /** Estimated, of what stands in its place. */
  readonly tokens: Tokens;
  readonly by: EntryId;
  /** The session was condensed before, and held the decision already. */
  readonly earlier?: true;
}

/**
 * `newest`: too new yet. `small`: not worth it. `read`: the policy keeps reads of its size longer. `recalled`: the agent asked for it a few
 * user messages ago. `no-stub-is-smaller`. `late`: it answers no call of its batch. `summary-asked-for`: an a-priori summary is due.
 * `already-hidden`: by the host or another decision. `original-lost`: it is the stub of a condensed copy whose original is gone.
 */
export type KeptWhy = "newest" | "small" | "read" | "recalled" | "no-stub-is-smaller" | "late" | "summary-asked-for" | "already-hidden" | "original-lost";

/** One result of the path. */
export interface ResultRecord {
  readonly place: Place;
  readonly ref: Ref;
  readonly fact: ResultFact;
  /** The call that it answers; none where it is late. */
  readonly call?: CallFact;
  /** Estimated, as it came. */
  readonly tokens: Tokens;
  fate: Fate;
}

/** A result that answers a call: only such a one can be condensed. */
export type AnsweredRecord = ResultRecord & { readonly call: CallFact };

export function isAnswered(record: ResultRecord): record is AnsweredRecord {
  return record.call !== undefined;
}

export function resultRecord(place: Place, call: CallFact | undefined): ResultRecord {
  const fact = place.entry.data as ResultFact;
  return { place, ref: refOf(place) as Ref, fact, ...(call && { call }), tokens: blocksTokens(fact.blocks), fate: { kind: "kept", why: "newest" } };
}

/** The parsed arguments of a call; undefined where they are free text. */
export function argumentsOf(call: CallFact | undefined): Readonly<Record<string, unknown>> | undefined {
  if (!call) return undefined;
  try {
    const value: unknown = JSON.parse(bodyText(call.input));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const TELLING = ["command", "cmd", "pattern", "query", "path", "file_path", "filePath", "notebook_path", "url", "description", "prompt"];

/** What a call was about, in a few words: its command, path or pattern, with the path it looked in. */
export function aboutCall(call: CallFact | undefined): string {
  const args = argumentsOf(call);
  if (!args) return call ? bodyText(call.input) : "";
  const key = TELLING.find((each) => typeof args[each] === "string");
  const main = key === undefined ? Object.values(args).find((value) => typeof value === "string") : args[key];
  const where = key === "pattern" && typeof args.path === "string" ? ` in ${args.path}` : "";
  return `${typeof main === "string" ? main : ""}${where}`;
}

/** UTF-8 bytes of what blocks show. */
export function blocksBytes(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + (block.type === "image" ? block.data.bytes : block.type === "other" ? block.raw.bytes : block.body.bytes), 0);
}
