import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Entry, isDecision, type Place, refOf, Session } from "../../src/session/index.ts";
import { itemText, view } from "../../src/view/index.ts";
import { arbitrarySession, sessionOf } from "../generate/sessions.ts";
import { allViews, changedTexts, driftedViews, hiddenNewestUsers, lost, movedPrefixes, orphans, shownOriginals } from "./rules.ts";

/** More, and others, in a long run: `SEED=random RUNS=5000 npx vitest run test/theorems --testTimeout=0`. */
const RUNS = Number(process.env.RUNS ?? 500);

function everySession(check: (session: Session, entries: readonly Entry[]) => readonly string[], size = 30): void {
  fc.assert(
    fc.property(arbitrarySession({ size }), (entries) => {
      expect(check(sessionOf(entries), entries)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}

describe("nothing is lost", () => {
  test("what our decisions hide is reached from every view by following refs", () => {
    everySession((session) => allViews(session).flatMap(({ place, view: shown }) => lost(session, place, shown)));
  });

  test("recall gives every original back, equal by hash", () => {
    everySession((session) => session.heads().flatMap((head) => changedTexts(session, head)));
  });
});

test("the prefix is stable: an answered head is a prefix of all that follows until an epoch", () => {
  everySession(movedPrefixes);
});

test("no orphan: at every place each call shown is followed by exactly one result", () => {
  everySession(orphans);
});

test("a view followed entry by entry equals a fresh one, and a view once taken never changes", () => {
  fc.assert(
    fc.property(arbitrarySession({ size: 40 }), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (entries, looks) => {
      const session = sessionOf(entries);
      for (const head of session.heads()) expect(driftedViews(session, head, (index) => looks[index % 8] === true)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("a copy and a restart give the same refs and the same views", () => {
  everySession((session, entries) => {
    const again = sessionOf(JSON.parse(JSON.stringify(entries)) as Entry[]);
    return [...session.entries()].flatMap((place) => {
      const twin = again.find(place.entry.id) as Place;
      const same = refOf(place) === refOf(twin) && view(session, place).hash() === view(again, twin).hash();
      return same ? [] : [`${place.entry.id} differs`];
    });
  });
});

test("illegal decisions change nothing and count in no ordinal", () => {
  everySession((session) =>
    [...session.entries()].flatMap((place) => {
      if (place.illegal === undefined || !place.parent) return [];
      const same = view(session, place).hash() === view(session, place.parent).hash() && place.blocks === place.parent.blocks && refOf(place) === undefined;
      return same ? [] : [`${place.entry.id} counts though it is illegal: ${place.illegal}`];
    }),
  );
});

test("a refused decision leaves the session as it was", () => {
  everySession((_, entries) => {
    const strict = new Session({ id: "strict", format: "palimpsest" });
    const kept: Entry[] = [];
    for (const entry of entries) {
      const before = strict.size;
      if (strict.append(entry) === undefined) kept.push(entry);
      else if (strict.size !== before || strict.find(entry.id)) return [`${entry.id} was refused and kept`];
    }
    const clean = sessionOf(kept);
    return kept
      .flatMap(({ id }) => (view(strict, strict.find(id) as Place).hash() === view(clean, clean.find(id) as Place).hash() ? [] : [`${id} differs`]))
      .concat(strict.illegal.length > 0 ? ["an illegal decision was appended"] : []);
  });
});

test("an original whose call asked for a summary is never shown", () => {
  everySession(shownOriginals);
});

test("a range of ours keeps the message that the user typed last", () => {
  everySession(hiddenNewestUsers);
});

test("the generator makes what the promises are about", () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const entries of fc.sample(arbitrarySession({ size: 40 }), { numRuns: 200, seed: 7 })) {
    const session = sessionOf(entries);
    if (session.heads().length > 1) count("branches");
    for (const place of session.entries()) {
      const { data } = place.entry;
      if (isDecision(data)) count(place.illegal === undefined ? data.kind : `illegal ${data.kind}`);
    }
    for (const { view: shown } of allViews(session)) for (const item of shown) count(`shown ${item.kind}`);
    for (const { view: shown } of allViews(session)) for (const item of shown) if (itemText(item).includes("there is none yet")) count("a-priori");
  }
  for (const what of [
    "branches",
    "condense",
    "replace",
    "fold",
    "compact",
    "molt",
    "revert",
    "epoch",
    "notice",
    "illegal condense",
    "illegal compact",
    "illegal revert",
    "shown stub",
    "shown late",
    "shown placeholder",
    "shown block",
    "shown notice",
    "shown prompt",
    "a-priori",
  ])
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(5);
});
