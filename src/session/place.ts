// Where an entry stands in its tree, and what its path alone says of it.
import type { Decision, Entry, Fact, HidingDecision, RangeDecision } from "./entry.ts";

/**
 * An entry in its tree. All counts are of the path from the root to here, so they never change:
 * what is appended later, here or on another branch, lies behind or beside it.
 */
export interface Place {
  readonly entry: Entry;
  readonly parent: Place | null;
  /** 0 at a root. */
  readonly depth: number;
  /** An ancestor far above (a root: itself), by which any ancestor is found in logarithmic time. */
  readonly jump: Place;
  /** Results on the path, this one included: the ordinal of `tN`. */
  readonly results: number;
  /** Legal decisions on the path that hide anything but single results: the ordinal of `bN`. */
  readonly blocks: number;
  /** The newest assistant message at or above this place. */
  readonly assistant: Place | null;
  /** The newest message at or above this place that the user typed. */
  readonly user: Place | null;
  /** The newest legal decision at or above this place that hides something. */
  readonly hiding: Place | null;
  /** Why a decision counts for nothing; absent where it is legal. */
  readonly illegal?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The place of a new entry below `parent`. `block`: a legal decision that gets a `bN`. */
export function placeBelow(parent: Place | null, entry: Entry, verdict: { readonly illegal?: string; readonly block: boolean }): Place {
  const { data } = entry;
  const place: Mutable<Place> = {
    entry,
    parent,
    depth: parent ? parent.depth + 1 : 0,
    // A root's own place; it is there from the start, so that all fields lie in the object itself.
    jump: parent ? jumpFrom(parent) : (null as unknown as Place),
    results: (parent?.results ?? 0) + (data.kind === "result" ? 1 : 0),
    blocks: (parent?.blocks ?? 0) + (verdict.block ? 1 : 0),
    assistant: parent?.assistant ?? null,
    user: parent?.user ?? null,
    hiding: parent?.hiding ?? null,
  };
  if (!parent) place.jump = place;
  if (isAssistant(data)) place.assistant = place;
  if (isTyped(data)) place.user = place;
  if (isHiding(data) && verdict.illegal === undefined) place.hiding = place;
  if (verdict.illegal !== undefined) place.illegal = verdict.illegal;
  return place;
}

/** Skew-binary jumps: two of one length in a row are joined to one of twice that and one. */
function jumpFrom(parent: Place): Place {
  const near = parent.jump;
  return parent.depth - near.depth === near.depth - near.jump.depth ? near.jump : parent;
}

/** The ancestor of `place` (or itself) at `depth`; a depth below zero or beyond the place's own has none. */
export function ancestorAt(place: Place, depth: number): Place | undefined {
  if (depth < 0 || depth > place.depth) return undefined;
  let at = place;
  while (at.depth > depth) at = at.jump.depth >= depth ? at.jump : (at.parent as Place);
  return at;
}

/** Whether `above` is on the path of `place`, itself included. */
export function isOnPath(above: Place, place: Place | null): boolean {
  return place !== null && ancestorAt(place, above.depth) === above;
}

/** The first place on the path for which a count that never falls reaches `goal`. */
function firstReaching(place: Place, count: (place: Place) => number, goal: number): Place | undefined {
  if (goal < 1 || count(place) < goal) return undefined;
  let at = place;
  while (at.parent && count(at.parent) >= goal) at = count(at.jump) >= goal ? at.jump : at.parent;
  return at;
}

/** The result that `t<ordinal>` means on the path to `head`. */
export function resultAt(head: Place, ordinal: number): Place | undefined {
  return firstReaching(head, (place) => place.results, ordinal);
}

/** The decision that `b<ordinal>` means on the path to `head`. */
export function blockAt(head: Place, ordinal: number): Place | undefined {
  return firstReaching(head, (place) => place.blocks, ordinal);
}

/** All places from the root to `head`. */
export function pathTo(head: Place | null): Place[] {
  const path = new Array<Place>(head ? head.depth + 1 : 0);
  for (let at = head; at; at = at.parent) path[at.depth] = at;
  return path;
}

export function isAssistant(data: Fact | Decision): boolean {
  return data.kind === "message" && data.role === "assistant";
}

/** A message that a user typed, not one that a host composed. */
function isTyped(data: Fact | Decision): boolean {
  return data.kind === "message" && data.role === "user" && (data.mark === undefined || data.mark === "fallback") && data.host === undefined;
}

/** Whether the entry itself stands in a view: what a range can hide. */
export function isShowable(data: Fact | Decision): boolean {
  return data.kind === "message" || data.kind === "call" || data.kind === "result";
}

export function isRange(data: Fact | Decision): data is RangeDecision {
  return data.kind === "fold" || data.kind === "compact" || data.kind === "molt";
}

export function isHiding(data: Fact | Decision): data is HidingDecision {
  return data.kind === "condense" || data.kind === "replace" || isRange(data);
}

/** Whether an assistant message follows `fact` on the path that ends at `at`: a request that held it was answered. */
export function wasSent(fact: Place, at: Place | null): boolean {
  return at?.assistant != null && at.assistant.depth > fact.depth;
}
