// What is looked up on the way is what is looked up at the end: nothing is missed, counted twice or out of order.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, entryId, Session, textBody } from "./index.ts";

/** An entry of a record of several, a call or a marker, below any earlier one. */
interface Step {
  readonly above: number;
  readonly record: number;
  readonly call: number | null;
  /** Whether somebody asks behind it. */
  readonly asks: boolean;
}

const steps = fc.array(fc.record({ above: fc.nat(), record: fc.nat(3), call: fc.option(fc.nat(2)), asks: fc.boolean() }) satisfies fc.Arbitrary<Step>, {
  minLength: 1,
  maxLength: 20,
});

function entryAt(index: number, { above, record, call }: Step, before: readonly Entry[]): Entry {
  const parent = before[above % (before.length + 1)]?.id ?? null;
  const data = call === null ? ({ kind: "marker", what: "m" } as const) : ({ kind: "call", callId: `c${call}`, tool: "read", input: textBody("{}") } as const);
  return { id: entryId(`r${record}#${index}`), parent, data };
}

test("by record, by call id and as heads, however often somebody asked before", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const session = new Session({ id: "s", format: "palimpsest" });
      const entries: Entry[] = [];
      for (const [index, step] of list.entries()) {
        const entry = entryAt(index, step, entries);
        expect(session.load(entry)).toBeUndefined();
        expect(session.last?.entry.id).toBe(entry.id);
        entries.push(entry);
        if (step.asks) check(session, entries);
      }
      check(session, entries);
    }),
  );
});

function check(session: Session, entries: readonly Entry[]): void {
  const ids = (places: Iterable<{ readonly entry: Entry }>) => Array.from(places, ({ entry }) => entry.id);
  for (const record of ["r0", "r1", "r2", "r3", "r4"])
    expect(ids(session.named(record))).toEqual(entries.filter(({ id }) => id.startsWith(`${record}#`)).map(({ id }) => id));
  for (const callId of ["c0", "c1", "c2", "c3"])
    expect(ids(session.withCallId(callId))).toEqual(entries.filter(({ data }) => data.kind === "call" && data.callId === callId).map(({ id }) => id));
  const shown = entries.filter(({ data }) => data.kind === "call");
  const isAbove = (above: Entry, below: Entry) => {
    for (let at = parentOf(below, entries); at; at = parentOf(at, entries)) if (at === above) return true;
    return false;
  };
  const heads = shown.filter((entry) => !shown.some((below) => isAbove(entry, below))).map(({ id }) => id);
  expect(ids(session.heads()).sort()).toEqual([...heads].sort());
}

function parentOf({ parent }: Entry, entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ id }) => id === parent);
}
