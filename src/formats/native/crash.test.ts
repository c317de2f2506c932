import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fact, fourBatches, ids, plain } from "../../../test/build/native.ts";
import { openNative, readNative } from "./log.ts";

let folder = "";
let log = "";
let bodies = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "native-log-"));
  log = join(folder, "a.jsonl");
  bodies = join(folder, "a.bodies");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("a crash", () => {
  test("at any byte of the lines leaves exactly the closed batches, and the log goes on", () => {
    const steps = fourBatches(log);
    const whole = { lines: readFileSync(log), bodies: readFileSync(bodies) };
    const order = ids(readNative(log).session);
    for (let size = steps[0]?.lines ?? 0; size <= whole.lines.length; size += 1) {
      writeFileSync(log, whole.lines.subarray(0, size));
      writeFileSync(bodies, whole.bodies);
      // A line without its end is whole: what is missing is put there.
      const held = steps.findLast((step) => step.lines <= size + 1) as (typeof steps)[number];
      checkHeld(order, held.entries, size > held.lines);
    }
  });

  test("at any byte of the bodies leaves exactly the batches that have theirs", () => {
    const steps = fourBatches(log);
    const whole = { lines: readFileSync(log), bodies: readFileSync(bodies) };
    const order = ids(readNative(log).session);
    for (let size = 0; size <= whole.bodies.length; size += 1) {
      const held = steps.findLast((step) => step.bodies <= size) as (typeof steps)[number];
      // As the writer does it, no line of the next batch is there yet; on a disk that lost bodies, all lines are.
      for (const lines of [held.lines, whole.lines.length]) {
        writeFileSync(log, whole.lines.subarray(0, lines));
        writeFileSync(bodies, whole.bodies.subarray(0, size));
        checkHeld(order, held.entries, lines > held.lines);
      }
    }
  });

  test("keeps what it cuts off in a file beside the log and says so", () => {
    const [start] = fourBatches(log);
    const lines = readFileSync(log);
    const second = lines.indexOf("\n", start?.lines) + 1;
    truncateSync(log, second + 7);
    const open = openNative(log);
    open.close();
    expect(open.diagnostics.map(({ code, line, start: from, end }) => [code, line, from, end])).toEqual([
      ["torn-tail", 3, second, second + 7],
      ["torn-tail", 2, start?.lines, second - 1],
      ["cut", 2, start?.lines, second + 7],
    ]);
    expect(readFileSync(`${log}.cut`)).toEqual(lines.subarray(start?.lines, second + 7));
    expect(statSync(log).size).toBe(start?.lines);
  });
});

/** The log, read and opened, holds the first `count` entries; after another batch it holds that too, and nothing of the tail. */
function checkHeld(order: readonly string[], count: number, torn: boolean): void {
  const before = readFileSync(log);
  expect(ids(readNative(log).session)).toEqual(order.slice(0, count));
  expect(readFileSync(log)).toEqual(before);
  const open = openNative(log);
  expect(ids(open.session)).toEqual(order.slice(0, count));
  expect(open.diagnostics.some(({ code }) => code === "cut")).toBe(torn);
  const last = open.session.head?.entry.id ?? null;
  expect(open.append([fact("x", last), fact("y", "x")])).toBeUndefined();
  open.close();
  const again = readNative(log);
  expect(ids(again.session)).toEqual([...order.slice(0, count), "x", "y"]);
  expect(again.diagnostics).toEqual([]);
  for (const place of again.session.entries()) plain(place);
}
