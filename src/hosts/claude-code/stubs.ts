// Which blocks of which records a copy of a Claude Code session changes, what they become, and where its note stands.
import { type CopyPlan, copyNote, type LeftWhole } from "../../copies/index.ts";
import { type Block, bodyText, type Place, type Ref, recordId, type Session, type Sha256, textBody } from "../../session/index.ts";

/** One `tool_result` block that shows a stub. */
export interface Stubbed {
  readonly place: Place;
  readonly uuid: string;
  /** Among the results of its record. */
  readonly order: number;
  readonly ref: Ref;
  readonly blocks: readonly Block[];
}

export interface Stubbing {
  /** By the sha256 of the record: a copy of a record in the same file is changed like it. */
  readonly records: ReadonlyMap<Sha256, readonly Stubbed[]>;
  readonly shown: ReadonlyMap<Place, readonly Block[]>;
  readonly ref: Ref | undefined;
  /** The record behind which the note counts. */
  readonly noteAt: string | undefined;
  readonly left: readonly LeftWhole[];
}

/** Arguments and thinking of a plan: no copy for Claude Code can shorten them. */
export function leftWhole({ calls, messages }: Pick<CopyPlan, "calls" | "messages">): LeftWhole[] {
  const why = "Claude Code has no record that changes what it sends of them";
  const each = (kind: LeftWhole["kind"]) => (planned: { readonly place: Place }) => ({ what: planned.place.entry.id, kind, why });
  return [...calls.map(each("call")), ...messages.map(each("message"))];
}

export function stubbing(plan: CopyPlan, session: Session, path: string): Stubbing {
  const left: LeftWhole[] = leftWhole(plan);
  const stubs: Stubbed[] = [];
  for (const { place, ref, blocks } of plan.results) {
    const uuid = recordId(place.entry.id);
    if (uuid.startsWith("@")) left.push({ what: ref, kind: "result", why: "its record has no uuid of its own" });
    else stubs.push({ place, uuid, order: orderOf(place, session), ref, blocks });
  }
  const last = stubs.at(-1);
  const noteAt = last && behind(last.place, plan, session);
  const ref: Ref | undefined = noteAt && `b${noteAt.blocks + 1}`;
  if (last && ref) {
    const note = copyNote({ ref, results: stubs.map((each) => each.ref), calls: [], messages: [], path });
    stubs[stubs.length - 1] = { ...last, blocks: [...last.blocks.slice(0, -1), ...withNote(last.blocks.at(-1), note)] };
  }
  const records = Map.groupBy(stubs, ({ place }) => recordOf(place).sha256);
  return { records, shown: new Map(stubs.map(({ place, blocks }) => [place, blocks])), ref, noteAt: noteAt && recordId(noteAt.entry.id), left };
}

/** The record of the session, not the line that keeps an original beside it. */
function recordOf({ entry }: Place) {
  return (entry.records ?? []).at(-1) as NonNullable<Place["entry"]["records"]>[number];
}

function orderOf(place: Place, session: Session): number {
  const results = session.named(recordId(place.entry.id)).filter(({ entry }) => entry.data.kind === "result");
  return Math.max(0, results.indexOf(place));
}

function withNote(block: Block | undefined, note: string): readonly Block[] {
  if (block?.type !== "text") return [...(block ? [block] : []), { type: "text", body: textBody(note) }];
  return [{ type: "text", body: textBody(`${bodyText(block.body)}\n\n${note}`) }];
}

/** The last entry of the record that the note counts behind: that of the last stub, or of an earlier copy's note where that comes later. */
function behind(last: Place, { head }: CopyPlan, session: Session): Place {
  for (let at = head; at && at.depth > last.depth; at = at.parent) {
    const { data } = at.entry;
    if (data.kind === "condense" && at.illegal === undefined) return lastOf(at, session);
  }
  return lastOf(last, session);
}

/** The last entry of a place's record. */
function lastOf(place: Place, session: Session): Place {
  return session.named(recordId(place.entry.id)).reduce((a, b) => (a.depth > b.depth ? a : b), place);
}

/** A stub as the content of a `tool_result`: a text where the original was one, else a list. */
export function stubContent(blocks: readonly Block[], original: unknown): unknown {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === "text" && typeof original === "string") return bodyText(only.body);
  return blocks.flatMap((block): object[] => {
    if (block.type === "text") return [{ type: "text", text: bodyText(block.body) }];
    return block.type === "image" ? [{ type: "image", source: { type: "base64", media_type: block.mediaType, data: bodyText(block.data) } }] : [];
  });
}
