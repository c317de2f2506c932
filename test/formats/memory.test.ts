import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MemorySession, openSession } from "../../src/formats/index.ts";
import { recall, textOf } from "../../src/recall/index.ts";
import { view } from "../../src/view/index.ts";

const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));
const records = readFileSync(example, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { id?: string });

test("records in memory give the session that their file gives, view and originals", async () => {
  const memory = new MemorySession("pi", "memory");
  for (const record of records) memory.add(record);
  const { session, close } = await openSession(example);
  expect(memory.session().size).toBe(session.size);
  expect(view(memory.session()).hash()).toBe(view(session).hash());
  for (const ref of ["t1", "t33", "t87"]) {
    const [mine, theirs] = [recall(memory.session(), ref), recall(session, ref)].map((found) => ("kind" in found ? "" : textOf(found[0]?.blocks ?? [])));
    expect(mine).toBe(theirs);
    expect(mine).not.toBe("");
  }
  close();
});

test("it grows record by record, and what was read stays", () => {
  const memory = new MemorySession("pi", "memory");
  const sizes: number[] = [];
  let first: unknown;
  for (const [index, record] of records.entries()) {
    memory.add(record);
    const session = memory.session();
    if (index === 5) first = session.head;
    if (index % 40 === 0) sizes.push(session.size);
  }
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  expect([...memory.session().entries()].some((place) => place === first)).toBe(true);
  expect(memory.size).toBe(records.length);
});

test("the record of a place is found by where it starts", () => {
  const memory = new MemorySession("pi", "memory");
  for (const record of records) memory.add(record);
  const head = memory.session().head;
  expect(memory.at(head?.entry.records?.[0]?.start ?? -1)).toBe(records.find(({ id }) => head?.entry.id.startsWith(id ?? "-")));
});

test("a format that is not read is an error", () => {
  expect(() => new MemorySession("word", "memory")).toThrow(/expected one of palimpsest, pi, claude-code/);
});
