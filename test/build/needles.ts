// The needles of a log that shows itself as it is.
import { type Needle, Needles } from "../../src/replay/needles.ts";
import { isAssistant } from "../../src/session/index.ts";
import { Projector } from "../../src/view/index.ts";
import type { Log } from "./log.ts";

/** Those of every request, and what found them. */
export function needlesIn({ session }: Log): { readonly needles: Needles; readonly all: readonly Needle[] } {
  const path = session.path();
  const needles = new Needles(path);
  const projector = new Projector(session);
  const all: Needle[] = [];
  for (const place of path) {
    if (isAssistant(place.entry.data)) all.push(...needles.request(place, projector.view()).needles);
    projector.advance(place);
  }
  return { needles, all };
}
