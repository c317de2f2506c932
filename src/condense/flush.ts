// What one epoch would change: every text made, its price known, and nothing decided yet.
import { anchors } from "../extract/index.ts";
import { type Block, type Bytes, bodyText, type MessageFact, type Place, type Ref, refOf, type Tokens, textBody } from "../session/index.ts";
import { bodyTokens, estimate } from "../tokens/index.ts";
import { FRAME, type Item, itemText, itemTokens, type View } from "../view/index.ts";
import type { Due, OldCall, OldThinking } from "./aging.ts";
import { cutArguments } from "./arguments.ts";
import type { PlannedFold } from "./fold.ts";
import type { FoldInView } from "./folds-now.ts";
import type { InView } from "./in-view.ts";
import type { KnownAnchors } from "./known.ts";
import { footer } from "./labels.ts";
import { type AnsweredRecord, blocksBytes } from "./ledger.ts";
import type { Stub, Stubs } from "./stubs.ts";

export interface Cut {
  readonly call: OldCall;
  /** Of the decision that will cut: the input names it. */
  readonly ref: Ref;
  readonly input: string;
}

export interface Plan {
  readonly folds: readonly PlannedFold[];
  readonly cuts: readonly Cut[];
  readonly thinking: readonly { readonly old: OldThinking; readonly blocks: readonly Block[] }[];
  readonly stubs: readonly Stub[];
  /** Results that were due and that something else hides already. */
  readonly hidden: readonly AnsweredRecord[];
  /** Results that are shown by their head since they came, and that a model may tell of now. */
  readonly spilled: readonly SpilledInView[];
  /** The block that names the refs; undefined where no result is condensed. */
  readonly note?: string;
  readonly block?: Ref;
  /** What a model says of the results, where the note holds it. */
  readonly told?: Telling;
  /** Tokens that the view shrinks by. */
  readonly saving: Tokens;
  /** Of what requests have held already: tokens and bytes that are sent anew. */
  readonly rewritten: { readonly tokens: Tokens; readonly bytes: Bytes };
  /** The same plan where the note tells of these results and their stubs are one line each; undefined where that would be no smaller than what it hides. */
  readonly retold: (telling: Telling) => Plan | undefined;
}

/** A result that a spill stands for. */
export interface SpilledInView {
  readonly record: AnsweredRecord;
  readonly text: string;
}

/** What a model says of results. */
export interface Telling {
  /** Their stubs, one line each. */
  readonly stubs: ReadonlyMap<AnsweredRecord, Stub>;
  /** Its bullets, each with its ref. */
  readonly bullets: string;
  /** What the note says of the results that the model does not tell of; empty where there is nothing to say. */
  readonly remark: string;
}

/** What is left to do of a plan. */
export type Rest = Pick<Plan, "stubs" | "cuts" | "thinking">;

/** Where in the view before what a plan changes stands. */
type Positions = ReadonlyMap<Place, number>;

/** What a plan is made from. */
export interface Ground {
  readonly due: Due;
  readonly before: View;
  /** What stands in `before`. */
  readonly inView: InView;
  /** Items at the front of `before` that the last request held. */
  readonly sent: number;
  /** Results that are old and that spills stand for, where a model may tell of them. */
  readonly spilled: readonly AnsweredRecord[];
  /** Folds of the same epoch, which come before all else in it. */
  readonly folds: readonly FoldInView[];
  /** Blocks on the path so far: the next ref is one more. */
  readonly blocks: number;
  readonly argumentShare: number;
  readonly stubs: Stubs;
  readonly known: KnownAnchors;
  /** Whether nothing that waits for an epoch will hide a place. */
  readonly isFree: (place: Place) => boolean;
}

/** Whether a plan would change nothing. */
export function isEmpty({ folds, cuts, thinking, stubs }: Plan): boolean {
  return folds.length + cuts.length + thinking.length + stubs.length === 0;
}

/** The plan of an epoch; an empty one where nothing would be smaller. What its texts tell, `known` has learned. */
export function planFlush(ground: Ground): Plan {
  const { due, before, inView, isFree } = ground;
  const folding = ground.folds.map(({ fold, hides }) => new FoldChange(fold, hides));
  const folded = new Set<Place>();
  for (let index = 0; folding.length > 0 && index < before.length; index++) {
    const item = before.at(index) as Item;
    const fold = folding.find(({ hides }) => hides(item));
    if (!fold) continue;
    folded.add(item.place);
    fold.take(item, index);
    if (item.kind !== "result") ground.known.forget(anchors(itemText(item)));
  }
  for (const { fold } of ground.folds) ground.known.learn(anchors(bodyText(fold.decision.body)));
  const gone = new Set([...folded].flatMap((place) => (place.entry.data.kind === "result" ? [refOf(place) as Ref] : [])));
  const isOpen = (place: Place) => inView.whole(place) !== undefined && !folded.has(place) && isFree(place);
  const cuts = planCuts(
    ground,
    due.calls.filter(({ place }) => isOpen(place)),
  );
  const stubs: Stub[] = [];
  const hidden: AnsweredRecord[] = [];
  for (const record of due.results) {
    if (!isOpen(record.place)) hidden.push(record);
    else stubs.push(...ground.stubs.condensed(record, { known: ground.known, siblings: stubs, inView: (ref) => inView.shows(ref) && !gone.has(ref) }));
  }
  const open = due.thinking.filter(({ place }) => isOpen(place));
  const thinking = stubs.length > 0 ? open.flatMap((old) => withoutThinking(old)) : [];
  const spilled = ground.spilled.flatMap((record): SpilledInView[] => {
    const index = folded.has(record.place) ? undefined : inView.stub(record.place);
    return index !== undefined && isFree(record.place) ? [{ record, text: itemText(before.at(index) as Item) }] : [];
  });
  const changed = [
    ...cuts.map(({ call }) => call),
    ...thinking.map(({ old }) => old),
    ...stubs.map(({ record }) => record),
    ...spilled.map(({ record }) => record),
  ];
  const at = new Map(changed.map(({ place }) => [place, (inView.whole(place) ?? inView.stub(place)) as number]));
  return finished(ground, folding, at, { cuts, thinking, stubs, hidden, spilled });
}

/** What a batch that was begun lacks: a stub for each of these that is smaller, with no note, as that stands already or will. */
export function planRest({
  large,
  ...ground
}: Omit<Ground, "before" | "folds" | "sent" | "spilled"> & { readonly large: (record: AnsweredRecord) => boolean }): Rest {
  const { due, inView, isFree, known } = ground;
  const isOpen = ({ place }: { readonly place: Place }) => inView.whole(place) !== undefined && isFree(place);
  const stubs: Stub[] = [];
  for (const record of due.results.filter(isOpen)) {
    const around = { known, siblings: stubs, inView: (ref: Ref) => inView.shows(ref) };
    stubs.push(...(large(record) ? ground.stubs.spilled(record, around) : ground.stubs.condensed(record, around)));
  }
  const cuts = planCuts({ ...ground, folds: [] }, due.calls.filter(isOpen));
  return { stubs, cuts, thinking: due.thinking.filter(isOpen).flatMap(withoutThinking) };
}

/** What a fold changes in a view. */
class FoldChange {
  readonly hides: (item: Item) => boolean;
  index = Number.POSITIVE_INFINITY;
  tokens: Tokens;
  bytes: Bytes;

  constructor({ decision }: PlannedFold, hides: (item: Item) => boolean) {
    this.hides = hides;
    this.tokens = -bodyTokens(decision.body) - FRAME;
    this.bytes = -decision.body.bytes;
  }

  take(item: Item, index: number): void {
    this.index = Math.min(this.index, index);
    this.tokens += itemTokens(item);
    this.bytes += itemBytes(item);
  }
}

function planCuts({ known, blocks, folds, argumentShare }: Pick<Ground, "known" | "blocks" | "folds" | "argumentShare">, calls: readonly OldCall[]): Cut[] {
  const cuts: Cut[] = [];
  for (const call of calls) {
    const old = [...anchors(bodyText(call.fact.input))];
    known.forget(old);
    const ref: Ref = `b${blocks + folds.length + cuts.length + 1}`;
    const input = cutArguments(call.fact, { ref, share: argumentShare, known: (anchor) => known.has(anchor) });
    known.learn(input === undefined ? old : anchors(input));
    if (input !== undefined) cuts.push({ call, ref, input });
  }
  return cuts;
}

function withoutThinking(old: OldThinking): Plan["thinking"] {
  const blocks = (old.place.entry.data as MessageFact).blocks.filter(({ type }) => type !== "thinking");
  return [{ old, blocks }];
}

type Made = Pick<Plan, "cuts" | "thinking" | "stubs" | "hidden" | "spilled">;

interface Change {
  readonly place: Place;
  /** What the view shrinks by. */
  readonly tokens: Tokens;
  readonly bytes: Bytes;
}

function finished(ground: Ground, folding: readonly FoldChange[], at: Positions, made: Made, telling?: Telling): Plan {
  const { cuts } = made;
  const cutting = cuts.map(({ call, input }): Change => {
    const body = textBody(input);
    return { place: call.place, tokens: call.tokens - bodyTokens(body), bytes: call.fact.input.bytes - body.bytes };
  });
  const noted = withNote(ground, at, made, telling);
  const inPlace = [...cutting, ...noted.changes].map((change) => ({ ...change, index: at.get(change.place) as number }));
  const changes = [...folding, ...inPlace];
  const front = changes.filter(({ index }) => index < ground.sent);
  const first = Math.min(ground.sent, ...front.map(({ index }) => index));
  return {
    folds: ground.folds.map(({ fold }) => fold),
    cuts,
    hidden: made.hidden,
    spilled: made.spilled,
    ...noted.plan,
    saving: sum(changes, ({ tokens }) => tokens) - (noted.plan.note === undefined ? 0 : estimate(noted.plan.note) + FRAME),
    rewritten: {
      tokens: ground.before.tokensUpTo(ground.sent) - ground.before.tokensUpTo(first) - sum(front, ({ tokens }) => tokens),
      bytes: bytesBetween(ground.before, first, ground.sent) - sum(front, ({ bytes }) => bytes),
    },
    retold: (telling) => {
      const stubs = [
        ...made.stubs.map((stub) => telling.stubs.get(stub.record) ?? stub),
        ...made.spilled.flatMap(({ record }) => telling.stubs.get(record) ?? []),
      ];
      const inOrder = stubs.sort((a, b) => a.record.place.results - b.record.place.results);
      const plan = finished(ground, folding, at, { ...made, stubs: inOrder }, telling);
      return plan.note === undefined ? undefined : plan;
    },
  };
}

interface Noted {
  readonly changes: readonly Change[];
  readonly plan: Pick<Plan, "thinking" | "stubs" | "note" | "block" | "told">;
}

/** Stubs, left-out thinking and the block that names them: all of it, where it is smaller than what it hides, or none. */
function withNote(ground: Ground, at: Positions, { cuts, thinking, stubs }: Made, telling: Telling | undefined): Noted {
  const changes = [
    ...thinking.map(({ old, blocks }): Change => {
      const whole = (old.place.entry.data as MessageFact).blocks;
      return { place: old.place, tokens: old.tokens, bytes: blocksBytes(whole) - blocksBytes(blocks) };
    }),
    ...stubs.map(({ record, tokens, text }): Change => {
      const item = ground.before.at(at.get(record.place) as number) as Item;
      const [was, bytes] = item.kind === "stub" ? [itemTokens(item) - FRAME, itemBytes(item)] : [record.tokens, blocksBytes(record.fact.blocks)];
      return { place: record.place, tokens: was - tokens, bytes: bytes - Buffer.byteLength(text) };
    }),
  ];
  const firstThinking = ground.blocks + ground.folds.length + cuts.length + 1;
  const block: Ref = `b${firstThinking + thinking.length}`;
  const note = noteText(block, stubs, { first: firstThinking, count: thinking.length }, telling);
  if (stubs.length === 0 || sum(changes, ({ bytes }) => bytes) <= Buffer.byteLength(note)) return { changes: [], plan: { thinking: [], stubs: [] } };
  return { changes, plan: { thinking, stubs, note, block, ...(telling && { told: telling }) } };
}

/** One line with all refs, what a model says where one was asked, and the footer. `thinking`: the messages whose thinking is left out, by the first ordinal. */
function noteText(block: Ref, stubs: readonly Stub[], thinking: { readonly first: number; readonly count: number }, telling: Telling | undefined): string {
  const refs = stubs.map(({ record }) => record.ref);
  const told = telling ? stubs.filter(({ record }) => telling.stubs.has(record)).length : 0;
  const inPlace = refs.length - told;
  const facts = [
    ...(told === 0 ? [] : [`${told} ${told === 1 ? "result is" : "results are"} summarized below`]),
    ...(inPlace === 0 ? [] : [`${inPlace} ${inPlace === 1 ? "result was" : "results were"} condensed in place`]),
  ].join(", ");
  const { first, count } = thinking;
  const left = count === 0 ? "" : `; thinking left out: b${first}${count === 1 ? "" : ` to b${first + count - 1}`}`;
  const remark = telling && telling.remark !== "" ? `; ${telling.remark}` : "";
  const bullets = telling && telling.bullets !== "" ? `\n${telling.bullets}` : "";
  return `[${block} automatic note, not from the user: ${facts}; each stub begins with its ref${left}${remark}]${bullets}${footer(refs)}`;
}

/** Bytes of the items from one index up to another. */
export function bytesBetween(view: View, from: number, to: number): Bytes {
  let bytes = 0;
  for (let index = from; index < to; index++) bytes += itemBytes(view.at(index) as Item);
  return bytes;
}

function itemBytes(item: Item): Bytes {
  if (item.kind === "prompt") return [...item.sections, ...item.tools].reduce((all, { body }) => all + body.bytes, 0);
  return item.kind === "call" ? item.input.bytes : blocksBytes(item.blocks);
}

function sum<T>(list: readonly T[], size: (each: T) => number): number {
  return list.reduce((all, each) => all + size(each), 0);
}
