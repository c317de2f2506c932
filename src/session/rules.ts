// Which decisions count, which are refused, and what each one covers.
import type { Decision, EntryId, HidingDecision, RangeDecision, ReplaceDecision, RevertDecision } from "./entry.ts";
import { ancestorAt, isAssistant, isHiding, isOnPath, isRange, isShowable, type Place, wasSent } from "./place.ts";

type Find = (id: EntryId) => Place | undefined;

/** Depths `[from, to)` on the path of a decision, and what stays inside them. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly keeps: (place: Place) => boolean;
}

/** What is wrong with a decision below `parent`: `illegal` decisions count nowhere, a `refusal` only keeps ours from being appended. */
export interface Verdict {
  readonly illegal?: string;
  readonly refusal?: string;
}

const FINE: Verdict = {};

export function judge(parent: Place | null, decision: Decision, find: Find): Verdict {
  switch (decision.kind) {
    case "condense":
      return judgeTargets(parent, decision.targets, decision.stubs.length, find);
    case "replace":
      return judgeReplace(parent, decision, find);
    case "fold":
    case "compact":
    case "molt":
      return judgeRange(parent, decision, find);
    case "revert":
      return judgeRevert(parent, decision, find);
    default:
      return FINE;
  }
}

function judgeTargets(parent: Place | null, targets: readonly EntryId[], stubs: number, find: Find): Verdict {
  if (targets.length === 0) return { illegal: "it hides no fact" };
  if (targets.length !== stubs) return { illegal: `it has ${stubs} stubs for ${targets.length} targets` };
  if (new Set(targets).size !== targets.length) return { illegal: "it names a target twice" };
  for (const id of targets) {
    const target = find(id);
    if (!target || !isOnPath(target, parent)) return { illegal: `${id} is not before it on the path` };
    if (target.entry.data.kind !== "result") return { illegal: `${id} is no result` };
  }
  return FINE;
}

function judgeReplace(parent: Place | null, { target: id, body: { as }, by }: ReplaceDecision, find: Find): Verdict {
  const target = find(id);
  if (!target || !isOnPath(target, parent)) return { illegal: `${id} is not before it on the path` };
  const { kind } = target.entry.data;
  if (!isShowable(target.entry.data)) return { illegal: `${id} is a ${kind}, which is not shown` };
  if (by !== "host" && (as === "nothing" || as === "unknown")) return { illegal: "it would hide without a trace: only a host's record can" };
  if (as === "input" && kind !== "call") return { illegal: `${id} is no call and has no arguments` };
  if (as === "blocks" && kind === "call") return { illegal: `${id} is a call: only its arguments can be replaced` };
  return FINE;
}

function judgeRange(parent: Place | null, decision: RangeDecision, find: Find): Verdict {
  const named = namedBy(decision);
  for (const id of named) {
    const place = find(id);
    if (!place || !isOnPath(place, parent)) return { illegal: `${id} is not before it on the path` };
  }
  for (const id of keptBy(decision)) {
    const { data } = (find(id) as Place).entry;
    if (data.kind !== "message" || (decision.kind === "molt" && !isAssistant(data))) return { illegal: `${id} is no message that can be kept` };
  }
  const range = rangeOf(parent, decision, find);
  if (!hidesAnything(parent, range)) return { illegal: "it hides no fact" };
  return decision.by === "host" ? FINE : (refusal(parent as Place, range) ?? FINE);
}

function namedBy(decision: RangeDecision): readonly EntryId[] {
  if (decision.kind === "fold") return [decision.from, decision.to, ...decision.kept];
  if (decision.kind === "compact") return [...(decision.cut === null ? [] : [decision.cut]), ...keptBy(decision)];
  return [...(decision.keepFrom === null ? [] : [decision.keepFrom]), ...decision.keepBatches];
}

/** Messages inside its range that it keeps. */
function keptBy(decision: RangeDecision): readonly EntryId[] {
  return decision.kind === "molt" ? decision.keepBatches : (decision.kept ?? []);
}

/** The range of a decision that stands below `parent`. Ours keep the message that the user typed last. */
export function rangeOf(parent: Place | null, decision: RangeDecision, find: Find): Range {
  const here = parent ? parent.depth + 1 : 0;
  const depthOf = (id: EntryId) => find(id)?.depth ?? here;
  const kept = new Set<Place>();
  if (decision.by !== "host" && parent?.user) kept.add(parent.user);
  for (const id of keptBy(decision)) {
    const place = find(id);
    if (place) kept.add(place);
  }
  const keeps = (place: Place) =>
    kept.has(place) || ((place.entry.data.kind === "call" || place.entry.data.kind === "result") && place.assistant !== null && kept.has(place.assistant));
  if (decision.kind === "fold") return { from: depthOf(decision.from), to: depthOf(decision.to) + 1, keeps };
  if (decision.kind === "compact") return { from: 0, to: decision.cut === null ? here : depthOf(decision.cut), keeps };
  return { from: 0, to: decision.keepFrom === null ? (parent?.assistant?.depth ?? 0) : depthOf(decision.keepFrom), keeps };
}

function hidesAnything(parent: Place | null, range: Range): boolean {
  for (let at = parent && range.to > 0 ? ancestorAt(parent, Math.min(range.to - 1, parent.depth)) : null; at && at.depth >= range.from; at = at.parent)
    if (isShowable(at.entry.data) && !range.keeps(at)) return true;
  return false;
}

/** Why a range of ours may not be appended: it would hide what was never sent, or part a batch. */
function refusal(parent: Place, range: Range): Verdict | undefined {
  const newest = parent.assistant?.depth ?? 0;
  if (range.to > newest) return { refusal: "it would hide what no request has held yet: a range ends at or before the newest assistant message" };
  for (const edge of [range.from, range.to]) {
    const parted = partedBatch(parent, edge);
    if (parted) return { refusal: `it would part the batch of ${parted.entry.id}: a range holds each batch whole or not at all` };
  }
  return undefined;
}

/** The assistant message above `edge` whose calls or results stand at or below it. */
function partedBatch(parent: Place, edge: number): Place | null {
  const owner = edge > 0 ? (ancestorAt(parent, edge - 1)?.assistant ?? null) : null;
  if (!owner) return null;
  for (let depth = edge; depth <= parent.depth; depth++) {
    const { data } = (ancestorAt(parent, depth) as Place).entry;
    if (isAssistant(data)) return null;
    if (data.kind === "call" || data.kind === "result") return owner;
  }
  return null;
}

function judgeRevert(parent: Place | null, decision: RevertDecision, find: Find): Verdict {
  const of = find(decision.of);
  if (!of || !isOnPath(of, parent)) return { illegal: `${decision.of} is not before it on the path` };
  if (!isHiding(of.entry.data)) return { illegal: `${decision.of} is no decision that hides anything` };
  if (of.illegal !== undefined) return { illegal: `${decision.of} is itself illegal` };
  if (!decision.targets) return FINE;
  if (decision.targets.length === 0) return { illegal: "it names no target" };
  const covered = coverage(of, of.entry.data, find);
  for (const id of decision.targets) {
    const target = find(id);
    if (!target || !covered(target)) return { illegal: `${id} is not covered by ${decision.of}` };
    if (isRange(of.entry.data) && target.entry.data.kind !== "message") return { illegal: `${id} is no message: a range is reverted by whole batches` };
  }
  return FINE;
}

/** Which facts a decision hides, as a test. `at` is its own place. */
export function coverage(at: Place, decision: HidingDecision, find: Find): (fact: Place) => boolean {
  if (decision.kind === "replace") return (fact) => fact.entry.id === decision.target;
  if (decision.kind === "condense") {
    const targets = new Set(decision.targets);
    return (fact) => targets.has(fact.entry.id);
  }
  const range = rangeOf(at.parent, decision, find);
  return (fact) =>
    fact.depth >= range.from && fact.depth < range.to && fact.depth < at.depth && isShowable(fact.entry.data) && !range.keeps(fact) && isOnPath(fact, at);
}

/** Whether a decision on these facts takes effect at once: none of them was ever sent before it. */
export function takesEffectAtOnce(parent: Place | null, facts: Iterable<Place>): boolean {
  for (const fact of facts) if (wasSent(fact, parent)) return false;
  return true;
}
