// A literal search through everything that a session holds on one path.
import { type EntryId, isShowable, type Place, pathTo, type Ref, refOf, type Session, SourceChangedError } from "../session/index.ts";
import { type Match, matches } from "./page.ts";
import { blocksOf } from "./recall.ts";
import { entryText, textOf } from "./text.ts";

export interface Found extends Match {
  readonly entry: EntryId;
  /** Of a result; other entries are recalled by their id. */
  readonly ref?: Ref;
  /** `user`, `assistant`, `system`, or the tool's name with `call` or `result`. */
  readonly where: string;
}

/** The lines that hold `needle`, oldest first: in messages, calls and originals of results, shown or hidden. */
export function* searchSession(session: Session, needle: string, head: Place | null = session.head): IterableIterator<Found> {
  for (const place of pathTo(head)) {
    if (!isShowable(place.entry.data)) continue;
    const ref = refOf(place);
    for (const match of matches(searchedText(place), needle)) yield { ...match, entry: place.entry.id, ...(ref && { ref }), where: whereOf(place) };
  }
}

function whereOf({ entry: { data } }: Place): string {
  if (data.kind === "message") return data.role;
  if (data.kind === "call" || data.kind === "result") return `${data.tool} ${data.kind}`;
  return data.kind;
}

/** One whole output whose file is gone is searched as far as the session itself has it: the search goes on. */
function searchedText(place: Place): string {
  const { data } = place.entry;
  if (data.kind !== "result" || !data.full) return entryText(place);
  try {
    return entryText(place);
  } catch (error) {
    if (error instanceof SourceChangedError) return textOf(blocksOf(place));
    throw error;
  }
}
