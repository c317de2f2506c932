// The shape of a Claude Code session: every record's parent, and which records make up one response with its results.
import type { RecordRange } from "../../session/index.ts";
import { type Content, sayTheSame } from "./content.ts";

/** A record as it is kept between reads. */
export interface Piece {
  readonly range: RecordRange;
  readonly uuid: string | undefined;
  /** Null: a root; undefined: it stands outside the tree, behind the record before it. */
  readonly parentUuid: string | null | undefined;
  /** Of a compaction's boundary: what it stands behind. */
  readonly logicalParent: string | undefined;
  readonly side: boolean;
  readonly time: number | undefined;
  readonly content: Content;
}

/** What was noticed of a record. */
export interface Remark {
  readonly piece: Piece;
  readonly code: "missing-parent" | "cycle" | "duplicate-id" | "reserved-id";
  readonly message: string;
}

/** Records that are written one behind the other: a response, the results of its calls, and what stands between; or any other record alone. */
export interface Unit {
  readonly anchor: Piece;
  readonly members: Piece[];
  /** By which the records of one response are known; absent for other records. */
  readonly response?: string;
  /** Ids of its calls. */
  readonly calls: Set<string>;
}

export interface Tree {
  /** Parents before their children; otherwise in file order. */
  readonly units: readonly Unit[];
  readonly unitOf: ReadonlyMap<Piece, Unit>;
  readonly parentOf: ReadonlyMap<Piece, Piece | null>;
  /** The nearest ancestor that is no marker. */
  readonly aboveOf: ReadonlyMap<Piece, Piece | null>;
  readonly idOf: ReadonlyMap<Piece, string>;
  readonly remarks: readonly Remark[];
}

export function treeOf(all: readonly Piece[]): Tree {
  const remarks: Remark[] = [];
  const { pieces, idOf, holders } = named(all, remarks);
  const parentOf = parents(pieces, holders, remarks);
  cutCycles(pieces, parentOf, remarks);
  const ordered = parentsFirst(pieces, parentOf);
  const aboveOf = above(ordered, parentOf);
  const unitOf = units(ordered, parentOf, aboveOf, turnsOf(pieces));
  return { units: ofUnits(ordered, parentOf, unitOf), unitOf, parentOf, aboveOf, idOf, remarks };
}

/** Forms of ids that stand for records without one, and for one of several entries of a record. */
const RESERVED = /^@|#\d+$|^$/;

/** Ids: a copy of a record adds nothing; of two different records with one uuid the later holds it. */
function named(all: readonly Piece[], remarks: Remark[]): { pieces: Piece[]; idOf: Map<Piece, string>; holders: Map<string, Piece> } {
  const holders = new Map<string, Piece>();
  const indexes = new Map<string, number>();
  const pieces: Piece[] = [];
  const displaced = new Set<Piece>();
  for (const piece of all) {
    const { uuid } = piece;
    const earlier = uuid === undefined ? undefined : holders.get(uuid);
    if (earlier?.range.sha256 === piece.range.sha256) {
      remarks.push({ piece, code: "duplicate-id", message: `a copy of the record in line ${earlier.range.line}: it adds nothing` });
      continue;
    }
    if (earlier && uuid !== undefined) {
      const index = indexes.get(uuid) as number;
      const kept = withoutWordsOf(earlier, piece);
      pieces[index] = kept;
      displaced.add(kept);
      remarks.push({
        piece: earlier,
        code: "duplicate-id",
        message: `two records have the uuid ${uuid}: the later one keeps it, this one is called @${earlier.range.start}`,
      });
    }
    if (uuid !== undefined) {
      holders.set(uuid, piece);
      indexes.set(uuid, pieces.length);
    }
    pieces.push(piece);
  }
  const idOf = new Map<Piece, string>();
  for (const piece of pieces) {
    const { uuid, range } = piece;
    const reserved = uuid !== undefined && RESERVED.test(uuid);
    idOf.set(piece, uuid === undefined || reserved || displaced.has(piece) ? `@${range.start}` : uuid);
    if (reserved)
      remarks.push({ piece, code: "reserved-id", message: `the uuid "${uuid}" has the form of an id that is made up: the record is called @${range.start}` });
  }
  return { pieces, idOf, holders };
}

/** A record that was written again with the same words at the same place, as a resumed session does with its last one, says them once. */
function withoutWordsOf(earlier: Piece, later: Piece): Piece {
  const again = earlier.parentUuid === later.parentUuid && earlier.side === later.side && sayTheSame(earlier.content, later.content);
  return again ? { ...earlier, content: { kind: "marker", what: "copy", raw: undefined } } : earlier;
}

function parents(pieces: readonly Piece[], holders: ReadonlyMap<string, Piece>, remarks: Remark[]): Map<Piece, Piece | null> {
  const parentOf = new Map<Piece, Piece | null>();
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1] ?? null;
    const named = piece.parentUuid ?? piece.logicalParent;
    const parent = named === undefined ? undefined : holders.get(named);
    if (piece.parentUuid === undefined) parentOf.set(piece, before);
    else if (named === undefined) parentOf.set(piece, null);
    else if (parent) parentOf.set(piece, parent);
    else {
      parentOf.set(piece, before);
      remarks.push({ piece, code: "missing-parent", message: `its parent ${named} is not in the file: it follows the record before it` });
    }
  }
  return parentOf;
}

/** Makes the first record in the file of each cycle a root. */
function cutCycles(pieces: readonly Piece[], parentOf: Map<Piece, Piece | null>, remarks: Remark[]): void {
  const done = new Set<Piece>();
  for (const start of pieces) {
    const walked = new Set<Piece>();
    let at: Piece | null | undefined = start;
    for (; at && !done.has(at) && !walked.has(at); at = parentOf.get(at)) walked.add(at);
    if (at && walked.has(at)) {
      const list = [...walked];
      const first = list.slice(list.indexOf(at)).reduce((a, b) => (a.range.start < b.range.start ? a : b));
      parentOf.set(first, null);
      remarks.push({ piece: first, code: "cycle", message: "its parents form a circle: it is cut here, at the first of them in the file" });
    }
    for (const each of walked) done.add(each);
  }
}

function parentsFirst(pieces: readonly Piece[], parentOf: ReadonlyMap<Piece, Piece | null>): Piece[] {
  const ordered = new Set<Piece>();
  for (const piece of pieces) {
    const above: Piece[] = [];
    for (let at: Piece | null | undefined = piece; at && !ordered.has(at); at = parentOf.get(at)) above.push(at);
    for (const each of above.reverse()) ordered.add(each);
  }
  return [...ordered];
}

function above(ordered: readonly Piece[], parentOf: ReadonlyMap<Piece, Piece | null>): Map<Piece, Piece | null> {
  const aboveOf = new Map<Piece, Piece | null>();
  for (const piece of ordered) {
    const parent = parentOf.get(piece) ?? null;
    aboveOf.set(piece, parent?.content.kind === "marker" ? (aboveOf.get(parent) ?? null) : parent);
  }
  return aboveOf;
}

/** Counts what the user typed, up to each record in file order: without a request's id, records are one response only inside one turn. */
function turnsOf(pieces: readonly Piece[]): Map<Piece, number> {
  const turns = new Map<Piece, number>();
  let turn = 0;
  for (const piece of pieces) {
    const { content } = piece;
    if (!piece.side && content.kind === "user" && !content.meta && content.results.length === 0) turn += 1;
    turns.set(piece, turn);
  }
  return turns;
}

function responseOf(piece: Piece, turn: number): string | undefined {
  const { content } = piece;
  if (content.kind !== "assistant" || content.messageId === undefined) return undefined;
  return JSON.stringify([content.messageId, content.requestId ?? `turn ${turn}`, piece.side]);
}

/**
 * Puts each record into its response's unit: records of one response, one below the other or side by side, results of its calls, and what
 * stands on the way between them.
 */
function units(
  ordered: readonly Piece[],
  parentOf: ReadonlyMap<Piece, Piece | null>,
  aboveOf: ReadonlyMap<Piece, Piece | null>,
  turns: ReadonlyMap<Piece, number>,
): Map<Piece, Unit> {
  const unitOf = new Map<Piece, Unit>();
  const nearest = new Map<Piece, Unit | undefined>();
  const below = new Map<Piece | null, Map<string, Unit>>();
  for (const piece of ordered) {
    const parent = parentOf.get(piece);
    const near = parent ? (unitOf.get(parent) ?? nearest.get(parent)) : undefined;
    nearest.set(piece, near);
    const { content } = piece;
    if (content.kind === "user" && near && content.results.some(({ callId }) => near.calls.has(callId))) join(piece, near, unitOf, parentOf);
    if (content.kind !== "assistant") continue;
    const response = responseOf(piece, turns.get(piece) ?? 0);
    const hook = aboveOf.get(piece) ?? null;
    const beside = response === undefined ? undefined : below.get(hook)?.get(response);
    if (near && response !== undefined && near.response === response) join(piece, near, unitOf, parentOf);
    else if (beside) take(piece, beside, unitOf);
    else {
      const unit: Unit = { anchor: piece, members: [], ...(response !== undefined && { response }), calls: new Set() };
      take(piece, unit, unitOf);
      if (response !== undefined) below.set(hook, (below.get(hook) ?? new Map<string, Unit>()).set(response, unit));
    }
  }
  return unitOf;
}

function take(piece: Piece, unit: Unit, unitOf: Map<Piece, Unit>): void {
  unitOf.set(piece, unit);
  unit.members.push(piece);
  if (piece.content.kind === "assistant") for (const { callId } of piece.content.calls) unit.calls.add(callId);
}

function join(piece: Piece, unit: Unit, unitOf: Map<Piece, Unit>, parentOf: ReadonlyMap<Piece, Piece | null>): void {
  for (let at: Piece | null | undefined = piece; at && unitOf.get(at) !== unit; at = parentOf.get(at)) take(at, unit, unitOf);
}

/** All units, each record without one in a unit of its own, parents first; the members of each likewise. */
function ofUnits(pieces: readonly Piece[], parentOf: ReadonlyMap<Piece, Piece | null>, unitOf: Map<Piece, Unit>): Unit[] {
  for (const piece of pieces) if (!unitOf.has(piece)) unitOf.set(piece, { anchor: piece, members: [piece], calls: new Set() });
  const ordered = new Set<Unit>();
  for (const piece of pieces) {
    const above: Unit[] = [];
    let at: Unit | undefined = unitOf.get(piece);
    while (at && !ordered.has(at)) {
      above.push(at);
      const parent: Piece | null | undefined = parentOf.get(at.anchor);
      at = parent ? unitOf.get(parent) : undefined;
    }
    for (const each of above.reverse()) ordered.add(each);
  }
  const rank = new Map(pieces.map((piece, index) => [piece, index]));
  for (const { members } of ordered) members.sort((a, b) => (rank.get(a) as number) - (rank.get(b) as number));
  return [...ordered];
}
