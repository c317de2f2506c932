// What a forked or resumed session took over: recorded cases, and each way to know a copy by hand.
import { describe, expect, test } from "vitest";
import { text } from "../../test/build/log.ts";
import { type Expected, vectorCases } from "../../test/formats/vectors.ts";
import { type EntryId, entryId, type Fact, Session, textBody } from "../session/index.ts";
import { copiedHistory, openSession } from "./index.ts";

type Row = readonly [id: string, data: Fact, time?: number];

/** A session of these facts, one below the other. */
function session(...rows: readonly Row[]): Session {
  const made = new Session({ id: "made", format: "claude-code" });
  let parent: EntryId | null = null;
  for (const [id, data, time] of rows) {
    const refusal = made.append({ id: entryId(id), parent, data, ...(time !== undefined && { time }) });
    if (refusal) throw new Error(refusal.message);
    parent = entryId(id);
  }
  return made;
}

const user = (content: string): Fact => ({ kind: "message", role: "user", blocks: [text(content)] });
const answer = (content: string, messageId?: string): Fact => ({
  kind: "message",
  role: "assistant",
  blocks: [text(content)],
  ...(messageId !== undefined && { messageId }),
});
const usage = (input: number, messageId?: string): Fact => ({
  kind: "usage",
  input,
  cacheRead: 2 * input,
  cacheWrite: 3 * input,
  output: 1,
  ...(messageId !== undefined && { messageId }),
});
const uuid = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;

describe("recorded", () => {
  const cases = vectorCases("claude-code").filter(({ expected }) => expected.acrossFiles);

  test("the two cases are there", () => {
    expect(cases.map(({ name }) => name)).toEqual(["fork-session-rewritten-id", "resume-copies-history"]);
  });

  test.each(cases)("$name", async ({ files, expected }) => {
    const across = expected.acrossFiles as NonNullable<Expected["acrossFiles"]>;
    const [copy, original] = await Promise.all(files.map(({ path }) => openSession(path)));
    if (!copy || !original) throw new Error("two files expected");
    const { copied, added, usage } = copiedHistory(original.session, copy.session);
    const shown = copy.session.path().filter(({ entry }) => expected.facts.some(({ kind }) => kind === entry.data.kind));
    const indexes = (ids: readonly EntryId[]) => shown.flatMap(({ entry }, index) => (ids.includes(entry.id) ? [index] : []));
    expect(original.session.identity.id).toBe(across.copyOf);
    expect(indexes(copied)).toEqual(across.copiedFacts);
    expect(indexes(added)).toEqual(across.newFacts);
    expect(usage).toEqual(across.usageTotalsOnce);
    copy.close();
    original.close();
  });
});

describe("a copy is known", () => {
  test("by its record's id where that is unique, whatever else differs", () => {
    const first = session([`${uuid(1)}#0`, answer("half"), 1], [`${uuid(1)}#1`, usage(5), 1]);
    const second = session([`${uuid(1)}#0`, answer("half of it"), 2], [`${uuid(1)}#1`, usage(7), 2], [uuid(2), user("new"), 1]);
    expect(copiedHistory(first, second)).toEqual({
      copied: [`${uuid(1)}#0`, `${uuid(1)}#1`],
      added: [uuid(2)],
      possible: [],
      usage: { input: 5, cacheRead: 10, cacheWrite: 15, output: 1, reports: 1 },
    });
  });

  test("not by content where ids differ", () => {
    expect(copiedHistory(session([uuid(1), answer("a", "m1"), 1]), session([uuid(2), answer("a", "m1"), 1])).added).toEqual([uuid(2)]);
  });

  test("by a short id only together with time and content", () => {
    const first = session(["a1b2c3d4", user("a"), 1], ["b1b2c3d4", user("b"), 1], ["c1b2c3d4", user("c"), 1]);
    const second = session(["a1b2c3d4", user("a"), 1], ["b1b2c3d4", user("another"), 1], ["c1b2c3d4", user("c"), 2]);
    expect(copiedHistory(first, second)).toMatchObject({ copied: ["a1b2c3d4"], added: ["b1b2c3d4", "c1b2c3d4"] });
  });

  test("without an id by its response's, each kind for itself", () => {
    const first = session(["@0", answer("a", "m1"), 1], ["@50", usage(5, "m2"), 1]);
    const second = session(["@9", answer("a, longer", "m1"), 2], ["@60", usage(9, "m2"), 2], ["@70", answer("b", "m2"), 3]);
    expect(copiedHistory(first, second)).toMatchObject({ copied: ["@9", "@60"], added: ["@70"], usage: { input: 5, reports: 1 } });
  });

  test("without either by role, time and content, wherever it lies", () => {
    const first = session(["@0", user("a"), 1], ["@10", user("b"), 2], ["@20", user("c"), 3], ["@30", answer("d"), 4]);
    const second = session(["@5", user("a"), 1], ["@15", user("b"), 9], ["@25", user("other"), 3], ["@35", user("d"), 4]);
    expect(copiedHistory(first, second)).toMatchObject({ copied: ["@5"], added: ["@15", "@25", "@35"] });
  });

  test("never by content without a time, nor by an offset: it is kept, as a possible copy", () => {
    const first = session(["@0", user("yes")], [uuid(1), answer("fine"), 1]);
    const second = session(["@0", user("yes")], ["@9", user("no")], ["@12", answer("fine")], [uuid(2), user("yes")], ["@30", user("yes"), 5]);
    expect(copiedHistory(first, second)).toMatchObject({ copied: [], added: ["@0", "@9", "@12", uuid(2), "@30"], possible: ["@0", "@12"] });
  });

  test("though its text lies elsewhere and the whole output is gone", () => {
    const result = (at: Fact & { kind: "result" }): Row => ["@0", at, 1];
    const base = { kind: "result", callId: "c", tool: "read", status: "ok", blocks: [text("preview")] } as const;
    const first = session(result({ ...base, full: textBody("all of it") }));
    const moved = { ...textBody("preview"), at: { source: { name: "f", read: () => new Uint8Array() }, start: 0, end: 7, pick: "whole" } } as const;
    const second = session(result({ ...base, blocks: [{ type: "text", body: moved }] }));
    expect(copiedHistory(first, second).copied).toEqual(["@0"]);
  });
});

test("usage: the last report on a response holds, each session's own responses count", () => {
  const first = session([uuid(1), usage(1, "m1")], [uuid(2), usage(10, "m1")], [uuid(3), usage(100)]);
  const second = session([uuid(3), usage(100)], [uuid(4), usage(1000)], [uuid(5), usage(1000)]);
  expect(copiedHistory(first, second).usage).toEqual({ input: 2110, cacheRead: 4220, cacheWrite: 6330, output: 4, reports: 4 });
});

test("decisions are neither copied nor added", () => {
  const first = session([uuid(1), user("a")]);
  const second = session([uuid(1), user("a")]);
  second.append({ id: entryId(uuid(2)), parent: entryId(uuid(1)), data: { kind: "notice", code: "n", text: textBody("n") } });
  expect(copiedHistory(first, second)).toMatchObject({ copied: [uuid(1)], added: [] });
});
