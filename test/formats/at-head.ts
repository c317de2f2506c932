// What the head's view makes of the entries on its path: hidden, shown, shaped by which decisions.
import { type EntryId, isHiding, isRange, type Place, recordId, type Session } from "../../src/session/index.ts";
import { Projector } from "../../src/view/index.ts";

export interface AtHead {
  /** Whether nothing of the entry is shown and nothing that is known stands in its place. */
  hides(place: Place): boolean;
  /** Records that something is shown of, in order, prompts left out. */
  readonly shown: readonly string[];
  /** Records whose decisions hold an entry of the path. */
  readonly holding: ReadonlySet<string>;
}

export function atHead(session: Session): AtHead {
  const projector = new Projector(session);
  const path = session.path();
  for (const place of path) projector.advance(place);
  const shown: string[] = [];
  for (const item of projector.view()) {
    const record = recordId(item.place.entry.id);
    if (item.kind !== "prompt" && item.kind !== "placeholder" && shown.at(-1) !== record) shown.push(record);
  }
  const owners = path.flatMap((place) => projector.heldBy(place) ?? []);
  return { hides: (place) => isHidden(session, projector.heldBy(place)), shown, holding: new Set(owners.map((id) => recordId(id))) };
}

function isHidden(session: Session, owner: EntryId | undefined): boolean {
  const data = owner === undefined ? undefined : session.find(owner)?.entry.data;
  if (!data || !isHiding(data)) return false;
  return isRange(data) || (data.kind === "replace" && (data.body.as === "nothing" || data.body.as === "unknown"));
}
