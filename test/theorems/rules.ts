// The promises of the view as checks over any session: each gives the breaches it finds.
import { type Recalled, recall } from "../../src/recall/index.ts";
import {
  bodyText,
  coverage,
  type HidingDecision,
  isAssistant,
  isHiding,
  isOnPath,
  isRange,
  isShowable,
  type Place,
  type Ref,
  refOf,
  type Session,
  sha256,
} from "../../src/session/index.ts";
import { type Item, isPrefix, itemText, Projector, pairFaults, type View, view } from "../../src/view/index.ts";

/** Every place of a session with its view. */
export function allViews(session: Session): { readonly place: Place; readonly view: View }[] {
  return [...session.entries()].map((place) => ({ place, view: view(session, place) }));
}

/** A result's refs as the model can read them in an item: those that stand in its text. */
function refsIn(item: Item): Ref[] {
  const shown = "ref" in item && item.ref ? [item.ref] : [];
  return item.kind === "result" || item.kind === "message" || item.kind === "call"
    ? shown
    : [...shown, ...([...itemText(item).matchAll(/\b[tb]\d+\b/g)].map((match) => match[0]) as Ref[])];
}

/** Theorem 1: what decisions of ours hide is reached from the view by following refs, and recalled exactly. */
export function lost(session: Session, at: Place, shown: View): string[] {
  const projector = new Projector(session);
  const path = session.path(at);
  for (const place of path) projector.advance(place);
  const reached = new Set<Place>();
  const queue = [...new Set(shown.items.flatMap(refsIn))];
  const seen = new Set<Ref>();
  for (let ref = queue.pop(); ref; ref = queue.pop()) {
    if (seen.has(ref)) continue;
    seen.add(ref);
    const found = recall(session, ref, at);
    if ("kind" in found) continue;
    for (const each of found) queue.push(...reach(each, reached));
  }
  const breaches: string[] = [];
  const visible = new Set(
    shown.items.filter((item) => item.kind === "result" || ((item.kind === "message" || item.kind === "call") && !item.ref)).map((item) => item.place),
  );
  for (const place of path) {
    const { data, id } = place.entry;
    if (isShowable(data) && !visible.has(place) && !reached.has(place) && !hiddenByHost(session, projector, place))
      breaches.push(`${id} (${data.kind}) is hidden and not reached`);
    if (
      isHiding(data) &&
      data.by !== "host" &&
      projector.isInEffect(id) &&
      refOf(place)?.startsWith("b") &&
      !reached.has(place) &&
      !path.some((fact) => covers(session, place, fact) && hiddenByHost(session, projector, fact))
    )
      breaches.push(`${id} (${data.kind}) showed something that is not reached`);
  }
  return breaches;
}

function reach(recalled: Recalled, reached: Set<Place>): Ref[] {
  reached.add(recalled.place);
  if (recalled.kind === "result") {
    if (recalled.call) reached.add(recalled.call);
    for (const stood of recalled.stood) reached.add(stood.place);
    return [];
  }
  if (recalled.kind !== "block") return [];
  for (const place of recalled.covers) reached.add(place);
  return [...recalled.refs, ...recalled.blockRefs];
}

function hiddenByHost(session: Session, projector: Projector, place: Place): boolean {
  const holder = projector.heldBy(place);
  const data = holder && (session.find(holder) as Place).entry.data;
  return data !== undefined && isHiding(data) && data.by === "host";
}

/** Theorem 1, the bytes: every recalled text equals what was appended. */
export function changedTexts(session: Session, at: Place): string[] {
  return session.path(at).flatMap((place) => {
    const ref = refOf(place);
    if (place.entry.data.kind !== "result" || !ref) return [];
    const found = recall(session, ref, at);
    const one = "kind" in found ? undefined : found[0];
    if (one?.kind !== "result" || one.place !== place) return [`${ref} recalls something else`];
    return one.blocks.flatMap((block) => (block.type === "text" && sha256(bodyText(block.body)) !== block.body.sha256 ? [`${ref} has other bytes`] : []));
  });
}

/** Theorem 2: a head that was answered is a prefix of every view below the answer, until an epoch. */
export function movedPrefixes(session: Session): string[] {
  const views = new Map(allViews(session).map((each) => [each.place, each.view]));
  const breaches: string[] = [];
  for (const [place, shown] of views) {
    for (let at: Place | null = place; at?.parent; at = at.parent) {
      if (at.entry.data.kind === "epoch") break;
      if (isAssistant(at.entry.data) && !isPrefix(views.get(at.parent) as View, shown))
        breaches.push(`the view at ${at.parent.entry.id} is no prefix of the one at ${place.entry.id}`);
    }
  }
  return breaches;
}

/** Theorem 3: no call without its result, no result without its call. */
export function orphans(session: Session): string[] {
  return allViews(session).flatMap(({ place, view: shown }) =>
    pairFaults(shown).map((fault) => `${fault.fault} ${fault.callId} in the view at ${place.entry.id}`),
  );
}

/** Following a path entry by entry, looking in between, gives what projecting it at once gives. */
export function driftedViews(session: Session, head: Place, looks: (index: number) => boolean): string[] {
  const projector = new Projector(session);
  const breaches: string[] = [];
  const kept: { shown: View; hash: string; texts: string }[] = [];
  for (const [index, place] of session.path(head).entries()) {
    projector.advance(place);
    if (!looks(index)) continue;
    const shown = projector.view();
    const fresh = view(session, place);
    if (shown.hash() !== fresh.hash() || shown.length !== fresh.length || !sameItems(shown, fresh))
      breaches.push(`at ${place.entry.id} the followed view differs from the fresh one`);
    if (shown.tokens !== fresh.tokens || shown.resultTokens !== fresh.resultTokens) breaches.push(`at ${place.entry.id} the followed view counts other tokens`);
    kept.push({ shown, hash: fresh.hash(), texts: texts(fresh) });
  }
  for (const { shown, hash, texts: before } of kept)
    if (shown.hash() !== hash || texts(shown) !== before) breaches.push(`the view at ${shown.head?.entry.id} changed after it was taken`);
  return breaches;
}

function texts(shown: View): string {
  return shown.items.map((item) => `${item.kind} ${itemText(item)}`).join("\u0000");
}

function sameItems(a: View, b: View): boolean {
  return a.items.every((item, index) => item.kind === b.at(index)?.kind && item.place === b.at(index)?.place);
}

/** No view shows the original of a result whose call asked for a summary. */
export function shownOriginals(session: Session): string[] {
  return allViews(session).flatMap(({ place, view: shown }) =>
    shown.items.flatMap((item, index) => {
      if (item.kind !== "result" || item.status !== "ok") return [];
      const call = shown.items.slice(0, index).findLast((each) => each.kind === "call" && each.callId === item.callId);
      const nth = shown.items
        .slice(0, index)
        .filter((each) => each.role === "tool" && each.callId === item.callId && each.place.assistant === item.place.assistant).length;
      const calls = shown.items.filter((each) => each.kind === "call" && each.callId === item.callId && each.place.assistant === item.place.assistant);
      const asked = (calls[nth] ?? call)?.place.entry.data;
      return asked?.kind === "call" && asked.summarize ? [`${item.place.entry.id} is shown at ${place.entry.id} though its call asked for a summary`] : [];
    }),
  );
}

/** A range of ours never hides the message that the user had typed last when it was made. */
export function hiddenNewestUsers(session: Session): string[] {
  return [...session.entries()].flatMap((place) => {
    const { data, id } = place.entry;
    if (!isRange(data) || data.by === "host" || place.illegal !== undefined || !place.parent?.user) return [];
    return coverage(place, data, session.find)(place.parent.user) ? [`${id} hides ${place.parent.user.entry.id}, the newest user message there`] : [];
  });
}

function covers(session: Session, decision: Place, fact: Place): boolean {
  return isOnPath(fact, decision) && coverage(decision, decision.entry.data as HidingDecision, session.find)(fact);
}
