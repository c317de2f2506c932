// One measured piece of work on a session file, alone in its process: `node recall-measured.ts index|scan|parse FILE`. Its figures go to stdout as JSON.
import { closeSync, openSync, readSync } from "node:fs";
import { openSession } from "../src/formats/index.ts";
import { isExact, recall, textOf } from "../src/recall/index.ts";
import type { Place, Ref } from "../src/session/index.ts";

export interface Measured {
  /** Milliseconds until the work was done. */
  readonly spent: number;
  /** Bytes of memory that the process held at most. */
  readonly peak: number;
  readonly entries?: number;
  /** Milliseconds of each recall, in the order of `SHARES`. */
  readonly recalls?: readonly number[];
}

/** Where in the session the recalled results stand. */
const SHARES = [0.37, 0.001, 0.999, 0.7, 0.15];

async function index(path: string): Promise<Omit<Measured, "peak">> {
  const start = performance.now();
  const { session, close } = await openSession(path);
  const spent = performance.now() - start;
  const results = (session.head as Place).results;
  const recalls = SHARES.map((share) => {
    const ref: Ref = `t${Math.max(1, Math.round(results * share))}`;
    const asked = performance.now();
    const [found] = recall(session, ref) as Exclude<ReturnType<typeof recall>, { kind: "unknown" }>;
    if (!found || textOf(found.blocks).length === 0) throw new Error(`nothing recalled for ${ref}`);
    const took = performance.now() - asked;
    if (!isExact(found.place)) throw new Error(`${ref} is not what was recorded`);
    return took;
  });
  close();
  return { spent, entries: session.size, recalls };
}

/** Reads the file piece by piece and does something with each line. */
function eachLine(path: string, work: (bytes: Buffer, from: number, to: number) => void): Omit<Measured, "peak"> {
  const start = performance.now();
  const file = openSync(path, "r");
  const piece = Buffer.allocUnsafe(1024 * 1024);
  let held = Buffer.alloc(0);
  for (;;) {
    const length = readSync(file, piece, 0, piece.length, null);
    if (length === 0) break;
    const bytes = held.length > 0 ? Buffer.concat([held, piece.subarray(0, length)]) : piece.subarray(0, length);
    let from = 0;
    for (let to = bytes.indexOf(0x0a); to >= 0; to = bytes.indexOf(0x0a, from)) {
      work(bytes, from, to);
      from = to + 1;
    }
    held = Buffer.from(bytes.subarray(from));
  }
  closeSync(file);
  return { spent: performance.now() - start };
}

const [what, path] = process.argv.slice(2) as [string, string];
const measured =
  what === "index"
    ? await index(path)
    : eachLine(path, what === "parse" ? (bytes, from, to) => void JSON.parse(bytes.toString("utf8", from, to)) : () => undefined);
process.stdout.write(JSON.stringify({ ...measured, peak: process.resourceUsage().maxRSS * 1024 } satisfies Measured));
