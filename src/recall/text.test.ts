// What recall prints of an original, and what a search finds in it.
import { expect, test } from "vitest";
import { type Body, entryId, type Ref, Session, SourceChangedError, sha256, textBody } from "../session/index.ts";
import { originalText, recall, refSpans, searchSession } from "./index.ts";

const spilled = (text: string, isThere: boolean): Body => ({
  sha256: sha256(text),
  bytes: text.length,
  chars: text.length,
  at: {
    source: {
      name: "out.txt",
      read: (start, end) => {
        if (!isThere) throw new SourceChangedError("out.txt", start, end, "no file");
        return Buffer.from(text);
      },
    },
    start: 0,
    end: text.length,
    pick: "whole",
  },
});

function sessionWith(full: Body): Session {
  const session = new Session({ id: "s", format: "test" });
  const preview = [{ type: "text", body: textBody("first\nrest is in a file") }] as const;
  session.load({ id: entryId("c"), parent: null, data: { kind: "call", callId: "1", tool: "bash", input: textBody("{}") } });
  session.load({ id: entryId("r"), parent: entryId("c"), data: { kind: "result", callId: "1", tool: "bash", status: "ok", blocks: preview, full } });
  return session;
}

test("the whole output is recalled and searched, not the preview", () => {
  const session = sessionWith(spilled("first\nsecond\nthird needle", true));
  const found = recall(session, "t1");
  expect("kind" in found ? found : found.map(originalText)).toEqual(["first\nsecond\nthird needle"]);
  expect([...searchSession(session, "needle")]).toEqual([{ entry: "r", ref: "t1", where: "bash result", line: 3, text: "third needle" }]);
});

test("a search goes on over a whole output whose file is gone", () => {
  const session = sessionWith(spilled("gone", false));
  expect([...searchSession(session, "rest")].map(({ ref, line }) => `${ref}:${line}`)).toEqual(["t1:2"]);
});

test.each([
  [[], ""],
  [["t3"], "t3"],
  [["t3", "t4"], "t3, t4"],
  [["t1", "t3", "t4", "t5", "t9"], "t1, t3 to t5, t9"],
  [["t9", "t10", "t11", "b1", "b2", "b3"], "t9 to t11, b1 to b3"],
] as const)("refs %j in spans: %s", (refs, spans) => {
  expect(refSpans(refs as readonly Ref[])).toBe(spans);
});
