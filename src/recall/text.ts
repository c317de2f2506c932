// What an original says, as one text: what recall prints, pages and searches.
import { type Block, bodyText, type Place, type Ref, refOf } from "../session/index.ts";
import { blocksOf, type Recalled } from "./recall.ts";

/** The text of blocks as recall gives it: text and thinking joined by line ends, one line for each image. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.map(blockText).join("\n");
}

function blockText(block: Block): string {
  if (block.type === "image") return `[image ${block.mediaType}${block.width ? ` ${block.width}×${block.height}` : ""}, ${block.data.bytes} bytes of base64]`;
  return bodyText(block.type === "other" ? block.raw : block.body);
}

/** What one entry says: of a result the whole output, where the host kept it apart. */
export function entryText(place: Place): string {
  const { data } = place.entry;
  return data.kind === "result" && data.full ? bodyText(data.full) : textOf(blocksOf(place));
}

/** What an original says: of a block what it shows, and the facts that it covers one after the other. */
export function originalText(recalled: Recalled): string {
  if (recalled.kind !== "block") return entryText(recalled.place);
  const { ref, place, covers, refs, blockRefs } = recalled;
  const results = refs.length > 0 ? `; results ${refSpans(refs)}` : "";
  const earlier = blockRefs.length > 0 ? `; earlier blocks ${refSpans(blockRefs)}` : "";
  const head = `[${ref} ${place.entry.data.kind} of ${covers.length} ${covers.length === 1 ? "entry" : "entries"}${results}${earlier}]`;
  return [head, textOf(recalled.blocks), ...covers.map(coveredText)].join("\n");
}

function coveredText(place: Place): string {
  const { data, id } = place.entry;
  const tool = data.kind === "call" || data.kind === "result" ? ` ${data.tool}` : data.kind === "message" ? ` ${data.role}` : "";
  return `--- ${refOf(place) ?? id} ${data.kind}${tool}\n${textOf(blocksOf(place))}`;
}

/** Refs in few words, those that follow each other in one span: `t3, t5 to t9`. */
export function refSpans(refs: readonly Ref[]): string {
  const spans: { readonly first: Ref; last: Ref }[] = [];
  for (const ref of refs) {
    const open = spans.at(-1);
    if (open && following(open.last) === ref) open.last = ref;
    else spans.push({ first: ref, last: ref });
  }
  return spans.map(({ first, last }) => (first === last ? first : `${first}${last === following(first) ? "," : " to"} ${last}`)).join(", ");
}

function following(ref: Ref): Ref {
  return `${ref[0]}${Number(ref.slice(1)) + 1}` as Ref;
}
