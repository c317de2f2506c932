// From anything in a view, or any id, back to the original.
import {
  type Block,
  type Body,
  type CondenseDecision,
  coverage,
  type HidingDecision,
  isHiding,
  isRange,
  type Place,
  pathTo,
  type Ref,
  type ResultFact,
  refOf,
  type Session,
} from "../session/index.ts";

/** Something that once stood in place of an original. */
export interface Stood {
  /** The decision. */
  readonly place: Place;
  readonly blocks: readonly Block[];
}

/** The original behind a ref or an id. */
export type Recalled =
  | {
      readonly kind: "result";
      readonly place: Place;
      readonly ref: Ref;
      /** The call that it answers, where one is recorded. */
      readonly call?: Place;
      readonly blocks: readonly Block[];
      /** The whole output, where `blocks` hold the preview that the host gave the model. */
      readonly full?: Body;
      /** All that stood in its place, in path order. */
      readonly stood: readonly Stood[];
    }
  | {
      readonly kind: "block";
      readonly place: Place;
      readonly ref: Ref;
      /** What the decision itself shows. */
      readonly blocks: readonly Block[];
      /** The facts that it covers, in path order. */
      readonly covers: readonly Place[];
      /** Refs of the results among them. */
      readonly refs: readonly Ref[];
      /** Earlier blocks that stood there. */
      readonly blockRefs: readonly Ref[];
    }
  | { readonly kind: "entry"; readonly place: Place; readonly blocks: readonly Block[] };

/** Nothing is known by that name. */
export interface Unknown {
  readonly kind: "unknown";
  readonly name: string;
  /** The highest refs on the path, to tell what could have been meant. */
  readonly results: number;
  readonly blocks: number;
}

/**
 * What `name` means at `head`: `tN`, `bN`, an entry's or a record's id, or a tool-call id (all its occurrences).
 * A ref is tried first; `entry:NAME` and `call:NAME` say which is meant.
 */
export function recall(session: Session, name: string, head: Place | null = session.head): readonly Recalled[] | Unknown {
  const places = find(session, name, head);
  if (places.length === 0) return { kind: "unknown", name, results: head?.results ?? 0, blocks: head?.blocks ?? 0 };
  return places.map((place) => recallPlace(session, place, head));
}

function find(session: Session, name: string, head: Place | null): readonly Place[] {
  if (name.startsWith("entry:")) return session.named(name.slice(6));
  if (name.startsWith("call:")) return resultsOf(session, name.slice(5));
  if (/^[tb]\d+$/.test(name)) {
    const place = session.resolve(name as Ref, head);
    if (place) return [place];
  }
  const named = session.named(name);
  return named.length > 0 ? named : resultsOf(session, name);
}

/** The results of a call id; its calls where none came. Of an id in two parts, `call_1|fc_2`, the model saw the first: it will do where no other is called so. */
function resultsOf(session: Session, callId: string): readonly Place[] {
  const exact = session.withCallId(callId);
  const places = exact.length > 0 ? exact : [...session.entries()].filter(({ entry: { data } }) => "callId" in data && data.callId.startsWith(`${callId}|`));
  const results = places.filter((place) => place.entry.data.kind === "result");
  return results.length > 0 ? results : places;
}

/** What is wrong where nothing but the stub of a condensed copy is left of a result; undefined where it is there. */
export function lostFault(recalled: Recalled): string | undefined {
  const { data } = recalled.place.entry;
  if (recalled.kind !== "result" || data.kind !== "result" || !data.lost) return undefined;
  return `expected the original of ${recalled.ref} beside this condensed copy, found that it is gone or changed: only its stub is left, which \`view\` shows. Put the copy's folder back beside it, or recall from the session that was copied.`;
}

function recallPlace(session: Session, place: Place, head: Place | null): Recalled {
  const { data } = place.entry;
  const ref = refOf(place);
  if (data.kind === "result") return recallResult(session, place, data, head);
  if (isHiding(data) && ref) return recallBlock(session, place, data, ref);
  return { kind: "entry", place, blocks: blocksOf(place) };
}

function recallResult(session: Session, place: Place, fact: ResultFact, head: Place | null): Recalled {
  const call = callOf(place);
  const stood: Stood[] = [];
  for (let at = head?.hiding; at && at.depth > place.depth; at = at.parent?.hiding) {
    const data = at.entry.data as HidingDecision;
    if (coverage(at, data, session.find)(place)) stood.push({ place: at, blocks: data.kind === "condense" ? stub(data, place) : blocksOf(at) });
  }
  stood.reverse();
  return { kind: "result", place, ref: refOf(place) as Ref, ...(call && { call }), blocks: fact.blocks, ...(fact.full && { full: fact.full }), stood };
}

function stub(decision: CondenseDecision, target: Place): readonly Block[] {
  const body = decision.stubs[decision.targets.indexOf(target.entry.id)];
  return body ? [{ type: "text", body }] : [];
}

/** The call that a result answers: the first in its batch with its id that no earlier result of the batch answered. None: it is late. */
export function answeredCall(result: Place): Place | undefined {
  const { callId } = result.entry.data as ResultFact;
  const before: Place[] = [];
  for (let at = result.parent; at && at.depth >= (result.assistant?.depth ?? 0); at = at.parent) {
    const { data } = at.entry;
    if ((data.kind === "call" || data.kind === "result") && data.callId === callId) before.push(at);
  }
  const open: Place[] = [];
  for (const each of before.reverse()) {
    if (each.entry.data.kind === "call") open.push(each);
    else open.shift();
  }
  return open[0];
}

/** The call that a result belongs to, late or not: where it answers none, the newest before it with its id. */
export function callOf(result: Place): Place | undefined {
  const answered = answeredCall(result);
  if (answered) return answered;
  const { callId } = result.entry.data as ResultFact;
  for (let at = result.parent; at; at = at.parent) if (at.entry.data.kind === "call" && at.entry.data.callId === callId) return at;
  return undefined;
}

function recallBlock(session: Session, place: Place, decision: HidingDecision, ref: Ref): Recalled {
  const path = reachOf(place, decision, session);
  const covers = path.filter(coverage(place, decision, session.find));
  const refs = covers.flatMap((fact) => (fact.entry.data.kind === "result" ? (refOf(fact) as Ref) : []));
  const here = new Set(covers);
  const blockRefs = path.flatMap((earlier) => {
    const { data } = earlier.entry;
    const earlierRef = refOf(earlier);
    if (!isHiding(data) || earlierRef === undefined) return [];
    return touches(session, earlier, data, here) ? [earlierRef] : [];
  });
  return { kind: "block", place, ref, blocks: blocksOf(place), covers, refs, blockRefs };
}

/** The part of the path above a decision from the first fact that it can cover: nothing earlier hides any of them. */
function reachOf({ parent }: Place, decision: HidingDecision, { find }: Session): Place[] {
  if (isRange(decision)) return pathTo(parent);
  const targets = decision.kind === "condense" ? decision.targets : [decision.target];
  const first = targets.reduce((least, id) => Math.min(least, find(id)?.depth ?? least), Number.POSITIVE_INFINITY);
  const path: Place[] = [];
  for (let at = parent; at && at.depth >= first; at = at.parent) path.push(at);
  return path.reverse();
}

/** Whether an earlier decision covers any of these facts. */
function touches(session: Session, earlier: Place, decision: HidingDecision, facts: ReadonlySet<Place>): boolean {
  if (isRange(decision)) {
    const covered = coverage(earlier, decision, session.find);
    for (const fact of facts) if (covered(fact)) return true;
    return false;
  }
  const targets = decision.kind === "condense" ? decision.targets : [decision.target];
  return targets.some((id) => facts.has(session.find(id) as Place));
}

/** The blocks that an entry itself holds: its own content, or what a decision shows. */
export function blocksOf(place: Place): readonly Block[] {
  const { data } = place.entry;
  const text = (...bodies: readonly (Body | undefined)[]): Block[] => bodies.flatMap((body) => (body ? [{ type: "text", body } as const] : []));
  switch (data.kind) {
    case "message":
    case "result":
      return data.blocks;
    case "call":
      return text(data.input);
    case "prompt":
      return text(...data.sections.map((section) => section.body), ...data.tools.map((tool) => tool.body));
    case "failure":
      return text(data.text);
    case "marker":
      return text(data.raw);
    case "condense":
      return text(data.summary);
    case "replace":
      return data.body.as === "blocks" ? data.body.blocks : data.body.as === "input" ? text(data.body.input) : [];
    case "fold":
      return text(data.body);
    case "compact":
      if (data.shows) return data.shows.flatMap(({ blocks }) => blocks);
      return text(data.summary ?? undefined, ...data.autoRead.map((each) => each.body), ...data.references, ...data.carried);
    case "molt":
      return text(data.briefing);
    case "notice":
      return text(data.text);
    default:
      return [];
  }
}
