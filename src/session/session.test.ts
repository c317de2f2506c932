import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Log, text } from "../../test/build/log.ts";
import {
  ancestorAt,
  bodyText,
  entryId,
  isOnPath,
  type Place,
  pointedBody,
  recordId,
  refOf,
  Session,
  type Source,
  SourceChangedError,
  sha256,
  textBody,
} from "./index.ts";

describe("the tree", () => {
  test("refs are ordinals on the path: each branch counts for itself", () => {
    const log = new Log();
    const root = log.user("go");
    const one = log.step("c1", "one");
    const two = log.step("c2", "two");
    log.at(root);
    const other = log.step("c3", "other");
    expect([one, two, other].map(refOf)).toEqual(["t1", "t2", "t1"]);
    expect(log.session.resolve("t1", two)).toBe(one);
    expect(log.session.resolve("t1", other)).toBe(other);
    expect(log.session.resolve("t2", other)).toBeUndefined();
    expect(log.session.resolve("t0", two)).toBeUndefined();
    expect(log.session.heads().map((place) => place.entry.id)).toEqual([two.entry.id, other.entry.id]);
  });

  test("several roots, side chains and trailing markers", () => {
    const log = new Log();
    const first = log.user("one");
    log.add({ kind: "marker", what: "label" });
    log.at(null);
    const second = log.user("two");
    log.session.append({ id: entryId("side"), parent: second.entry.id, side: true, data: { kind: "message", role: "user", blocks: [] } });
    log.at(second);
    const end = log.assistant("answer");
    log.add({ kind: "marker", what: "title" });
    expect(log.session.heads()).toEqual([first, end]);
    expect(log.session.head?.entry.data.kind).toBe("marker");
    log.session.continueAt(first.entry.id);
    expect(log.session.head).toBe(first);
  });

  test("an ancestor is found at any depth, and only on the path", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 300 }), (parents) => {
        const session = new Session({ id: "s", format: "palimpsest" });
        const places: Place[] = [];
        for (const [index, wish] of parents.entries()) {
          const parent = index === 0 ? null : (places[Math.max(wish % index, index - 1 - (wish % 3))] as Place);
          session.append({ id: entryId(String(index)), parent: parent?.entry.id ?? null, data: { kind: "marker", what: "m" } });
          places.push(session.find(entryId(String(index))) as Place);
        }
        const place = places.at(-1) as Place;
        const path = session.path(place);
        for (const [depth, above] of path.entries()) expect(ancestorAt(place, depth)).toBe(above);
        expect(ancestorAt(place, -1)).toBeUndefined();
        expect(ancestorAt(place, place.depth + 1)).toBeUndefined();
        for (const other of places) expect(isOnPath(other, place)).toBe(path.includes(other));
      }),
    );
  });

  test("what a person writes names an entry, or all entries of a record", () => {
    const session = new Session({ id: "s", format: "pi" });
    session.append({ id: entryId("r1#0"), parent: null, data: { kind: "message", role: "assistant", blocks: [] } });
    session.append({ id: entryId("r1#1"), parent: entryId("r1#0"), data: { kind: "call", callId: "c", tool: "read", input: textBody("{}") } });
    session.append({ id: entryId("r2"), parent: entryId("r1#1"), data: { kind: "result", callId: "c", tool: "read", status: "ok", blocks: [] } });
    expect(session.named("r1").map((place) => place.entry.id)).toEqual(["r1#0", "r1#1"]);
    expect(session.named("r1#1")).toHaveLength(1);
    expect(session.named("r2")).toHaveLength(1);
    expect(session.named("r3")).toEqual([]);
    expect(session.withCallId("c").map((place) => place.entry.data.kind)).toEqual(["call", "result"]);
    expect([recordId(entryId("a#3")), recordId(entryId("a#b")), recordId(entryId("#1"))]).toEqual(["a", "a#b", "#1"]);
  });
});

describe("what is refused changes nothing", () => {
  function session() {
    const log = new Log();
    const user = log.user("go");
    const one = log.step("c1", "one");
    const answer = log.assistant("done");
    return { log, user, one, answer };
  }

  test("an id used twice, a parent that is not there", () => {
    const { log, user } = session();
    expect(log.session.append({ ...user.entry })?.code).toBe("duplicate-id");
    expect(log.session.append({ id: entryId("x"), parent: entryId("nowhere"), data: { kind: "marker", what: "m" } })?.code).toBe("missing-parent");
    expect(log.session.size).toBe(5);
  });

  test.each([
    [
      "an unknown target",
      { kind: "condense", targets: [entryId("no")], stubs: [textBody("s")], summary: textBody("b"), by: "extractive" },
      "no is not before it on the path",
    ],
    ["no target", { kind: "condense", targets: [], stubs: [], summary: textBody("b"), by: "extractive" }, "it hides no fact"],
    ["a stub too few", { kind: "condense", targets: [entryId("e3")], stubs: [], summary: textBody("b"), by: "extractive" }, "0 stubs for 1 targets"],
    [
      "a target twice",
      { kind: "condense", targets: [entryId("e3"), entryId("e3")], stubs: [textBody("s"), textBody("s")], summary: textBody("b"), by: "extractive" },
      "names a target twice",
    ],
    [
      "a message as a result",
      { kind: "condense", targets: [entryId("e0")], stubs: [textBody("s")], summary: textBody("b"), by: "extractive" },
      "e0 is no result",
    ],
    [
      "arguments for a message",
      { kind: "replace", target: entryId("e0"), body: { as: "input", input: textBody("{}") }, by: "agent", mode: "arguments" },
      "e0 is no call",
    ],
    [
      "blocks for a call",
      { kind: "replace", target: entryId("e2"), body: { as: "blocks", blocks: [text("x")] }, by: "agent", mode: "prune" },
      "only its arguments",
    ],
    ["nothing in place of something", { kind: "replace", target: entryId("e3"), body: { as: "nothing" }, by: "agent", mode: "prune" }, "without a trace"],
    ["a range of nothing", { kind: "fold", from: entryId("e0"), to: entryId("e0"), kept: [], body: textBody("b1"), by: "extractive" }, "it hides no fact"],
    [
      "a range that keeps a call",
      { kind: "fold", from: entryId("e1"), to: entryId("e3"), kept: [entryId("e2")], body: textBody("b1"), by: "extractive" },
      "e2 is no message that can be kept",
    ],
    ["a revert of a fact", { kind: "revert", of: entryId("e3") }, "e3 is no decision"],
    ["a revert of nothing", { kind: "revert", of: entryId("zz") }, "zz is not before it"],
  ] as const)("%s", (_, decision, message) => {
    const { log } = session();
    expect(log.refused(decision)).toContain(message);
    expect(log.session.size).toBe(5);
    expect(log.session.illegal).toEqual([]);
  });

  test("a decision on another branch is none on this one", () => {
    const { log, user, one } = session();
    log.at(user);
    log.assistant("another way");
    expect(log.refused({ kind: "condense", targets: [one.entry.id], stubs: [textBody("s")], summary: textBody("b"), by: "extractive" })).toContain(
      "is not before it on the path",
    );
  });

  test("recorded, an illegal decision stays, is listed, and counts in no ordinal", () => {
    const { log, one } = session();
    log.load({ kind: "condense", targets: [entryId("no")], stubs: [textBody("s")], summary: textBody("b"), by: "extractive" });
    const legal = log.condense([one]);
    expect(log.session.illegal).toEqual([{ entry: "e5", message: "condense: no is not before it on the path" }]);
    expect(refOf(legal)).toBe("b1");
    expect(log.refused({ kind: "revert", of: entryId("e5") })).toContain("is itself illegal");
    expect(log.refused({ kind: "revert", of: legal.entry.id, targets: [entryId("e0")] })).toContain("is not covered");
  });

  test("replacing results counts in no `bN`, replacing messages and calls does", () => {
    const { log, one, user } = session();
    const replace = (place: Place) =>
      log.add({ kind: "replace", target: place.entry.id, body: { as: "blocks", blocks: [text("x")] }, by: "agent", mode: "prune" });
    expect(refOf(replace(one))).toBeUndefined();
    expect(refOf(replace(user))).toBe("b1");
  });
});

describe("bodies", () => {
  const source = (content: string): Source => ({ name: "f.jsonl", read: (start, end) => Buffer.from(content).subarray(start, end) });

  test("stay in their record until they are read", () => {
    const long = "ä".repeat(500);
    const record = JSON.stringify({ message: { content: [{ text: long }] } });
    const body = pointedBody(long, { source: source(record), start: 0, end: Buffer.byteLength(record), pick: ["message", "content", 0, "text"] });
    expect(typeof body.at).toBe("object");
    expect(bodyText(body)).toBe(long);
    expect([body.bytes, body.chars, body.sha256]).toEqual([1000, 500, sha256(long)]);
    expect(pointedBody("short", { source: source("{}"), start: 0, end: 2, pick: ["x"] }).at).toBe("short");
  });

  test("a source that changed is named, not guessed at", () => {
    const long = "x".repeat(500);
    const record = JSON.stringify({ text: long });
    const at = { source: source(JSON.stringify({ text: "shorter" })), start: 0, end: record.length, pick: ["text"] };
    expect(() => bodyText(pointedBody(long, at))).toThrow(SourceChangedError);
    expect(() => bodyText(pointedBody(long, { ...at, source: source("not json") }))).toThrow(/bytes 0 to 511: expected the bytes read before/);
  });

  test("a lone surrogate counts as U+FFFD", () => {
    expect(sha256("\ud83d")).toBe(sha256("\ufffd"));
  });
});
