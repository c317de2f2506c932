// Pi 1.6.0 itself says what it would send; our view must say the same.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openSession } from "../../src/formats/index.ts";
import { ourRequest, piEntries, piRequest, withLateLines } from "./messages.ts";
import { arbitraryPiSession } from "./pi-sessions.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-oracle-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("generated sessions: at every record our view is what Pi projects, message by message", async () => {
  const path = join(folder, "session.jsonl");
  await fc.assert(
    fc.asyncProperty(arbitraryPiSession(), async (records) => {
      const content = `${records.map((record) => JSON.stringify(record)).join("\n")}\n`;
      writeFileSync(path, content);
      const { session, close } = await openSession(path);
      try {
        const entries = piEntries(content);
        for (const { id } of entries) {
          const ours = ourRequest(session, session.named(id).at(-1) ?? null);
          expect({ id, ...ours }).toEqual({ id, ...withLateLines(piRequest(entries, id), ours) });
        }
      } finally {
        close();
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 300) },
  );
});

const corpus = fileURLToPath(new URL("../../../shared/corpus/pi/", import.meta.url));
const recordings = existsSync(corpus) ? readdirSync(corpus) : [];
if (recordings.length === 0) console.warn("SKIPPED: the recordings that Pi's own projection is compared on are not there");

/** A file's lines with records glued on one line parted, as Pi drops such a line. */
function parted(content: string): string {
  return content
    .split("\n")
    .flatMap((line) => {
      try {
        JSON.parse(line);
        return [line];
      } catch {
        const cut = [...line.matchAll(/\}(?=\{"type":")/g)].map((match) => match.index + 1).find((at) => isJson(line.slice(0, at)) && isJson(line.slice(at)));
        return cut === undefined ? [line] : [line.slice(0, cut), line.slice(cut)];
      }
    })
    .join("\n");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each(recordings)("recording %s: our view is what Pi projects after its own migration", async (name) => {
  const { session, close } = await openSession(join(corpus, name));
  const entries = piEntries(parted(readFileSync(join(corpus, name), "utf8")));
  const ours = ourRequest(session, session.head);
  const pi = withLateLines(piRequest(entries, undefined), ours);
  expect(ours.messages.length).toBe(pi.messages.length);
  expect(ours.messages.length).toBeGreaterThan(0);
  for (const [index, message] of ours.messages.entries()) expect({ index, ...message }).toEqual({ index, ...pi.messages[index] });
  expect(ours).toEqual(pi);
  close();
});

test("an edit of a record that Pi composed itself, or an empty branch summary, changes nothing", async () => {
  const path = join(folder, "composed.jsonl");
  const records = [
    { type: "session", version: 3, id: "s", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/" },
    { type: "branch_summary", id: "a", parentId: null, fromId: "root", summary: "tried" },
    { type: "branch_summary", id: "b", parentId: "a", fromId: "root", summary: "" },
    { type: "context_edit", id: "c", parentId: "b", targetId: "a", replacement: { content: "edited" } },
    { type: "message", id: "d", parentId: "c", message: { role: "user", content: "go on", timestamp: 1 } },
  ];
  const content = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(path, content);
  const { session, diagnostics, close } = await openSession(path);
  expect(ourRequest(session, session.head)).toEqual(piRequest(piEntries(content), "d"));
  expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["ignored-edit 4"]);
  close();
});
