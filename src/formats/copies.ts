// History that one session took over from another: told apart from what is its own, and its usage counted once.
import { type Entry, type EntryId, isDecision, recordId, type Session, sha256, type Tokens, type UsageFact } from "../session/index.ts";

interface CopiedHistory {
  /** Facts of the second session that the first holds too, in the order they were added. */
  readonly copied: readonly EntryId[];
  /** Facts that are the second session's own. */
  readonly added: readonly EntryId[];
  /** Of these, the ones that the first session holds with the same content, while nothing tells whether they are copies. */
  readonly possible: readonly EntryId[];
  /** Of both sessions together, branches included. */
  readonly usage: UsageTotals;
}

interface UsageTotals {
  /** Uncached input tokens. */
  readonly input: Tokens;
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  readonly output: Tokens;
  /** Responses that were reported. */
  readonly reports: number;
}

/**
 * Which facts of `second` are copies of facts of `first`, as a fork or a resumed session has them. A fact is known by its record's id;
 * without one by its response's id, and without that by its time and content. An id that is unique in its own session only counts together
 * with time and content. What none of these tells is taken for the second session's own, and called a possible copy where its content is known.
 */
export function copiedHistory(first: Session, second: Session): CopiedHistory {
  const known = new Set<string>();
  const firsts = [...first.entries()].map(({ entry }) => entry);
  for (const entry of firsts) {
    const key = identity(entry);
    if (key !== undefined) known.add(key);
  }
  const copied: EntryId[] = [];
  const added: EntryId[] = [];
  const possible: EntryId[] = [];
  const own: Entry[] = [];
  let contents: ReadonlySet<string> | undefined;
  for (const { entry } of second.entries()) {
    if (isDecision(entry.data)) continue;
    const key = identity(entry);
    if (key !== undefined && known.has(key)) copied.push(entry.id);
    else {
      added.push(entry.id);
      own.push(entry);
      if (key !== undefined) continue;
      contents ??= new Set(firsts.map(contentOf));
      if (contents.has(contentOf(entry))) possible.push(entry.id);
    }
  }
  return Object.freeze({ copied, added, possible, usage: totals([...reports(firsts), ...reports(own)]) });
}

/** 36 characters in five groups: unique everywhere. Shorter ids are unique in one session. */
const UNIQUE = /^[0-9a-z]{8}(-[0-9a-z]{4}){3}-[0-9a-z]{12}$/i;

/** What a fact and its copy have in common and no other fact has; undefined where nothing is certain. */
function identity(entry: Entry): string | undefined {
  const { data, time } = entry;
  if (isDecision(data)) return undefined;
  const record = recordId(entry.id);
  if (UNIQUE.test(record)) return `record ${record}`;
  // `@` and an offset say where a record is, not which.
  if (!record.startsWith("@")) return `entry ${entry.id} ${contentHash(entry)}`;
  if ((data.kind === "message" || data.kind === "usage") && data.messageId !== undefined) return `${data.kind} ${data.messageId}`;
  return time === undefined ? undefined : `content ${contentHash(entry)}`;
}

function contentHash(entry: Entry): string {
  return sha256(JSON.stringify([entry.time ?? null, contentOf(entry)]));
}

/** Kind, role and texts. Where a text lies is left out, and the whole output behind a preview, which a copy may lack. */
function contentOf({ data }: Entry): string {
  return sha256(JSON.stringify(data, (key, value: unknown) => (key === "at" || key === "full" ? undefined : value)));
}

/** Of several reports on one response in one session the last holds. */
function reports(entries: readonly Entry[]): UsageFact[] {
  const last = new Map<string, UsageFact>();
  for (const { id, data } of entries) if (data.kind === "usage") last.set(data.messageId === undefined ? `entry ${id}` : `message ${data.messageId}`, data);
  return [...last.values()];
}

function totals(usages: readonly UsageFact[]): UsageTotals {
  const sum = (field: "input" | "cacheRead" | "cacheWrite" | "output") => usages.reduce((total, each) => total + each[field], 0);
  return Object.freeze({ input: sum("input"), cacheRead: sum("cacheRead"), cacheWrite: sum("cacheWrite"), output: sum("output"), reports: usages.length });
}
