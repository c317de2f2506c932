// Records in any order, with any parents, ids and copies: whatever tree comes of them, it holds all that they say.
import fc from "fast-check";
import { expect, test } from "vitest";
import { answers, assistant, type ClaudeRecord, calls, progress, read, said, system, user } from "../../../test/build/claude-records.ts";
import { type Block, bodyText, type Session } from "../../session/index.ts";

interface Shape {
  readonly kind: "user" | "assistant" | "result" | "progress" | "boundary" | "summary" | "microcompact";
  readonly uuid: string | undefined;
  readonly parent: string | null | undefined;
  readonly response: string;
  readonly side: boolean;
  /** Says again what an earlier record said, under its own uuid and parent. */
  readonly again: number | undefined;
}

const uuids = ["a", "b", "c", "d", "e", "f", "b#0", "@0"];
const shape: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constantFrom("user", "assistant", "assistant", "result", "result", "progress", "boundary", "summary", "microcompact"),
  uuid: fc.option(fc.constantFrom(...uuids), { nil: undefined, freq: 8 }),
  parent: fc.oneof(fc.constantFrom<string | null | undefined>(...uuids, "gone"), fc.constantFrom<string | null | undefined>(null, undefined)),
  response: fc.constantFrom("m1/r1", "m1/r2", "m2/r1", "m1"),
  side: fc.boolean(),
  again: fc.option(fc.nat(20), { nil: undefined, freq: 2 }),
});

function recordOf({ kind, uuid, parent, response, side }: Shape, text: string): ClaudeRecord {
  const more = { uuid, parentUuid: parent, isSidechain: side };
  switch (kind) {
    case "user":
      return user("", null, text, more);
    case "assistant":
      return assistant("", null, response, [said(text), calls("t1", "Bash", { text })], more);
    case "result":
      return user("", null, [answers("t1", text), answers("t2", `${text} too`)], more);
    case "progress":
      return { ...progress("", null), ...more };
    case "boundary":
      return system("", null, "compact_boundary", { ...more, parentUuid: null, logicalParentUuid: parent });
    case "summary":
      return user("", null, text, { ...more, isCompactSummary: true });
    case "microcompact":
      return system("", null, "microcompact_boundary", { ...more, microcompactMetadata: { compactedToolIds: ["t1"] } });
  }
}

/** All texts of a session, those of compactions' summaries and of calls too. */
function textsOf(session: Session): Set<string> {
  const texts = new Set<string>();
  const take = (blocks: readonly Block[]) => {
    for (const block of blocks) if (block.type === "text") texts.add(bodyText(block.body));
  };
  for (const { entry } of session.entries()) {
    const { data } = entry;
    if (data.kind === "message" || data.kind === "result") take(data.blocks);
    if (data.kind === "call") texts.add(bodyText(data.input));
    if (data.kind === "compact" && data.summary) texts.add(bodyText(data.summary));
  }
  return texts;
}

function textsIn({ message }: ClaudeRecord): string[] {
  const { content } = (message ?? { content: [] }) as { content: string | Record<string, unknown>[] };
  if (typeof content === "string") return [content];
  return content.map((block) => String(block.text ?? block.content ?? JSON.stringify(block.input)));
}

test("every text is there, every record is an entry's or named, and there is a head", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 25 }), async (shapes) => {
      const texts = shapes.map(({ again }, index) => (again !== undefined && again < index ? `says ${again}` : `says ${index}`));
      const records = [user("start", null, "go"), ...shapes.map((each, index) => recordOf(each, texts[index] as string))];
      const { session, diagnostics } = await read(...records);

      const told = textsOf(session);
      expect(records.flatMap(textsIn).filter((text) => !told.has(text))).toEqual([]);

      const lines = new Set([...session.entries()].flatMap(({ entry }) => entry.records?.map(({ line }) => line) ?? []));
      for (const { code, line } of diagnostics) if (code === "duplicate-id" || code === "replay") lines.add(line);
      expect(records.map((_, index) => index + 1).filter((line) => !lines.has(line))).toEqual([]);

      expect(session.illegal).toEqual([]);
      expect(session.heads().length).toBeGreaterThan(0);
      expect(session.heads().some(({ entry }) => entry.side)).toBe(false);
    }),
    { numRuns: 400 },
  );
});
