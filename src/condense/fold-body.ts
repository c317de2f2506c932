// The block of a folded chain: a line and a ref for every call, and what summaries said of them, in less than what it hides.
import { editHeader } from "../extract/index.ts";
import { type Block, type Bytes, bodyText, type CallFact, isHiding, type MessageFact, type Place, type Ref, type ResultFact, refOf } from "../session/index.ts";
import type { ChainBatch, Chains } from "./chains.ts";
import type { Foldable } from "./foldable.ts";
import { fuseRefs, placeholdersToRefs } from "./fuse.ts";
import { isSmaller } from "./guards.ts";
import { footer } from "./labels.ts";
import { aboutCall, argumentsOf, blocksBytes } from "./ledger.ts";
import { headPreview } from "./spill.ts";
import type { StandIn } from "./stand-ins.ts";

export interface FoldBody {
  readonly text: string;
  /** `summaries`: all results were summarized before. `deterministic`: none was. `both`: some were. */
  readonly kind: "summaries" | "deterministic" | "both";
  /** Whether it holds what a model made of the summaries. */
  readonly usesModel: boolean;
  /** UTF-8 bytes that leave the view, and those of the text. */
  readonly hidden: Bytes;
  readonly shown: Bytes;
}

export interface BodyOptions {
  /** The ref that the fold will have. */
  readonly ref: Ref;
  /** Whether something else hides a result already. */
  readonly isHidden: (result: Place) => boolean;
  /** The most that summaries take, in UTF-8 bytes; never more than a quarter of what the block hides. 4096 by default. */
  readonly summaryBytes?: Bytes;
  /** What a model made of the parts that `fusionParts` gives. */
  readonly fused?: string;
}

const SUMMARY_BYTES = 4096;
/** A summary is not begun for less than this. */
const LEAST_EXCERPT = 48;

/** The block's text; none where it would be no smaller than what it hides. */
export function foldBody(fold: Foldable, chains: Chains, options: BodyOptions): FoldBody | undefined {
  const calls = callsOf(fold.batches, chains);
  const leaving = blocksLeaving(fold, calls, chains, options.isHidden);
  const hidden = shownBytes(fold.batches, chains) + leaving.reduce((sum, block) => sum + summaryBytes(block), 0);
  const kind = kindOf(calls);
  const room = Math.min(options.summaryBytes ?? SUMMARY_BYTES, Math.floor(hidden / 4));
  const quotes = quotesOf(fold, calls, leaving, chains, options);
  const blocks = blockRefs(calls, quotes);
  const layouts: Layout[] = [
    { lines: "whole", quotes: within(quotes.all, room) },
    { lines: "whole", quotes: [] },
    { lines: "bare", quotes: [] },
  ];
  for (const layout of layouts) {
    const text = laidOut(fold, calls, kind, blocks, layout, options.ref);
    if (isSmaller([text], hidden)) return { text, kind, hidden, shown: Buffer.byteLength(text), usesModel: layout.quotes.some(({ of }) => of === "fused") };
  }
  return undefined;
}

/** The summaries of a chain as a model is given them to make one of: each with its refs in it, none twice. */
export function fusionParts(fold: Foldable, chains: Chains): readonly string[] {
  const calls = callsOf(fold.batches, chains);
  const parts = calls.flatMap(({ ref, standIn }) => {
    if (!standIn) return [];
    return [bySummary(standIn.by) ? withoutFooter(summaryText(standIn.by)) : `\`${ref}\` ${textIn(standIn.blocks)}`];
  });
  return [...new Set(parts)];
}

/** A call, or a result that answers none. */
interface FoldedCall {
  readonly tool: string;
  readonly call?: CallFact;
  readonly result?: ResultFact;
  readonly ref?: Ref;
  /** What summarized the result before. */
  readonly standIn?: StandIn;
  /** Where its line stands: of the result, or of the call without one. */
  readonly place: Place;
}

function callsOf(batches: readonly ChainBatch[], chains: Chains): readonly FoldedCall[] {
  return batches.flatMap(({ calls, late }) => {
    const own = calls.map(({ place, fact, result }) => (result ? answered(result.place, result.fact, chains, fact) : { tool: fact.tool, call: fact, place }));
    const others = late.map((place) => answered(place, place.entry.data as ResultFact, chains));
    return [...own, ...others].sort((a, b) => a.place.depth - b.place.depth);
  });
}

function answered(place: Place, result: ResultFact, chains: Chains, call?: CallFact): FoldedCall {
  const standIn = chains.standIns.of(place.entry.id);
  return { tool: call?.tool ?? result.tool, place, result, ref: refOf(place) as Ref, ...(call && { call }), ...(standIn?.summary && { standIn }) };
}

function kindOf(calls: readonly FoldedCall[]): FoldBody["kind"] {
  const results = calls.filter(({ result }) => result);
  const covered = results.filter(({ standIn }) => standIn).length;
  return covered === 0 ? "deterministic" : covered === results.length ? "summaries" : "both";
}

/** The blocks of earlier decisions that are shown no longer, as nothing is left that they hold. */
function blocksLeaving({ batches }: Foldable, calls: readonly FoldedCall[], chains: Chains, isHidden: BodyOptions["isHidden"]): Place[] {
  const here = new Set(calls.flatMap(({ result, place }) => (result ? [place] : [])));
  const blocks = new Set(batches.length === 0 ? [] : calls.flatMap(({ standIn }) => (standIn?.by.entry.data.kind === "condense" ? [standIn.by] : [])));
  return [...blocks].filter((block) =>
    chains.standIns.heldBy(block).every((id) => {
      const result = chains.find(id) as Place;
      return here.has(result) || isHidden(result);
    }),
  );
}

/** UTF-8 bytes that the batches take in a view at least: thinking, late results and lines of ours are left out. */
function shownBytes(batches: readonly ChainBatch[], chains: Chains): Bytes {
  return batches.reduce((sum, { assistant, calls }) => {
    const said = (assistant.entry.data as MessageFact).blocks.filter(({ type }) => type !== "thinking");
    return sum + smallest(assistant, blocksBytes(said), chains) + calls.reduce((all, call) => all + pairBytes(call, chains), 0);
  }, 0);
}

function pairBytes({ place, fact, result }: ChainBatch["calls"][number], chains: Chains): Bytes {
  const called = smallest(place, fact.input.bytes, chains);
  const taken = chains.standIns.of(place.entry.id)?.blocks.length === 0;
  if (!result || taken) return called;
  const waits = fact.summarize === true && result.fact.status === "ok" && !chains.standIns.of(result.place.entry.id);
  return called + (waits ? 0 : smallest(result.place, blocksBytes(result.fact.blocks), chains));
}

/** The bytes of an entry, or of what stands or will stand in its place. */
function smallest(place: Place, own: Bytes, chains: Chains): Bytes {
  const standIn = chains.standIns.of(place.entry.id);
  return standIn ? Math.min(own, blocksBytes(standIn.blocks)) : own;
}

/** Something that was said of a call, or of all: to be quoted. */
interface Quote {
  readonly of: Ref | "fused";
  readonly text: string;
}

interface Quotes {
  readonly all: readonly Quote[];
  /** Blocks that the texts name. */
  readonly named: readonly Ref[];
}

function quotesOf(fold: Foldable, calls: readonly FoldedCall[], leaving: readonly Place[], chains: Chains, { fused, ref }: BodyOptions): Quotes {
  const named = new Set<Ref>();
  const summary = (of: Quote["of"], text: string): Quote => {
    const without = placeholdersToRefs(withoutHeader(text), Number(ref.slice(1)));
    for (const each of without.refs) named.add(each);
    return { of, text: without.text };
  };
  // What a stub of ours quotes of a tool's output names no block, whatever stands in it.
  const quoted = (of: Ref, call: FoldedCall, by: Place): Quote => (isQuoting(by) ? { of, text: extracted(call) } : summary(of, extracted(call)));
  const quotes: Quote[] =
    fused !== undefined && fused.trim() !== ""
      ? [summary("fused", fuseRefs(fused, fusionParts(fold, chains)).text.trim())]
      : [
          ...leaving.filter(bySummary).map((block) => summary(refOf(block) as Ref, withoutFooter(summaryText(block)))),
          ...calls.flatMap((call) => (call.ref && call.standIn && !bySummary(call.standIn.by) ? [quoted(call.ref, call, call.standIn.by)] : [])),
        ];
  return { all: quotes.filter(({ text }) => text !== ""), named: [...named] };
}

/** What a stub shows, without marks of what it left out: the line above leads to the original. Nothing of an edit that went well. */
function extracted({ tool, call, result, standIn }: FoldedCall): string {
  const text = withoutHeader(textIn(standIn?.blocks ?? []));
  if (editHeader({ tool, args: argumentsOf(call), text, status: result?.status ?? "ok" }) !== undefined) return "";
  return text.replace(/^…(?:\n|$)/gm, "").trimEnd();
}

/** Whether the text of a decision is taken from what it stands for, and nobody's own words. */
function isQuoting({ entry: { data } }: Place): boolean {
  return isHiding(data) && data.by === "extractive";
}

/** Whether a decision says in its own block what it knows of its results: a model's; ours without one says it in the stubs. */
function bySummary({ entry: { data } }: Place): boolean {
  return data.kind === "condense" && data.by !== "extractive";
}

function summaryText({ entry: { data } }: Place): string {
  return data.kind === "condense" ? bodyText(data.summary) : "";
}

function summaryBytes({ entry: { data } }: Place): Bytes {
  return data.kind === "condense" ? data.summary.bytes : 0;
}

function textIn(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])).join("\n");
}

const FOOTER = footer([]).slice(0, footer([]).indexOf(":"));

function withoutFooter(text: string): string {
  const at = text.lastIndexOf(FOOTER);
  return at < 0 ? text : text.slice(0, at);
}

/** Without the line of ours that it begins with: the call's line says the same. */
function withoutHeader(text: string): string {
  return text.replace(/^\[[tb]\d+ [^\n]*\](?:\n|$)/, "").trimEnd();
}

/** The heads of texts that fit into so many bytes together: short ones whole, the rest in equal parts. */
function within(quotes: readonly Quote[], room: Bytes): readonly Quote[] {
  const taken = new Map<Quote, Quote>();
  let left = room;
  const bySize = quotes.map((quote) => ({ quote, bytes: Buffer.byteLength(quote.text) })).sort((a, b) => a.bytes - b.bytes);
  for (const [at, { quote, bytes }] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - at));
    if (bytes > share && share < LEAST_EXCERPT) break;
    const text = bytes <= share ? quote.text : `${headPreview(quote.text, share)}\n…`;
    left -= Math.min(bytes, share);
    taken.set(quote, { of: quote.of, text });
  }
  return quotes.flatMap((quote) => taken.get(quote) ?? []);
}

function blockRefs(calls: readonly FoldedCall[], { named }: Quotes): readonly Ref[] {
  const refs = new Set<Ref>(named);
  for (const { standIn } of calls) {
    const ref = standIn && refOf(standIn.by);
    if (ref?.startsWith("b")) refs.add(ref);
  }
  return [...refs].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}

interface Layout {
  readonly lines: "whole" | "bare";
  readonly quotes: readonly Quote[];
}

function laidOut(fold: Foldable, calls: readonly FoldedCall[], kind: FoldBody["kind"], blocks: readonly Ref[], { lines, quotes }: Layout, ref: Ref): string {
  const quoted = new Map(quotes.map(({ of, text }) => [of, text]));
  const whole = lines === "whole";
  const out = [`[${ref} automatic note, not from the user: ${counted(calls.length, "call")} folded into this block; recall ${ref} for all of it]`];
  if (kind !== "summaries" && whole) out.push(...overview(fold, calls));
  for (const call of calls) {
    out.push(callLine(call, lines));
    const said = call.ref && quoted.get(call.ref);
    if (said) out.push(...quotedLines(said));
  }
  for (const { of, text } of quotes)
    if (of.startsWith("b") || of === "fused") out.push(of === "fused" ? "Summary:" : `Summary \`${of}\`:`, ...quotedLines(text));
  if (blocks.length > 0) out.push(`Earlier blocks: ${blocks.map((each) => `\`${each}\``).join(", ")}`);
  if (whole) out.push(...notices(fold));
  return out.join("\n");
}

/** What a chain was without anybody's summary. */
function overview({ batches }: Foldable, calls: readonly FoldedCall[]): string[] {
  const tools = new Map<string, number>();
  for (const { tool } of calls) tools.set(tool, (tools.get(tool) ?? 0) + 1);
  const ranked = [...tools].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const began = batches[0]?.assistant.entry.time;
  const ended = Math.max(...calls.map(({ place }) => place.entry.time ?? Number.NEGATIVE_INFINITY));
  const timed = began !== undefined && Number.isFinite(ended);
  return [
    `Calls: ${calls.length}`,
    `Tools: ${ranked.map(([tool, times]) => `${inLine(tool, 60)} x${times}`).join(", ")}`,
    ...(timed ? [`Span: ${instant(began)} -> ${instant(ended)} (${Math.round((ended - began) / 1000)}s)`] : []),
    `First: ${named(calls[0])}`,
    `Last: ${named(calls.at(-1))}`,
  ];
}

function instant(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString();
}

function named(folded: FoldedCall | undefined): string {
  if (!folded) return "";
  const about = folded.call ? inLine(aboutCall(folded.call), 100) : "";
  return `${inLine(folded.tool, 60)}${about === "" ? "" : ` ${about}`}`;
}

/** `` - `t3` bash npm test: 16,384 bytes, error `` */
function callLine(folded: FoldedCall, lines: Layout["lines"]): string {
  const { ref, result, tool, call } = folded;
  const name = lines === "bare" ? inLine(tool, 60) : named(folded);
  const facts = result ? factsOf(result, call, lines) : ["no result"];
  return `- ${ref ? `\`${ref}\` ` : ""}${name}${facts.length === 0 ? "" : `: ${facts.join(", ")}`}`;
}

function factsOf({ blocks, status }: ResultFact, call: CallFact | undefined, lines: Layout["lines"]): string[] {
  const failed = status === "error" ? ["error"] : [];
  if (lines === "bare") return failed;
  const images = blocks.filter(({ type }) => type === "image").length;
  const bytes = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.body.bytes : 0), 0);
  return [counted(bytes, "byte"), ...(images > 0 ? [counted(images, "image")] : []), ...failed, ...(call ? [] : ["came late"])];
}

/** What the model was told in the range, as its block takes that out of view. */
function notices({ chain, from, to }: Foldable): string[] {
  return chain.between.flatMap(({ depth, entry: { data } }) =>
    data.kind === "notice" && depth > from.depth && depth <= to.depth ? [`- notice ${inLine(data.code, 60)}: ${inLine(bodyText(data.text), 160)}`] : [],
  );
}

function counted(count: number, what: string): string {
  return `${String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",")} ${what}${count === 1 ? "" : "s"}`;
}

/** Somebody else's text within a line of ours: one line without its middle where it is long, no backtick for a ref, no bracket that closes. */
function inLine(text: string, limit: number): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
    .replaceAll("]", ")")
    .replaceAll("`", "'");
  if (line.length <= limit) return line;
  const half = Math.floor(limit / 2);
  return `${line.slice(0, half).replace(/[\uD800-\uDBFF]$/, "")}…${line.slice(half + 1 - limit).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

/** Somebody else's lines: each begins with a bar, so that none can be taken for a line of ours or for a fence. */
function quotedLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => `| ${line}`);
}
