import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyText, type Entry, isDecision, refOf, type Session } from "../../src/session/index.ts";
import { arbitrarySession, entriesOf, sessionOf } from "./sessions.ts";

const SAMPLE: readonly (readonly Entry[])[] = fc.sample(arbitrarySession({ size: 40 }), { numRuns: 300, seed: 1 });

/** How many of the sampled sessions hold what `test` looks for. */
function sessionsWith(test: (session: Session) => boolean): number {
  return SAMPLE.filter((entries) => test(sessionOf(entries))).length;
}

function hasEntry(test: (entry: Entry) => boolean): (session: Session) => boolean {
  return (session) => [...session.entries()].some((place) => test(place.entry));
}

describe("generated sessions", () => {
  test("hold everything that a log can hold", () => {
    const kinds = [
      "prompt",
      "message",
      "call",
      "result",
      "usage",
      "failure",
      "marker",
      "condense",
      "replace",
      "fold",
      "compact",
      "molt",
      "revert",
      "epoch",
      "notice",
      "attempt",
    ];
    for (const kind of kinds) expect(sessionsWith(hasEntry((entry) => entry.data.kind === kind)), kind).toBeGreaterThan(20);
    for (const kind of ["condense", "replace", "fold", "compact", "molt", "revert"])
      expect(
        sessionsWith((session) => [...session.entries()].some((place) => place.entry.data.kind === kind && place.illegal === undefined)),
        kind,
      ).toBeGreaterThan(20);
    expect(sessionsWith((session) => session.illegal.length > 0)).toBeGreaterThan(20);
    expect(sessionsWith((session) => session.heads().length > 1)).toBeGreaterThan(20);
    expect(sessionsWith((session) => [...session.entries()].filter((place) => place.parent === null).length > 1)).toBeGreaterThan(20);
    expect(sessionsWith(hasEntry((entry) => entry.side === true))).toBeGreaterThan(20);
    expect(sessionsWith(hasEntry((entry) => entry.data.kind === "call" && entry.data.summarize === true))).toBeGreaterThan(20);
    expect(sessionsWith(hasEntry((entry) => entry.data.kind === "result" && entry.data.blocks.some((block) => block.type === "image")))).toBeGreaterThan(20);
    expect(sessionsWith(hasTwins)).toBeGreaterThan(20);
  });

  test("name in each body the ref that the session gives", () => {
    for (const entries of SAMPLE) {
      const session = sessionOf(entries);
      for (const place of session.entries()) {
        const { data } = place.entry;
        if (!isDecision(data) || place.illegal !== undefined) continue;
        if (data.kind === "fold") expect(bodyText(data.body)).toMatch(new RegExp(`^${refOf(place)} `));
        if (data.kind === "molt") expect(bodyText(data.briefing)).toMatch(new RegExp(`^${refOf(place)} `));
        if (data.kind === "compact" && data.summary) expect(bodyText(data.summary)).toMatch(new RegExp(`^${refOf(place)} `));
        if (data.kind !== "condense") continue;
        expect(bodyText(data.summary)).toMatch(new RegExp(`^${refOf(place)} `));
        for (const [n, id] of data.targets.entries()) {
          const target = session.find(id);
          expect(bodyText(data.stubs[n] ?? expect.fail())).toMatch(new RegExp(`^${target && refOf(target)} `));
        }
      }
    }
  });

  test("are the same for the same commands, and one command less is a session too", () => {
    expect(entriesOf([])).toEqual([]);
    const step = { do: "step", calls: [{ id: 1, summarize: false, outcome: "twice", shape: "short" }], turn: 0, between: "nothing" } as const;
    expect(entriesOf([step]).map((entry) => entry.data.kind)).toEqual(["message", "call", "result", "result"]);
    expect(entriesOf([step])).toEqual(entriesOf([step]));
  });
});

/** Two calls with one id in one batch. */
function hasTwins(session: Session): boolean {
  return [...session.entries()].some(({ entry, assistant, parent }) => {
    const { data } = entry;
    if (data.kind !== "call") return false;
    for (let at = parent; at && at !== assistant; at = at.parent) if (at.entry.data.kind === "call" && at.entry.data.callId === data.callId) return true;
    return false;
  });
}
