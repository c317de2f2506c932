// The answer to a call for an original: whole or in pages, or the lines of it that hold a text. A heading of ours, then nothing but its bytes.
import { bodyText, type Place, refOf, type Session, SourceChangedError, sha256 } from "../../session/index.ts";
import { lineCount, matches, type Page } from "../page.ts";
import { lostFault, type Recalled } from "../recall.ts";
import { entryText, originalText, textOf } from "../text.ts";
import { isExact } from "../verify.ts";
import { type AskedPart, PAGE, pageThatFits } from "./fit.ts";
import { IMAGES, type ImageBlock, type ImageContent, imagesOf } from "./images.ts";
import { named } from "./names.ts";
import { quoted, ToolProblem } from "./problem.ts";
import { count, counted, decisionWords, oneLine } from "./words.ts";

export type Content = { readonly type: "text"; readonly text: string } | ImageContent;

/** The session that a call is about, and what its host knows of it. */
export interface Asking {
  readonly session: Session;
  /** Refs are counted from here. */
  readonly head: Place | null;
  /** What a person knows the session by: its file's path, or its id. */
  readonly name: string;
  /** A line that says which session this is, where the agent cannot know. */
  readonly said?: string | undefined;
  /** The command that prints an original of this session; undefined where it is in no file. */
  readonly command?: ((ref: string) => string) | undefined;
  /** What else the agent can ask where nothing is called so. */
  readonly hint: string;
}

/** Arguments of a call, checked for their types. */
export interface AskedOriginal extends AskedPart {
  readonly ref: string;
  readonly search?: string | undefined;
}

/** Matching lines in one answer, where the call does not say how many. */
const MATCHES = 200;

/** Lines of ours as one text of an answer. */
export function said(...lines: readonly (string | undefined)[]): Content {
  return { type: "text", text: lines.filter((line) => line !== undefined).join("\n") };
}

/**
 * The original behind a name: first a text of ours that says what it is and where to go on, then its own text, then its images.
 * @throws ToolProblem where nothing is called so, or the part that is asked for is not there; SourceChangedError
 */
export function answerRecall(asking: Asking, asked: AskedOriginal): readonly Content[] {
  if (asked.search !== undefined && asked.unit === "bytes")
    throw new ToolProblem("bad-arguments", "expected unit lines beside search, found bytes: leave unit out, matches are counted in lines.");
  const found = named(asking.session, asked.ref, asking.head, asking.hint);
  const [only] = found;
  return only && found.length === 1 ? one(asking, only, asked) : several(asking, found, asked);
}

/** All originals of a name that several have, where one answer holds them; otherwise what they are. */
function several(asking: Asking, found: readonly Recalled[], asked: AskedOriginal): Content[] {
  const refs = found.map(nameOf);
  if (asked.offset !== undefined || asked.limit !== undefined || asked.unit !== undefined)
    throw new ToolProblem(
      "ambiguous-ref",
      `expected the name of one original beside offset, limit and unit, found ${quoted(asked.ref)}, which is ${refs.join(", ")}. Name one of them.`,
    );
  const texts = found.map((each) => verified(each, asking.name).text);
  const images = found.flatMap(imageBlocks).reduce((sum, { data }) => sum + data.bytes, 0);
  const bytes = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  const lines = texts.reduce((sum, each) => sum + lineCount(each), 0);
  const title = said(`${quoted(asked.ref)} is ${found.length} originals: ${refs.join(", ")}`, asking.said);
  if (asked.search === undefined && (bytes > PAGE.bytes || lines > PAGE.lines || images > IMAGES))
    return [
      title,
      said(...found.map((each, index) => heading(each, texts[index] ?? "")), `Together they are too large for one answer: recall one by its name.`),
    ];
  const share = Math.floor(PAGE.bytes / found.length);
  return [title, ...found.flatMap((each) => one({ ...asking, said: undefined }, each, asked, share))];
}

/** `share`: bytes of matching lines that the answer may hold of this original. */
function one(asking: Asking, recalled: Recalled, asked: AskedOriginal, share = PAGE.bytes): Content[] {
  const { text: original, note } = verified(recalled, asking.name);
  if (asked.search !== undefined) return searched(asking, recalled, original, asked, share);
  const page = pageThatFits(original, asked);
  const starts = page.unit === "lines" ? page.offset <= 1 : page.offset === 0;
  const blocks = imageBlocks(recalled);
  const images = starts ? imagesOf(blocks, asking.command?.(nameOf(recalled))) : undefined;
  const left = blocks.length > 0 && !images ? `${counted(blocks.length, "image")} with the first page` : undefined;
  const isBlank = page.text !== "" && page.text.trim() === "";
  return [
    said(
      `${heading(recalled, original)}${pageWords(page)}`,
      about(recalled),
      note,
      ...(images?.notes ?? []),
      left,
      // Models are given no text that is blank.
      isBlank ? `as JSON: ${JSON.stringify(page.text)}` : undefined,
      asking.said,
    ),
    ...(page.text === "" || isBlank ? [] : [{ type: "text", text: page.text } as const]),
    ...(images?.content ?? []),
  ];
}

/**
 * The text of an original after everything it is made of was read again and compared with its hash. A whole output whose
 * file is gone is answered by the preview, with a note that says so.
 * @throws SourceChangedError through `originalText`; ToolProblem where the bytes are others than those that were read, or gone
 */
function verified(recalled: Recalled, session: string): { readonly text: string; readonly note: string | undefined } {
  const fault = lostFault(recalled);
  if (fault !== undefined) throw new ToolProblem("originals-missing", `${session}: ${fault}`);
  const parts = recalled.kind === "block" ? [recalled.place, ...recalled.covers] : [recalled.place];
  if (!parts.every(isExact)) throw changed(recalled, session);
  if (recalled.kind !== "result" || !recalled.full) return { text: originalText(recalled), note: undefined };
  const kept = wholeOutput(recalled.place);
  if (kept !== undefined && sha256(kept) === recalled.full.sha256) return { text: kept, note: undefined };
  const preview = textOf(recalled.blocks);
  return {
    text: preview,
    note: `only the preview that the agent was shown: the file in which its host kept the whole output (${count(recalled.full.bytes)} bytes) is ${kept === undefined ? "gone" : "another one now"}`,
  };
}

function wholeOutput(place: Place): string | undefined {
  try {
    return entryText(place);
  } catch (error) {
    if (error instanceof SourceChangedError) return undefined;
    throw error;
  }
}

function changed(recalled: Recalled, session: string): ToolProblem {
  return new ToolProblem(
    "source-changed",
    `${session}: expected the bytes of ${nameOf(recalled)} as they were read before, found others: the file was rewritten. Ask again: it is read anew.`,
  );
}

/** `[original of t17, bash: 312 lines, 16,384 bytes, error]`: begins as no stub does. */
function heading(recalled: Recalled, original: string): string {
  const { data } = recalled.place.entry;
  const images = imageBlocks(recalled).length;
  const facts = [
    counted(lineCount(original), "line"),
    counted(Buffer.byteLength(original), "byte"),
    ...(images > 0 ? [counted(images, "image")] : []),
    ...(data.kind === "result" && data.status === "error" ? ["error"] : []),
  ];
  // A tool's name closes no bracket of ours.
  return `[original of ${nameOf(recalled)}, ${oneLine(whatOf(recalled), 80).replaceAll("]", ")")}: ${facts.join(", ")}]`;
}

function whatOf({ kind, place }: Recalled): string {
  const { data } = place.entry;
  if (data.kind === "result") return data.tool;
  if (data.kind === "call") return `call of ${data.tool}`;
  if (data.kind === "message") return `${data.role} message`;
  return kind === "block" ? decisionWords(data) : data.kind;
}

function nameOf({ place }: Recalled): string {
  return refOf(place) ?? place.entry.id;
}

/** What a result's call was, and what else stood in its place. */
function about(recalled: Recalled): string | undefined {
  if (recalled.kind !== "result") return undefined;
  const call = recalled.call?.entry;
  const lines = [
    ...(call?.data.kind === "call" ? [`call: ${oneLine(bodyText(call.data.input), 200)} (entry ${call.id})`] : []),
    ...(recalled.stood.length > 0 ? [`stood in its place: ${recalled.stood.map(({ place }) => refOf(place) ?? place.entry.id).join(", ")}`] : []),
  ];
  return lines.length > 0 ? lines.join("\n") : undefined;
}

function imageBlocks({ blocks }: Recalled): readonly ImageBlock[] {
  return blocks.filter((block): block is ImageBlock => block.type === "image");
}

/** Where a page stands and what to ask for next; nothing where it is the whole. */
function pageWords({ text: shown, unit, offset, total, next }: Page): string {
  const isWhole = next === undefined && (unit === "lines" ? offset <= 1 : offset === 0);
  if (isWhole) return "";
  const end = unit === "lines" ? offset + lineCount(shown) - 1 : offset + Buffer.byteLength(shown);
  const more = next === undefined ? "the end" : `next: {"offset":${next}${unit === "bytes" ? ',"unit":"bytes"' : ""}}`;
  return ` ${unit} ${count(offset)} to ${count(end)} of ${count(total)}; ${more}`;
}

/** The lines from `offset` on that hold the text, as many as were asked for and fit. */
function searched(asking: Asking, recalled: Recalled, original: string, { search = "", offset = 1, limit = MATCHES }: AskedOriginal, share: number): Content[] {
  const lines: string[] = [];
  let bytes = 0;
  let next: number | undefined;
  let total = 0;
  for (const { line, text: shown } of matches(original, search)) {
    total += 1;
    if (line < offset || next !== undefined) continue;
    const found = `${line}: ${shown}`;
    bytes += Buffer.byteLength(found) + 1;
    if (lines.length === limit || bytes > share) next = line;
    else lines.push(found);
  }
  const more = next === undefined ? "" : `; ${count(lines.length)} of them here, next: {"offset":${next}} with the same search`;
  const holds = `${total === 0 ? "no line holds" : total === 1 ? "1 line holds" : `${count(total)} lines hold`} ${quoted(search)}`;
  return [said(`${heading(recalled, original)} ${holds}${more}`, about(recalled), asking.said), ...(lines.length > 0 ? [said(...lines)] : [])];
}
