// What Claude Code records of its own compactions, complete or not, as decisions by the host.
import { describe, expect, test } from "vitest";
import { answers, assistant, calls, progress, read, said, story, system, told, user } from "../../../test/build/claude-records.ts";
import { bodyText } from "../../session/index.ts";

describe("compactions by the host", () => {
  const boundary = (uuid: string, behind: string | undefined) =>
    system(uuid, null, "compact_boundary", behind === undefined ? {} : { logicalParentUuid: behind });
  const summary = (uuid: string, parent: string | null, text: unknown) => user(uuid, parent, text, { isCompactSummary: true });
  const start = [user("u", null, "go"), assistant("a", "u", "m/r", [said("one")])];

  test("a boundary and the summary behind it are one, across the cut that the parents show", async () => {
    const { session } = await read(...start, progress("h", "a"), boundary("b", "a"), progress("p", "b"), summary("s", "p", "so far"), user("v", "s", "more"));
    expect(story(session)).toEqual(["user: go", "assistant: one", "compact: so far", "epoch host of b#0", "user: more"]);
    expect(session.find(session.path()[2]?.entry.id ?? ("" as never))?.entry.records?.map(({ line }) => line)).toEqual([4, 6]);
    expect(session.illegal).toEqual([]);
  });

  test("a boundary alone, and three of which one has a summary", async () => {
    const { session } = await read(
      ...start,
      boundary("b", "a"),
      user("v", "b", "more"),
      boundary("c", "v"),
      assistant("s", "c", "x", [said("so"), said("far")], { isCompactSummary: true }),
      user("w", "s", "again"),
      boundary("d", "w"),
    );
    expect(story(session)).toEqual([
      "user: go",
      "assistant: one",
      "compact: null",
      "epoch host of b#0",
      "user: more",
      "compact: so\nfar",
      "epoch host of c#0",
      "user: again",
      "compact: null",
      "epoch host of d#0",
    ]);
  });

  test("a summary without a boundary, and a second one behind it, are messages of the host's", async () => {
    const { session } = await read(...start, summary("s", "a", "lost"), boundary("b", "s"), summary("t", "b", "so far"), summary("x", "b", "twice"));
    expect(story(session)).toEqual(["user: go", "assistant: one", "user derived: lost", "compact: so far", "epoch host of b#0", "user derived: twice"]);
  });

  test("where nothing stands before it there is nothing to hide: the summary is shown", async () => {
    const { session } = await read(progress("p", null), boundary("b", "gone"), summary("s", "b", "so far"), user("v", "s", "more"));
    expect(story(session)).toEqual(["user derived: so far", "user: more"]);
    expect(session.illegal).toEqual([]);
    const { session: bare } = await read(boundary("b", undefined), user("v", "b", "more"));
    expect([...bare.entries()].map(told)).toEqual(["marker system/compact_boundary", "user: more"]);
  });

  test("the newest compaction is the head, whatever else hangs below the last message", async () => {
    const { session } = await read(...start, progress("h", "a"), boundary("b", "a"), summary("s", "b", "so far"), progress("i", "h"));
    expect(story(session)).toEqual(["user: go", "assistant: one", "compact: so far", "epoch host of b#0"]);
  });

  test("results that were cleared: one replacement each, of those that are on the path", async () => {
    const cleared = (uuid: string, parent: string, list: unknown) =>
      system(uuid, parent, "microcompact_boundary", { microcompactMetadata: { compactedToolIds: list } });
    const { session } = await read(
      user("u", null, "go"),
      assistant("a", "u", "m1/r1", [calls("t1"), calls("t2"), calls("t3")]),
      user("r", "a", [answers("t1"), answers("t2"), answers("t3")]),
      assistant("b", "r", "m2/r2", [said("ok")]),
      cleared("c", "b", ["t1", "unknown", 5, "t3"]),
      cleared("d", "c", ["unknown"]),
      cleared("e", "d", "none"),
    );
    expect(session.path().slice(-5).map(told)).toEqual([
      "replace r#0 by unknown",
      "replace r#2 by unknown",
      "epoch host of c#0, c#1",
      "marker system/microcompact_boundary",
      "marker system/microcompact_boundary",
    ]);
    const last = session.path().at(-1)?.entry.data;
    expect(last?.kind === "marker" && last.raw && bodyText(last.raw)).toContain("compactedToolIds");
  });
});
