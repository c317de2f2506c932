// What a condensed copy of a session shows otherwise than the session: two views compared, item by item.
import { blocksBytes, type Condensed, inlined, toldIn } from "../condense/index.ts";
import { type Block, type Body, type Bytes, bodyText, type EntryId, isHiding, isRange, type Place, type Ref, type Tokens, textBody } from "../session/index.ts";
import { blocksTokens, bodyTokens, estimate } from "../tokens/index.ts";
import { type CallItem, type Item, type MessageItem, Projector, type ResultItem, type View } from "../view/index.ts";

/** A result in whose place a stub stands. */
export interface PlannedResult {
  /** In the session that is copied. */
  readonly place: Place;
  readonly ref: Ref;
  /** What stands there before. */
  readonly before: readonly Block[];
  readonly blocks: readonly Block[];
  /** The stub's text. */
  readonly text: string;
}

/** A call whose input is replaced. */
export interface PlannedCall {
  readonly place: Place;
  readonly before: Body;
  readonly input: string;
  /** Of the decision that replaced it, as the input may name it. A copy counts its own. */
  readonly ref: Ref | undefined;
}

/** A message that is shown without its thinking. */
export interface PlannedMessage {
  readonly place: Place;
  readonly before: readonly Block[];
  readonly blocks: readonly Block[];
}

export interface CopyPlan {
  readonly format: string;
  /** Where the session that is copied ends. */
  readonly head: Place | null;
  /** What it shows there. */
  readonly before: View;
  /** All in path order. */
  readonly results: readonly PlannedResult[];
  readonly calls: readonly PlannedCall[];
  readonly messages: readonly PlannedMessage[];
  /** Items that ranges of ours hide: a copy shows them, each result by the stub that it had before, where it had one. */
  readonly unfolded: number;
  readonly economics: CopyEconomics;
}

export interface CopyEconomics {
  /** Bytes of an already sent prefix that are sent anew. */
  readonly rewritten: Bytes;
  /** Estimated tokens that each later request saves. */
  readonly saving: Tokens;
}

/**
 * What a copy of the session has to show otherwise. What a host's compaction hides is in neither view and so not in the plan.
 *
 * ```ts
 * const plan = copyPlan(condense(session, DEFAULT_POLICY.condense));
 * ```
 */
export function copyPlan(condensed: Pick<Condensed, "session" | "head" | "before" | "after">): CopyPlan {
  const { before, after, session } = condensed;
  const now = new Map(Array.from(after, (item) => [keyOf(item), item]));
  const results: PlannedResult[] = [];
  const calls: PlannedCall[] = [];
  const messages: PlannedMessage[] = [];
  const stubs = stubsUnder(condensed, now);
  const told = toldIn(session.path(condensed.head), session.find);
  let unfolded = 0;
  for (const item of before) {
    const then = now.get(keyOf(item));
    if (!then) unfolded += 1;
    if (item.kind === "result" || item.kind === "stub") results.push(...plannedResult(item, then ? stubOf(then) : stubs.get(item.place.entry.id), told));
    else if (item.kind === "call" && then?.kind === "call") calls.push(...plannedCall(item, then));
    else if (item.kind === "message" && then?.kind === "message") messages.push(...plannedMessage(item, then));
  }
  const plan = { format: session.identity.format, head: before.head, before, results, calls, messages, unfolded };
  return Object.freeze({ ...plan, economics: economicsOf(plan) });
}

/** The same for an item before and after: a call, its result and its message are told apart. */
function keyOf({ role, place }: Item): string {
  return `${role} ${place.entry.id}`;
}

function stubOf(item: Item): readonly Block[] | undefined {
  return item.kind === "stub" ? item.blocks : undefined;
}

/** A copy has no notes of epochs: its stubs say themselves what those told. */
function plannedResult({ place, ref, blocks: before }: ResultItem, shown: readonly Block[] | undefined, told: ReadonlyMap<EntryId, string>): PlannedResult[] {
  if (!shown || ref === undefined || sameBlocks(shown, before)) return [];
  const section = told.get(place.entry.id);
  const blocks =
    section === undefined
      ? shown
      : shown.map((block) => (block.type === "text" ? { ...block, body: textBody(inlined(bodyText(block.body), section)) } : block));
  const text = blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])).join("\n");
  return [{ place, ref, before, blocks, text }];
}

function plannedCall(before: CallItem, after: CallItem): PlannedCall[] {
  if (before.input.sha256 === after.input.sha256) return [];
  return [{ place: before.place, before: before.input, input: bodyText(after.input), ref: after.ref }];
}

function plannedMessage({ place, role, blocks: before }: MessageItem, { blocks }: MessageItem): PlannedMessage[] {
  const spoken = before.filter(({ type }) => type !== "thinking");
  return role === "assistant" && spoken.length < before.length && sameBlocks(spoken, blocks) ? [{ place, before, blocks }] : [];
}

function sameBlocks(a: readonly Block[], b: readonly Block[]): boolean {
  return a.length === b.length && a.every((block, index) => hashOf(block) === hashOf(b[index] as Block));
}

function hashOf(block: Block): string {
  const body = block.type === "image" ? block.data : block.type === "other" ? block.raw : block.body;
  return `${block.type} ${body.sha256}`;
}

/** The newest stub in effect of each result that a later range of ours hides. */
function stubsUnder({ session, head, before }: Pick<Condensed, "session" | "head" | "before">, now: ReadonlyMap<string, Item>): Map<EntryId, readonly Block[]> {
  const stubs = new Map<EntryId, readonly Block[]>();
  const path = session.path(head);
  if (!path.some(({ entry: { data } }) => isRange(data) && data.by !== "host")) return stubs;
  const hidden = new Set(Array.from(before).flatMap((item) => (item.kind === "result" && !now.has(keyOf(item)) ? [item.place.entry.id] : [])));
  const projector = new Projector(session);
  for (const place of path) projector.advance(place);
  for (const { entry } of path) {
    const { data, id } = entry;
    if (!isHiding(data) || isRange(data) || !projector.isInEffect(id)) continue;
    if (data.kind === "condense")
      for (const [index, target] of data.targets.entries()) {
        const body = data.stubs[index];
        if (hidden.has(target) && body) stubs.set(target, [{ type: "text", body }]);
      }
    else if (hidden.has(data.target) && data.body.as === "blocks") stubs.set(data.target, data.body.blocks);
  }
  return stubs;
}

function economicsOf({ before, results, calls, messages }: Pick<CopyPlan, "before" | "results" | "calls" | "messages">): CopyEconomics {
  const saving = [
    ...[...results, ...messages].map((each) => blocksTokens(each.before) - blocksTokens(each.blocks)),
    ...calls.map((each) => bodyTokens(each.before) - estimate(each.input)),
  ];
  const changed = new Set([...results, ...calls, ...messages].map(({ place }) => place));
  const sent = before.head?.assistant?.depth ?? 0;
  let rewritten = 0;
  let from = false;
  for (const item of before) {
    from ||= changed.has(item.place);
    if (from && item.place.depth < sent) rewritten += itemBytes(item);
  }
  return { rewritten, saving: saving.reduce((sum, each) => sum + each, 0) };
}

function itemBytes(item: Item): Bytes {
  if (item.kind === "prompt") return [...item.sections, ...item.tools].reduce((sum, { body }) => sum + body.bytes, 0);
  return item.kind === "call" ? item.input.bytes : blocksBytes(item.blocks);
}
