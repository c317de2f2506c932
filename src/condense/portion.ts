// A part of what is due: as much as one epoch may change, the oldest first.
import { type Place, recordId } from "../session/index.ts";
import type { View } from "../view/index.ts";
import type { Due } from "./aging.ts";

export interface Portion {
  readonly due: Due;
  /** Whether more is due than this. */
  readonly more: boolean;
}

/**
 * What of all that is due an epoch changes that may change `most` results, calls and messages. What the view does not show whole counts for
 * nothing, and what stands in one record stays together. Linear in the view only where more is due than `most`.
 */
export function portion(due: Due, view: View, most: number): Portion {
  const places = [...due.results, ...due.calls, ...due.thinking].map(({ place }) => place);
  if (places.length <= most) return { due, more: false };
  const whole = new Set<Place>();
  for (const item of view) if (item.kind === "result" || item.kind === "call" || item.kind === "message") whole.add(item.place);
  const open = places.filter((place) => whole.has(place)).sort((a, b) => a.depth - b.depth);
  let end = most;
  while (end < open.length && recordOf(open[end]) === recordOf(open[end - 1])) end += 1;
  const next = open[end];
  if (!next) return { due, more: false };
  const isIn = ({ place }: { readonly place: Place }) => place.depth < next.depth;
  return { due: { results: due.results.filter(isIn), calls: due.calls.filter(isIn), thinking: due.thinking.filter(isIn) }, more: true };
}

function recordOf(place: Place | undefined): string | undefined {
  return place && recordId(place.entry.id);
}
