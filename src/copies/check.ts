// Whether a copy that was read back is what it should be: it shows what was planned, and holds every fact of its source.
import { isExact } from "../recall/index.ts";
import { type Block, isDecision, type Place, pathTo, type Session, type Steps, sha256, textBody } from "../session/index.ts";
import { composition, type Item, itemHash, itemTokens, type View, view } from "../view/index.ts";
import type { CopyReport } from "./file.ts";

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

/** Estimated tokens of a source and of what its copy shows, as a whole and by category. */
export function copyTokens(before: View, expected: Expected): Pick<CopyReport, "tokens" | "categories"> {
  const items = expectedItems(before, expected);
  const after = items.reduce((sum, item) => sum + itemTokens(item), 0);
  return { tokens: { before: before.tokens, after }, categories: { before: composition(before), after: composition(items) } };
}

/**
 * Compares a copy with what it should show and with its source: the facts of all branches in order, and every result read again from disk.
 * Of a copy that was cut behind `end` the facts of that path. Gives the number of facts, or what is wrong. In steps, one for each item, fact and result.
 */
export function* checkingCopy(items: readonly Item[], source: Session, copy: Session, end?: Place): Steps<number | string> {
  const shown = view(copy);
  for (const [index, item] of items.entries()) {
    const found = shown.at(index);
    if (!found || itemHash(found) !== itemHash(item)) return `item ${index + 1} of its view is another one`;
    yield index / items.length / 3;
  }
  if (shown.length !== items.length) return `its view has ${shown.length} items instead of ${items.length}`;
  const facts = factsOf(end ? pathTo(copy.head) : copy.entries());
  let checked = 0;
  for (const fact of factsOf(end ? pathTo(end) : source.entries())) {
    const { value } = facts.next();
    checked += 1;
    if (value !== fact) return `fact ${checked} is another one`;
    yield (1 + checked / source.size) / 3;
  }
  let results = 0;
  let differing = 0;
  for (const place of resultsOf(copy)) {
    results += 1;
    if (!isExact(place)) differing += 1;
    yield (2 + place.depth / copy.size) / 3;
  }
  return differing === 0 ? checked : `${differing} of ${results} originals do not come back byte for byte`;
}

/** Each fact by what it says. Where its texts lie is left out, and of records that nobody sent all but their kind. */
function* factsOf(places: Iterable<Place>): Generator<string> {
  for (const { entry } of places) {
    const { data, side } = entry;
    if (isDecision(data)) continue;
    const told = data.kind === "marker" ? data.what : data;
    yield sha256(JSON.stringify([told, side], (key, value: unknown) => (key === "at" ? undefined : value)));
  }
}

function* resultsOf(session: Session): Generator<Place> {
  for (const place of session.entries()) if (place.entry.data.kind === "result") yield place;
}
