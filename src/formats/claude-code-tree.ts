// The shape of a Claude Code session: every record's parent, and which records make up one response with its results.
import type { RecordRange } from "../session/index.ts";
import type { Content } from "./claude-code-content.ts";

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
  readonly code: "missing-parent" | "cycle" | "duplicate-id";
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
  readonly idOf: ReadonlyMap<Piece, string>;
  readonly remarks: readonly Remark[];
}

export function treeOf(all: readonly Piece[]): Tree {
  const remarks: Remark[] = [];
  const { pieces, idOf, holders } = named(all, remarks);
  const parentOf = parents(pieces, holders, remarks);
  cutCycles(pieces, parentOf, remarks);
  const ordered = parentsFirst(pieces, parentOf);
  const unitOf = units(ordered, parentOf, turnsOf(pieces));
  return { units: ofUnits(pieces, parentOf, unitOf), unitOf, parentOf, idOf, remarks };
}

/** Ids: a copy of a record adds nothing; of two different records with one uuid the later holds it. */
function named(all: readonly Piece[], remarks: Remark[]): { pieces: Piece[]; idOf: Map<Piece, string>; holders: Map<string, Piece> } {
  const holders = new Map<string, Piece>();
  const idOf = new Map<Piece, string>();
  const pieces: Piece[] = [];
  for (const piece of all) {
    const offset = `@${piece.range.start}`;
    const earlier = piece.uuid === undefined ? undefined : holders.get(piece.uuid);
    if (earlier?.range.sha256 === piece.range.sha256) {
      remarks.push({ piece, code: "duplicate-id", message: `a copy of the record in line ${earlier.range.line}: it adds nothing` });
      continue;
    }
    if (earlier) {
      idOf.set(earlier, `@${earlier.range.start}`);
      remarks.push({
        piece: earlier,
        code: "duplicate-id",
        message: `two records have the uuid ${piece.uuid}: the later one keeps it, this one is called @${earlier.range.start}`,
      });
    }
    idOf.set(piece, piece.uuid ?? offset);
    holders.set(piece.uuid ?? offset, piece);
    pieces.push(piece);
  }
  return { pieces, idOf, holders };
}

function parents(pieces: readonly Piece[], holders: ReadonlyMap<string, Piece>, remarks: Remark[]): Map<Piece, Piece | null> {
  const parentOf = new Map<Piece, Piece | null>();
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1] ?? null;
    const named = piece.parentUuid ?? piece.logicalParent;
    const parent = named === undefined ? undefined : holders.get(named);
    if (piece.parentUuid === undefined) parentOf.set(piece, before);
    else if (named === undefined) parentOf.set(piece, null);
    else if (parent && parent !== piece) parentOf.set(piece, parent);
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

/** Puts each record into its response's unit: records of one response, results of its calls, and what stands on the way between them. */
function units(ordered: readonly Piece[], parentOf: ReadonlyMap<Piece, Piece | null>, turns: ReadonlyMap<Piece, number>): Map<Piece, Unit> {
  const unitOf = new Map<Piece, Unit>();
  const nearest = new Map<Piece, Unit | undefined>();
  for (const piece of ordered) {
    const parent = parentOf.get(piece);
    const near = parent ? (unitOf.get(parent) ?? nearest.get(parent)) : undefined;
    nearest.set(piece, near);
    const response = responseOf(piece, turns.get(piece) ?? 0);
    const { content } = piece;
    const joins =
      near &&
      (content.kind === "assistant"
        ? response !== undefined && near.response === response
        : content.kind === "user" && content.results.some(({ callId }) => near.calls.has(callId)));
    if (joins) join(piece, near, unitOf, parentOf);
    else if (content.kind === "assistant")
      unitOf.set(piece, {
        anchor: piece,
        members: [piece],
        ...(response !== undefined && { response }),
        calls: new Set(content.calls.map(({ callId }) => callId)),
      });
  }
  return unitOf;
}

function join(piece: Piece, unit: Unit, unitOf: Map<Piece, Unit>, parentOf: ReadonlyMap<Piece, Piece | null>): void {
  for (let at: Piece | null | undefined = piece; at && unitOf.get(at) !== unit; at = parentOf.get(at)) {
    unitOf.set(at, unit);
    unit.members.push(at);
    if (at.content.kind === "assistant") for (const { callId } of at.content.calls) unit.calls.add(callId);
  }
}

/** All units, each record without one in a unit of its own, parents first. */
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
  for (const { members } of ordered) members.sort((a, b) => a.range.start - b.range.start);
  return [...ordered];
}
