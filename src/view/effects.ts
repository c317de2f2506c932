// Which decisions are in effect on a path, and which one holds each entry.
import {
  type Body,
  type EntryId,
  type HidingDecision,
  isHiding,
  isRange,
  isShowable,
  type Place,
  type PromptFact,
  type Range,
  type RevertDecision,
  rangeOf,
  takesEffectAtOnce,
} from "../session/index.ts";

/** A decision in effect. Of several on one entry the last on the path holds it. */
export interface Effective {
  readonly place: Place;
  readonly decision: HidingDecision;
  /** The range it covers; absent for decisions on single entries. */
  readonly range?: Range;
  /** Of a condense: what stands in place of the result at each depth. */
  readonly stubs?: ReadonlyMap<number, Body>;
  /** Depths taken out of it again by reverts. */
  readonly off: Set<number>;
  /** Facts that it holds now. */
  held: number;
  /** Depth before which a range's block stands; -1: nowhere. */
  stand: number;
}

interface PendingHiding {
  readonly kind: "hiding";
  readonly effective: Effective;
}
interface PendingRevert {
  readonly kind: "revert";
  readonly of: Effective;
  readonly depths: readonly number[];
}
interface PendingPrompt {
  readonly kind: "prompt";
}
type Pending = PendingHiding | PendingRevert | PendingPrompt;

type Find = (id: EntryId) => Place | undefined;

/** Folds a path, entry by entry, into who holds what. `changedFrom` collects the first depth whose rendering may differ. */
export class Effects {
  readonly #find: Find;
  readonly #path: Place[] = [];
  readonly #pending = new Map<EntryId, Pending>();
  readonly #effective = new Map<EntryId, Effective>();
  readonly #ranges: Effective[] = [];
  readonly #points = new Map<number, Effective[]>();
  readonly #owners = new Map<number, Effective>();
  #stands = new Map<number, Effective[]>();
  #standsStale = false;
  #changedFrom = Number.POSITIVE_INFINITY;
  #prompt: Place | undefined;

  constructor(find: Find) {
    this.#find = find;
  }

  get path(): readonly Place[] {
    return this.#path;
  }

  /** The prompt in effect. */
  get prompt(): Place | undefined {
    return this.#prompt;
  }

  /** The decision that holds the entry at this depth. */
  owner(depth: number): Effective | undefined {
    return this.#owners.get(depth);
  }

  /** The ranges whose blocks stand before this depth, in path order. */
  standingAt(depth: number): readonly Effective[] {
    return this.#stands.get(depth) ?? [];
  }

  /** A condense in effect, by its own id, while it holds a result. */
  holding(id: EntryId): Effective | undefined {
    const effective = this.#effective.get(id);
    return effective && effective.held > 0 ? effective : undefined;
  }

  /** Whether a decision, a revert or a prompt waits for an epoch. */
  isPending(id: EntryId): boolean {
    return this.#pending.has(id);
  }

  /** Ids that wait for an epoch, in path order. */
  pending(): EntryId[] {
    return [...this.#pending.keys()];
  }

  isInEffect(id: EntryId): boolean {
    return this.#effective.has(id);
  }

  advance(place: Place): void {
    this.#path.push(place);
    const { data } = place.entry;
    if (place.illegal !== undefined) return;
    if (data.kind === "prompt") this.#takePrompt(place);
    else if (isHiding(data)) this.#takeHiding(place, data);
    else if (data.kind === "revert") this.#takeRevert(place, data);
    else if (data.kind === "epoch") for (const id of data.applies) this.#release(id);
  }

  /** The first depth that changed since the last call, after block places are brought up to date. */
  takeChanges(): number {
    if (this.#standsStale) this.#restand();
    const from = this.#changedFrom;
    this.#changedFrom = Number.POSITIVE_INFINITY;
    return from;
  }

  #touch(depth: number): void {
    if (depth < this.#changedFrom) this.#changedFrom = depth;
  }

  #takePrompt(place: Place): void {
    if (place.parent?.assistant) this.#pending.set(place.entry.id, { kind: "prompt" });
    else this.#setPrompt(place);
  }

  #setPrompt(place: Place): void {
    if (this.#prompt && this.#prompt.depth > place.depth) return;
    this.#prompt = place;
  }

  #takeHiding(place: Place, decision: HidingDecision): void {
    const range = isRange(decision) ? rangeOf(place.parent, decision, this.#find) : undefined;
    const stubs =
      decision.kind === "condense" ? new Map(decision.targets.map((id, index) => [(this.#find(id) as Place).depth, decision.stubs[index] as Body])) : undefined;
    const effective: Effective = { place, decision, ...(range && { range }), ...(stubs && { stubs }), off: new Set(), held: 0, stand: -1 };
    if (takesEffectAtOnce(place.parent, this.#concerned(effective))) this.#apply(effective);
    else this.#pending.set(place.entry.id, { kind: "hiding", effective });
  }

  /** The entries whose sending decides when it takes effect: its targets; of a range all that stands in it, kept or not, as its block comes before them. */
  *#concerned(effective: Effective): IterableIterator<Place> {
    const { range, place } = effective;
    if (!range) for (const depth of this.#covered(effective)) yield this.#path[depth] as Place;
    for (let depth = range?.from ?? place.depth; depth < Math.min(range?.to ?? 0, place.depth); depth++) {
      const { data } = (this.#path[depth] as Place).entry;
      if (isShowable(data) || data.kind === "notice") yield this.#path[depth] as Place;
    }
  }

  /** Depths of the facts that a decision covers, reverted ones left out. */
  #covered(effective: Effective): number[] {
    const { decision, range, off, place } = effective;
    if (!range) {
      const targets = decision.kind === "condense" ? decision.targets : decision.kind === "replace" ? [decision.target] : [];
      return targets.map((id) => (this.#find(id) as Place).depth).filter((depth) => !off.has(depth));
    }
    const depths: number[] = [];
    for (let depth = range.from; depth < Math.min(range.to, place.depth); depth++)
      if (!off.has(depth) && covers(range, this.#path[depth] as Place)) depths.push(depth);
    return depths;
  }

  #apply(effective: Effective): void {
    this.#effective.set(effective.place.entry.id, effective);
    if (effective.range) {
      this.#ranges.push(effective);
      this.#standsStale = true;
    }
    for (const depth of this.#covered(effective)) {
      if (!effective.range) this.#points.set(depth, [...(this.#points.get(depth) ?? []), effective]);
      const owner = this.#owners.get(depth);
      if (!owner || owner.place.depth < effective.place.depth) this.#own(depth, effective);
    }
    if (effective.range) this.#hideNotices(effective);
  }

  /** Notices inside a range are out of view while its block is in view. */
  #hideNotices(effective: Effective): void {
    for (const depth of this.#noticesIn(effective)) {
      const owner = this.#owners.get(depth);
      if (owner && owner.place.depth > effective.place.depth) continue;
      this.#owners.set(depth, effective);
      this.#touch(depth);
    }
  }

  #noticesIn({ range, place }: Effective): number[] {
    const depths: number[] = [];
    if (range)
      for (let depth = range.from; depth < Math.min(range.to, place.depth); depth++) if (this.#path[depth]?.entry.data.kind === "notice") depths.push(depth);
    return depths;
  }

  #own(depth: number, effective: Effective | undefined): void {
    const before = this.#owners.get(depth);
    if (before === effective) return;
    this.#touch(depth);
    if (before) this.#hold(before, -1);
    if (effective) {
      this.#hold(effective, 1);
      this.#owners.set(depth, effective);
    } else this.#owners.delete(depth);
  }

  /** Counts what a decision holds; with the first and the last fact of a range its block and its notices come and go. */
  #hold(effective: Effective, step: 1 | -1): void {
    effective.held += step;
    if (!effective.range) return;
    this.#standsStale = true;
    if (effective.stand >= 0) this.#touch(effective.stand);
    if (effective.held === (step === 1 ? 1 : 0)) this.#touch(effective.range.from);
  }

  #takeRevert(place: Place, revert: RevertDecision): void {
    const waiting = this.#pending.get(revert.of);
    if (waiting?.kind === "hiding") {
      for (const depth of this.#revertDepths(waiting.effective, revert)) waiting.effective.off.add(depth);
      if (this.#covered(waiting.effective).length === 0) this.#pending.delete(revert.of);
      return;
    }
    const of = this.#effective.get(revert.of);
    if (!of) return;
    const depths = this.#revertDepths(of, revert);
    const facts = depths.map((depth) => this.#path[depth] as Place);
    if (takesEffectAtOnce(place.parent, facts)) this.#unapply(of, depths);
    else this.#pending.set(place.entry.id, { kind: "revert", of, depths });
  }

  /** The facts a revert takes out: all, the named results, or the batches and messages named of a range. */
  #revertDepths(of: Effective, revert: RevertDecision): number[] {
    const covered = this.#covered(of);
    if (!revert.targets) return covered;
    const named = new Set(revert.targets.map((id) => this.#find(id) as Place));
    return covered.filter((depth) => {
      const fact = this.#path[depth] as Place;
      if (named.has(fact)) return true;
      const { kind } = fact.entry.data;
      return of.range !== undefined && (kind === "call" || kind === "result") && fact.assistant !== null && named.has(fact.assistant);
    });
  }

  #unapply(of: Effective, depths: readonly number[]): void {
    for (const depth of depths) {
      of.off.add(depth);
      if (!of.range)
        this.#points.set(
          depth,
          (this.#points.get(depth) ?? []).filter((each) => each !== of),
        );
      if (this.#owners.get(depth) === of) this.#own(depth, this.#next(depth));
    }
    if (this.#covered(of).length > 0) return;
    this.#effective.delete(of.place.entry.id);
    if (!of.range) return;
    this.#ranges.splice(this.#ranges.indexOf(of), 1);
    this.#standsStale = true;
    for (let depth = of.range.from; depth < Math.min(of.range.to, of.place.depth); depth++) {
      if (this.#owners.get(depth) !== of) continue;
      const range = this.#ranges.filter((each) => inRange(each, depth)).reduce<Effective | undefined>(later, undefined);
      if (range) this.#owners.set(depth, range);
      else this.#owners.delete(depth);
      this.#touch(depth);
    }
  }

  /** Who holds a fact once its holder let go of it. */
  #next(depth: number): Effective | undefined {
    const fact = this.#path[depth] as Place;
    const ranges = this.#ranges.filter((each) => inRange(each, depth) && !each.off.has(depth) && covers(each.range as Range, fact));
    return [...(this.#points.get(depth) ?? []), ...ranges].reduce<Effective | undefined>(later, undefined);
  }

  #release(id: EntryId): void {
    const waiting = this.#pending.get(id);
    if (!waiting) return;
    this.#pending.delete(id);
    if (waiting.kind === "hiding") this.#apply(waiting.effective);
    else if (waiting.kind === "revert")
      this.#unapply(
        waiting.of,
        waiting.depths.filter((depth) => !waiting.of.off.has(depth)),
      );
    else this.#setPrompt(this.#find(id) as Place);
  }

  /** Finds where each range's block stands: before the first fact of its range that it still holds or keeps in view. */
  #restand(): void {
    this.#standsStale = false;
    const stands = new Map<number, Effective[]>();
    for (const effective of this.#ranges) {
      const stand = effective.held > 0 ? this.#standOf(effective) : -1;
      if (stand !== effective.stand) {
        if (effective.stand >= 0) this.#touch(effective.stand);
        if (stand >= 0) this.#touch(stand);
        effective.stand = stand;
      }
      if (stand < 0) continue;
      const here = stands.get(stand);
      if (here) here.push(effective);
      else stands.set(stand, [effective]);
    }
    for (const here of stands.values()) here.sort((a, b) => a.place.depth - b.place.depth);
    this.#stands = stands;
  }

  #standOf(effective: Effective): number {
    const { from, to, keeps } = effective.range as Range;
    for (let depth = from; depth < Math.min(to, effective.place.depth); depth++) {
      const place = this.#path[depth] as Place;
      const owner = this.#owners.get(depth);
      if (owner === effective && isShowable(place.entry.data)) return depth;
      if (isShowable(place.entry.data) && keeps(place) && !owner?.range) return depth;
    }
    return -1;
  }
}

function covers(range: Range, place: Place): boolean {
  return isShowable(place.entry.data) && !range.keeps(place);
}

function inRange({ range, place }: Effective, depth: number): boolean {
  return range !== undefined && depth >= range.from && depth < range.to && depth < place.depth;
}

function later(a: Effective | undefined, b: Effective): Effective {
  return a && a.place.depth > b.place.depth ? a : b;
}

/** The prompt fact of a place that holds one. */
export function promptOf(place: Place): PromptFact {
  return place.entry.data as PromptFact;
}
