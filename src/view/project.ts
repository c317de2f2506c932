// The projector: what the model sees at a head, as a pure function of the path to it, kept up to date entry by entry.
import {
  type Block,
  type Body,
  bodyText,
  type CallFact,
  type CompactDecision,
  type EntryId,
  isAssistant,
  type MessageFact,
  type Place,
  pathTo,
  type Ref,
  type ResultFact,
  refOf,
  type Session,
} from "../session/index.ts";
import { type Effective, Effects, promptOf } from "./effects.ts";
import { type Item, type PromptItem, words } from "./item.ts";
import { Sealed, View } from "./view.ts";

/**
 * Follows one path. `advance` takes constant time; `view` renders what changed: mostly the last batch.
 *
 * ```ts
 * const projector = new Projector(session);
 * for (const place of session.path()) projector.advance(place);
 * projector.view().items;
 * ```
 */
export class Projector {
  readonly #effects: Effects;
  /** Depths at which a batch starts, and the number of sealed items before it. */
  readonly #starts: { depth: number; items: number }[] = [{ depth: 0, items: 0 }];
  #sealed = new Sealed(undefined);
  /** Batches whose items are in `#sealed`. */
  #sealedBatches = 0;

  constructor(session: Session) {
    this.#effects = new Effects(session.find);
  }

  /** The place reached. */
  get head(): Place | null {
    return this.#effects.path.at(-1) ?? null;
  }

  /** Decisions, reverts and prompts that wait for an epoch, in path order. */
  get pending(): readonly EntryId[] {
    return this.#effects.pending();
  }

  isInEffect(id: EntryId): boolean {
    return this.#effects.isInEffect(id);
  }

  /** The decision that holds an entry of the path: hides it, or shows something in its place. */
  heldBy(place: Place): EntryId | undefined {
    return this.#effects.owner(place.depth)?.place.entry.id;
  }

  /** Takes the next place of the path: its parent must be the place reached. */
  advance(place: Place): void {
    if (place.parent !== this.head) throw new Error(`${place.entry.id} does not follow ${this.head?.entry.id ?? "the start"} on the path`);
    this.#effects.advance(place);
    if (isAssistant(place.entry.data) && place.depth > 0) this.#starts.push({ depth: place.depth, items: -1 });
  }

  view(): View {
    this.#unseal(this.#effects.takeChanges());
    const last = this.#starts.length - 1;
    const items = this.#sealed.items;
    for (; this.#sealedBatches < last; this.#sealedBatches++) {
      const start = this.#starts[this.#sealedBatches] as { depth: number; items: number };
      start.items = items.length;
      const batch: Item[] = [];
      this.#render(start.depth, (this.#starts[this.#sealedBatches + 1] as { depth: number }).depth, batch);
      for (const item of batch) items.push(item);
    }
    const tail: Item[] = [];
    this.#render((this.#starts[last] as { depth: number }).depth, this.#effects.path.length, tail);
    return new View(this.head, this.#sealed, tail);
  }

  /** Gives up sealed batches from the one that holds `depth`, and all hashes where the prompt changed. */
  #unseal(depth: number): void {
    const { prompt } = this.#effects;
    if (depth !== Number.POSITIVE_INFINITY) {
      let low = 0;
      let high = this.#sealedBatches;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((this.#starts[middle] as { depth: number }).depth <= depth) low = middle;
        else high = middle - 1;
      }
      if (low < this.#sealedBatches) {
        this.#sealedBatches = low;
        this.#sealed = this.#sealed.upTo((this.#starts[low] as { items: number }).items);
      }
    }
    if (prompt !== this.#sealed.prompt?.place) this.#sealed = this.#sealed.behind(prompt && promptItem(prompt));
  }

  /** One batch, or what stands before the first: message, calls, results, placeholders, then the rest in path order. */
  #render(from: number, to: number, out: Item[]): void {
    const { path } = this.#effects;
    const answers = new Answers();
    const rest: Item[] = [];
    for (let depth = from; depth < to; depth++) {
      const place = path[depth] as Place;
      const { data } = place.entry;
      const into = depth === from && isAssistant(data) ? out : rest;
      for (const range of this.#effects.standingAt(depth)) into.push(...rangeItems(range));
      if (data.kind === "call") answers.call(place, data);
      else if (data.kind !== "result") into.push(...this.#item(place));
      else if (!answers.answer(place, data)) rest.push(...this.#late(place));
    }
    const strays = this.#pairs(answers, out);
    for (const item of strays.length === 0 ? rest : inPathOrder(rest, strays)) out.push(item);
  }

  /** An entry that is no call and no result, where it is shown. */
  #item(place: Place): Item[] {
    const { data, id } = place.entry;
    if (data.kind === "message") return this.#message(place, data);
    // One without a text is said by a message or a stub of the host's file.
    if (data.kind === "condense" && data.summary.chars > 0 && this.#effects.holding(id))
      return [{ kind: "block", role: "user", place, blocks: [{ type: "text", body: data.summary }], ref: refOf(place) as Ref }];
    if (data.kind !== "notice" || (this.#effects.owner(place.depth)?.held ?? 0) > 0) return [];
    return [{ kind: "notice", role: "user", place, blocks: [{ type: "text", body: data.text }] }];
  }

  #message(place: Place, fact: MessageFact): Item[] {
    const owner = this.#effects.owner(place.depth);
    if (!owner) return [{ kind: "message", role: fact.role, place, blocks: fact.blocks }];
    if (owner.decision.kind !== "replace") return [];
    const { body } = owner.decision;
    const ref = refOf(owner.place) as Ref;
    if (body.as === "blocks") return [{ kind: "message", role: fact.role, place, blocks: body.blocks, ref }];
    if (body.as === "unknown")
      return [{ kind: "message", role: fact.role, place, blocks: words(`[${ref} a message that the host replaced, with what was not recorded]`), ref }];
    return [];
  }

  /** Adds calls and results side by side, so that each shown call has exactly one result behind it; gives the results whose calls are hidden. */
  #pairs(answers: Answers, out: Item[]): Item[] {
    const strays: Item[] = [];
    for (const pair of answers.pairs) pair.shown = this.#call(pair.call, pair.fact, out);
    for (const pair of answers.answered) {
      if (pair.shown) out.push(this.#result(pair.result as Place, pair.fact));
      else strays.push(...this.#late(pair.result as Place));
    }
    for (const { call, fact, result, shown } of answers.pairs)
      if (shown && !result)
        out.push({
          kind: "placeholder",
          role: "tool",
          place: call,
          callId: fact.callId,
          tool: fact.tool,
          status: "error",
          blocks: words("[no result was recorded for this call]"),
        });
    return strays;
  }

  /** Adds a call where it is shown, and says whether it is. */
  #call(place: Place, fact: CallFact, out: Item[]): boolean {
    const owner = this.#effects.owner(place.depth);
    const common = { kind: "call", role: "assistant", place, callId: fact.callId, tool: fact.tool } as const;
    if (!owner) {
      out.push({ ...common, input: fact.input });
      return true;
    }
    if (owner.decision.kind !== "replace" || owner.decision.body.as === "nothing") return false;
    const input = owner.decision.body.as === "input" ? owner.decision.body.input : fact.input;
    out.push({ ...common, input, ref: refOf(owner.place) as Ref });
    return true;
  }

  #result(place: Place, call: CallFact): Item {
    const fact = place.entry.data as ResultFact;
    const ref = refOf(place) as Ref;
    const common = { role: "tool", place, callId: fact.callId, tool: fact.tool, status: fact.status, ref } as const;
    const owner = this.#effects.owner(place.depth);
    if (!owner) {
      if (call.summarize && fact.status === "ok")
        return {
          ...common,
          kind: "stub",
          status: "error",
          blocks: words(`[${ref} ${plain(fact.tool)}: a summary was asked for and there is none yet; recall ${ref} for the original]`),
        };
      return { ...common, kind: "result", blocks: fact.blocks };
    }
    const shown = shownInstead(owner, place);
    if (shown === "unknown")
      return {
        ...common,
        kind: "stub",
        blocks: words(`[${ref} ${plain(fact.tool)}: cleared by the host, which did not record what it showed instead; recall ${ref} for the original]`),
      };
    if (shown === "nothing")
      return { ...common, kind: "placeholder", blocks: words(`[${ref} ${plain(fact.tool)}: taken out of view; recall ${ref} for the original]`) };
    return { ...common, kind: "stub", blocks: shown };
  }

  /** One line for a result that answers no call in view. */
  #late(place: Place): Item[] {
    const fact = place.entry.data as ResultFact;
    const owner = this.#effects.owner(place.depth);
    if (owner && shownInstead(owner, place) === "nothing") return [];
    const ref = refOf(place) as Ref;
    const failed = fact.status === "error" ? " (error)" : "";
    return [
      {
        kind: "late",
        role: "user",
        place,
        blocks: words(`[${ref} ${plain(fact.tool)}: a result${failed} that answers no call in view; recall ${ref} for the original]`),
        ref,
      },
    ];
  }
}

/** A name as it may stand in a line of ours: one word of ours can never be closed by it. */
function plain(tool: string): string {
  return tool.replace(/[\]\r\n]/g, "_").slice(0, 80);
}

function shownInstead(owner: Effective, place: Place): readonly Block[] | "nothing" | "unknown" {
  const { decision } = owner;
  if (decision.kind === "condense") {
    return [{ type: "text", body: owner.stubs?.get(place.depth) as Body }];
  }
  if (decision.kind !== "replace") return "nothing";
  const { body } = decision;
  if (body.as === "blocks") return body.blocks;
  return body.as === "unknown" ? "unknown" : "nothing";
}

function promptItem(place: Place): PromptItem {
  const { sections, tools } = promptOf(place);
  return { kind: "prompt", role: "system", place, sections, tools };
}

function rangeItems({ place, decision }: Effective): Item[] {
  const ref = refOf(place) as Ref;
  const shows = decision.kind === "compact" && decision.shows?.length ? decision.shows : [{ role: "user" as const, blocks: rangeBlocks(decision, ref) }];
  return shows.map(({ role, blocks }) => ({ kind: "block", role, place, blocks, ref }));
}

function rangeBlocks(decision: Effective["decision"], ref: Ref): readonly Block[] {
  if (decision.kind === "fold") return [{ type: "text", body: decision.body }];
  if (decision.kind === "molt") return [{ type: "text", body: decision.briefing }];
  if (decision.kind !== "compact") return [];
  if (!decision.summary) return words(`[${ref} compacted by the host, which did not record a summary; recall ${ref} for what it hid]`);
  return [decision.shown ?? decision.summary, ...afterSummary(decision)].map((body) => ({ type: "text", body }));
}

function afterSummary({ autoRead, references, carried }: CompactDecision) {
  return [...autoRead.map((each) => each.body), ...references, ...carried];
}

/** Two lists in path order joined to one; a range's block, whose own place lies far behind, stays before what follows it. */
function inPathOrder(rest: readonly Item[], strays: readonly Item[]): Item[] {
  const out: Item[] = [];
  let next = 0;
  for (const item of rest) {
    if (item.kind !== "block") while (next < strays.length && (strays[next] as Item).place.depth < item.place.depth) out.push(strays[next++] as Item);
    out.push(item);
  }
  return [...out, ...strays.slice(next)];
}

interface Pair {
  readonly call: Place;
  readonly fact: CallFact;
  result?: Place;
  shown: boolean;
}

/** Matches results to calls: a result answers the first unanswered call with its id in its own batch. */
class Answers {
  readonly pairs: Pair[] = [];
  /** Pairs in the order in which their results came. */
  readonly answered: Pair[] = [];
  readonly #open = new Map<string, { readonly pairs: Pair[]; next: number }>();

  call(place: Place, fact: CallFact): void {
    const pair: Pair = { call: place, fact, shown: false };
    this.pairs.push(pair);
    const open = this.#open.get(fact.callId);
    if (open) open.pairs.push(pair);
    else this.#open.set(fact.callId, { pairs: [pair], next: 0 });
  }

  answer(place: Place, fact: ResultFact): boolean {
    const open = this.#open.get(fact.callId);
    const pair = open?.pairs[open.next];
    if (!open || !pair) return false;
    open.next += 1;
    pair.result = place;
    this.answered.push(pair);
    return true;
  }
}

/**
 * What the model sees at `head`, by default the newest: a pure function of the log.
 *
 * ```ts
 * for (const item of view(session)) console.log(item.kind);
 * ```
 */
export function view(session: Session, head: Place | null = session.head): View {
  const projector = new Projector(session);
  for (const place of pathTo(head)) projector.advance(place);
  return projector.view();
}

/** The text blocks of an item, read. */
export function itemText(item: Item): string {
  if (item.kind === "prompt") return item.sections.map((section) => bodyText(section.body)).join("\n\n");
  if (item.kind === "call") return bodyText(item.input);
  return item.blocks
    .filter((block) => block.type === "text")
    .map((block) => bodyText(block.body))
    .join("\n");
}
