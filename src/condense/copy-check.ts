// Whether a copy that was read back is what it should be: it shows what was planned, and holds every fact of its source.
import { exactness } from "../recall/index.ts";
import { type Block, isDecision, type Place, type Session, sha256, type Tokens, textBody } from "../session/index.ts";
import { type Item, itemHash, itemTokens, type View, view } from "../view/index.ts";

/** What a copy shows in place of items of its source's view, and behind them. */
export interface Expected {
  readonly results: ReadonlyMap<Place, readonly Block[]>;
  readonly inputs: ReadonlyMap<Place, string>;
  readonly messages: ReadonlyMap<Place, readonly Block[]>;
  /** A message at the end that the source has not. */
  readonly note?: string;
}

/** What the copy's view must hold. */
export function expectedItems(before: View, { results, inputs, messages, note }: Expected): Item[] {
  const items = Array.from(before, changed);
  if (note !== undefined) items.push({ kind: "notice", role: "user", place: before.head as Place, blocks: [{ type: "text", body: textBody(note) }] });
  return items;

  function changed(item: Item): Item {
    const { place } = item;
    if (item.kind === "result" || item.kind === "stub") return { ...item, blocks: results.get(place) ?? item.blocks };
    if (item.kind === "message") return { ...item, blocks: messages.get(place) ?? item.blocks };
    const input = item.kind === "call" ? inputs.get(place) : undefined;
    return item.kind === "call" && input !== undefined ? { ...item, input: textBody(input) } : item;
  }
}

/** Estimated tokens of a source and of what its copy shows. */
export function copyTokens(before: View, expected: Expected): { readonly before: Tokens; readonly after: Tokens } {
  return { before: before.tokens, after: expectedItems(before, expected).reduce((sum, item) => sum + itemTokens(item), 0) };
}

/**
 * Compares a copy with what it should show and with its source: the facts of all branches in order, and every result read again from disk.
 * Gives the number of facts, or what is wrong.
 */
export function checkCopy(items: readonly Item[], source: Session, copy: Session): number | string {
  const expected = items.map(itemHash);
  const shown = Array.from(view(copy), itemHash);
  const differing = expected.findIndex((hash, index) => shown[index] !== hash);
  if (differing >= 0) return `item ${differing + 1} of its view is another one`;
  if (shown.length !== expected.length) return `its view has ${shown.length} items instead of ${expected.length}`;
  const facts = factsOf(copy);
  let checked = 0;
  for (const fact of factsOf(source)) {
    const { value } = facts.next();
    checked += 1;
    if (value !== fact) return `fact ${checked} is another one`;
  }
  const results = exactness(resultsOf(copy));
  return results.exact === results.checked ? checked : `${results.checked - results.exact} of ${results.checked} originals do not come back byte for byte`;
}

/** Each fact by what it says. Where its texts lie is left out, and of records that nobody sent all but their kind. */
function* factsOf(session: Session): Generator<string> {
  for (const { entry } of session.entries()) {
    const { data, side } = entry;
    if (isDecision(data)) continue;
    const told = data.kind === "marker" ? data.what : data;
    yield sha256(JSON.stringify([told, side], (key, value: unknown) => (key === "at" ? undefined : value)));
  }
}

function* resultsOf(session: Session): Generator<Place> {
  for (const place of session.entries()) if (place.entry.data.kind === "result") yield place;
}
