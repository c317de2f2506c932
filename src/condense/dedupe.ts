// Results that say the same as an earlier one: same tool, outcome, arguments, text and media.
import { type Block, bodyText, type CallFact, type ResultFact, type Sha256, type Status, sha256 } from "../session/index.ts";

/** What two results are compared by. */
export interface Comparable {
  readonly tool: string;
  readonly status: Status;
  /** The arguments as JSON text, or as they came. */
  readonly input: string;
  readonly text: string;
  /** A word for each image or unknown block that is the same only for the same content. */
  readonly media: readonly string[];
}

/** A text as it is compared: blanks and carriage returns at the end of a line, and all white space at both ends, make no difference. */
export function normalText(text: string): string {
  return text.split("\n").map(withoutTrailingBlanks).join("\n").trim();
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && " \t\r".includes(line[end - 1] as string)) end--;
  return end === line.length ? line : line.slice(0, end);
}

/** Equal for results that say the same. */
export function dedupeKey({ tool, status, input, text, media }: Comparable): Sha256 {
  return sha256(JSON.stringify([tool, status, normalArguments(input), normalText(text), media]));
}

/** The key of a recorded result and the call that it answers. */
export function resultKey(call: CallFact, result: ResultFact): Sha256 {
  const texts = result.blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []));
  const media = result.blocks.flatMap(mediaWord);
  return dedupeKey({
    tool: call.tool,
    status: result.status,
    input: bodyText(call.input),
    text: texts.join("\n"),
    media: result.full ? [...media, `full ${result.full.sha256}`] : media,
  });
}

function mediaWord(block: Block): string[] {
  if (block.type === "text") return [];
  if (block.type === "image") return [`image ${block.mediaType} ${block.data.sha256}`];
  return [block.type === "thinking" ? `thinking ${block.body.sha256}` : `${block.was} ${block.raw.sha256}`];
}

/** Arguments with the keys of every object in one order; as they came where they are no JSON or hold a number that JSON.parse would round. */
function normalArguments(input: string): readonly ["json" | "text", string] {
  try {
    return ["json", JSON.stringify(JSON.parse(input), ordered)];
  } catch {
    return ["text", input];
  }
}

function ordered(_: string, value: unknown): unknown {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new RangeError("not exact");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Results by what they say, in path order. Ids are whatever the caller calls results by.
 *
 * ```ts
 * const originals = new Originals<string>();
 * originals.add("r1", key);
 * originals.first(key); // "r1"
 * ```
 */
export class Originals<Id> {
  readonly #of = new Map<Sha256, Id[]>();

  add(id: Id, key: Sha256): void {
    const same = this.#of.get(key);
    if (same) same.push(id);
    else this.#of.set(key, [id]);
  }

  /** The first with this key, of those that `counts` lets count. */
  first(key: Sha256, counts: (id: Id) => boolean = () => true): Id | undefined {
    return this.#of.get(key)?.find(counts);
  }
}
