import { expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { needlesIn } from "../../test/build/needles.ts";
import { type Ref, textBody } from "../session/index.ts";
import { Recalls } from "./recalls.ts";

/** A text that counts how often it is read. */
function counted(text: string, onRead: () => void) {
  const bytes = Buffer.from(JSON.stringify(text));
  const read = () => {
    onRead();
    return bytes;
  };
  return { ...textBody(text), at: { source: { name: "counted", read }, start: 0, end: bytes.length, pick: [] } };
}

test("an original is read once, however many needles it is searched for at however many heads", () => {
  let reads = 0;
  const log = new Log();
  log.assistant();
  log.call("c", "read", {});
  const text = "has readAll, writeAll and dropAll";
  log.add({ kind: "result", callId: "c", tool: "read", status: "ok", blocks: [{ type: "text", body: counted(text, () => reads++) }] });
  log.assistant();
  log.user("go on");
  const cut = log.assistant();
  const compact = { kind: "compact", cut: cut.entry.id, autoRead: [], references: [], quotes: [], carried: [], by: "extractive" } as const;
  log.epoch(log.add({ ...compact, summary: textBody("[b1] before") }));
  for (const name of ["readAll", "writeAll", "dropAll"]) log.assistant(name);
  const { needles, all } = needlesIn(log);
  const recalls = new Recalls(log.session, needles.texts);
  const ref: Ref = "b1";
  expect(all.map((needle) => recalls.of(needle)?.ref)).toEqual([ref, ref, ref]);
  expect(new Set(all.map(({ hidden }) => hidden?.head)).size).toBe(3);
  expect(reads).toBe(1);
  expect(all.map(({ hidden }) => hidden?.blocks)).toEqual([[ref], [ref], [ref]]);
  expect(new Set(all.map(({ hidden }) => hidden?.blocks)).size).toBe(1);
});
