// A path in chains: what the user asked, what the assistant did for it, and what it said in the end.
import { type EntryId, isAssistant, isRange, type Place, pathTo, type Range, type RangeDecision, rangeOf } from "../session/index.ts";
import { type OpenCall, OpenTurn } from "./batches.ts";
import { StandIns } from "./stand-ins.ts";

/** `closed`: the assistant said its last word. `unfinished`: a new message of the user came first. `open`: the path ends. */
type ChainState = "closed" | "unfinished" | "open";

/** An assistant message with its calls. */
export interface ChainBatch {
  readonly assistant: Place;
  /** In the order of the calls. */
  readonly calls: readonly OpenCall[];
  /** Results that came after it and answer none of its calls. */
  readonly late: readonly Place[];
}

/**
 * What happened between a message that the user typed and the assistant's last word on it. Where the assistant goes on
 * after that without being asked, another chain of the same user message begins.
 */
export interface Chain {
  readonly user: Place;
  /** Which of the user's messages it is, from 1. */
  readonly asked: number;
  readonly state: ChainState;
  /** All but the final message, in path order. */
  readonly middles: readonly ChainBatch[];
  /** The first message that calls nothing and did not fail. */
  readonly final: Place | null;
  /** What others said behind the first middle: messages that are not the assistant's, and notices. */
  readonly between: readonly Place[];
  /** Whether a fold ever covered a part of it. A fold that was reverted counts: who reverted it wants to see it. */
  readonly folded: boolean;
}

type Find = (id: EntryId) => Place | undefined;

/** What a range decision at a place covers. */
interface Cover {
  readonly at: Place;
  readonly range: Range;
}

/**
 * The chains of a path, and what its decisions did to them.
 *
 * ```ts
 * chainsOf(session.path()).all.map(({ user, state }) => `${user.entry.id} ${state}`);
 * ```
 */
export function chainsOf(path: readonly Place[]): Chains {
  let known: Map<EntryId, Place> | undefined;
  const chains = new Chains((id) => {
    known ??= new Map(pathTo(path.at(-1) ?? null).map((place) => [place.entry.id, place]));
    return known.get(id);
  });
  for (const place of path) chains.take(place);
  return chains;
}

/** Follows a path. A fact costs constant time, a decision what it names, a range the chains that it covers. */
export class Chains {
  readonly standIns = new StandIns();
  /** The place of an entry of the path. */
  readonly find: Find;
  readonly #chains: OpenChain[] = [];
  #waiting: OpenChain[] = [];
  /** What compactions and molts cover that were not reverted. */
  readonly #cuts = new Map<EntryId, Cover>();
  /** Depth before which compactions and molts hide what there is. */
  #hiddenBefore = 0;
  #batch: OpenBatch | undefined;
  /** Whether nothing that was said or called stands behind the newest message of the assistant. */
  #justSaid = false;

  constructor(find: Find) {
    this.find = find;
  }

  /** Every chain, in path order. */
  get all(): readonly Chain[] {
    return this.#chains;
  }

  /** The chains that can be folded now or later, and the newest: the others never will. */
  get waiting(): readonly Chain[] {
    const newest = this.#chains.at(-1);
    this.#waiting = this.#waiting.filter((chain) => chain === newest || (chain.state === "closed" && !chain.folded && this.visible(chain).some(callsAny)));
    return this.#waiting;
  }

  take(place: Place): void {
    const { data } = place.entry;
    this.standIns.take(place);
    switch (data.kind) {
      case "message":
        if (isAssistant(data)) this.#assistant(place);
        else if (place.user === place) this.#asked(place);
        else this.#between(place);
        break;
      case "call":
        this.#batch?.turn.call(place, data);
        this.#justSaid = false;
        break;
      case "result":
        if (this.#batch && !this.#batch.turn.result(place, data)) this.#batch.late.push(place);
        this.#justSaid = false;
        break;
      case "failure":
        if (this.#justSaid && this.#batch) this.#batch.failed = true;
        break;
      case "notice":
        this.#between(place);
        break;
      case "revert":
        if (place.illegal === undefined && data.targets === undefined) this.#revert(data.of);
        break;
      default:
        if (isRange(data) && place.illegal === undefined) this.#range(place, data);
    }
  }

  /** The middles of a chain that no compaction and no molt covers. A batch that one of them keeps is none: no fold may begin in what is hidden. */
  visible(chain: Chain): readonly ChainBatch[] {
    return chain.middles.filter(({ assistant }) => assistant.depth >= this.#hiddenBefore);
  }

  /** Whether a range hides a result, in effect or waiting for its epoch. A decision on the result itself that stands behind the range shows it again. */
  isHidden(result: Place): boolean {
    const shownAgain = this.standIns.of(result.entry.id)?.by.depth ?? -1;
    const hides = ({ at, range }: Cover) => at.depth > shownAgain && isIn(range, result);
    if (result.depth < this.#hiddenBefore) for (const cut of this.#cuts.values()) if (hides(cut)) return true;
    return this.#chainAt(result.depth)?.folds.some(hides) === true;
  }

  #asked(place: Place): void {
    const last = this.#chains.at(-1);
    if (last) last.superseded = true;
    this.#open(new OpenChain(place, (last?.asked ?? 0) + 1, place));
    this.#justSaid = false;
  }

  #open(chain: OpenChain): OpenChain {
    this.#chains.push(chain);
    this.#waiting.push(chain);
    return chain;
  }

  #assistant(place: Place): void {
    this.#batch = new OpenBatch(place);
    this.#justSaid = true;
    const last = this.#chains.at(-1);
    if (!last) return;
    const chain = last.final === null ? last : this.#open(new OpenChain(last.user, last.asked, place));
    chain.batches.push(this.#batch);
  }

  #between(place: Place): void {
    this.#justSaid = false;
    const chain = this.#chains.at(-1);
    if (chain && chain.batches.length > 0) chain.between.push(place);
  }

  #range(place: Place, decision: RangeDecision): void {
    const range = rangeOf(place.parent, decision, this.find);
    if (decision.kind !== "fold") {
      this.#cuts.set(place.entry.id, { at: place, range });
      this.#hiddenBefore = Math.max(this.#hiddenBefore, range.to);
      return;
    }
    for (let at = this.#lastBefore(range.to); at >= 0; at--) {
      const chain = this.#chains[at] as OpenChain;
      if (chain.overlaps(range)) chain.fold({ at: place, range });
      if (chain.start <= range.from) break;
    }
  }

  #revert(of: EntryId): void {
    if (this.#cuts.delete(of)) this.#hiddenBefore = Math.max(0, ...[...this.#cuts.values()].map(({ range }) => range.to));
    const fold = this.find(of)?.entry.data;
    if (fold?.kind !== "fold") return;
    const [from, to] = [this.find(fold.from)?.depth ?? 0, this.find(fold.to)?.depth ?? -1];
    for (let at = this.#lastBefore(to + 1); at >= 0; at--) {
      const chain = this.#chains[at] as OpenChain;
      chain.unfold(of);
      if (chain.start <= from) break;
    }
  }

  #chainAt(depth: number): OpenChain | undefined {
    return this.#chains[this.#lastBefore(depth + 1)];
  }

  /** The number of the last chain that starts before a depth; -1: none. */
  #lastBefore(depth: number): number {
    let low = 0;
    let high = this.#chains.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chains[middle] as OpenChain).start < depth) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Whether a batch holds anything that a fold is about. */
export function callsAny({ calls, late }: ChainBatch): boolean {
  return calls.length > 0 || late.length > 0;
}

function isIn(range: Range, place: Place): boolean {
  return place.depth >= range.from && place.depth < range.to && !range.keeps(place);
}

class OpenBatch implements ChainBatch {
  readonly assistant: Place;
  readonly turn: OpenTurn;
  readonly late: Place[] = [];
  failed = false;

  constructor(assistant: Place) {
    this.assistant = assistant;
    this.turn = new OpenTurn();
  }

  get calls(): readonly OpenCall[] {
    return this.turn.calls;
  }

  /** Whether it is an answer: it calls nothing, did not fail and was really written. */
  get closes(): boolean {
    const { data } = this.assistant.entry;
    return this.calls.length === 0 && !this.failed && data.kind === "message" && data.mark !== "made";
  }
}

class OpenChain implements Chain {
  readonly user: Place;
  readonly asked: number;
  /** Depth of its first entry. */
  readonly start: number;
  readonly batches: OpenBatch[] = [];
  readonly between: Place[] = [];
  superseded = false;
  folded = false;
  folds: Cover[] = [];

  constructor(user: Place, asked: number, start: Place) {
    this.user = user;
    this.asked = asked;
    this.start = start.depth;
  }

  get final(): Place | null {
    const last = this.batches.at(-1);
    return last?.closes ? last.assistant : null;
  }

  get middles(): readonly ChainBatch[] {
    return this.final ? this.batches.slice(0, -1) : this.batches;
  }

  get state(): ChainState {
    return this.final ? "closed" : this.superseded ? "unfinished" : "open";
  }

  /** Whether a range reaches between the first middle and the final message. */
  overlaps({ from, to }: Range): boolean {
    const first = this.batches[0]?.assistant.depth ?? Number.POSITIVE_INFINITY;
    return to > first && from < (this.final?.depth ?? Number.POSITIVE_INFINITY);
  }

  fold(cover: Cover): void {
    this.folded = true;
    this.folds.push(cover);
  }

  unfold(id: EntryId): void {
    this.folds = this.folds.filter(({ at }) => at.entry.id !== id);
  }
}
