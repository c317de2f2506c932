// A literal search through everything that a session holds on one path.
import { type Block, bodyText, type EntryId, isShowable, type Place, pathTo, type Ref, refOf, type Session } from "../session/index.ts";
import { type Match, matches } from "./page.ts";
import { blocksOf } from "./recall.ts";

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
    for (const match of matches(textOf(blocksOf(place)), needle)) yield { ...match, entry: place.entry.id, ...(ref && { ref }), where: whereOf(place) };
  }
}

function whereOf({ entry: { data } }: Place): string {
  if (data.kind === "message") return data.role;
  if (data.kind === "call" || data.kind === "result") return `${data.tool} ${data.kind}`;
  return data.kind;
}

/** The text of blocks as recall gives it: text and thinking joined by line ends, one line for each image. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.map(blockText).join("\n");
}

function blockText(block: Block): string {
  if (block.type === "image") return `[image ${block.mediaType}${block.width ? ` ${block.width}×${block.height}` : ""}, ${block.data.bytes} bytes of base64]`;
  return bodyText(block.type === "other" ? block.raw : block.body);
}
