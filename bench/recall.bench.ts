// B10: the index of a session file of 1 GB, and the recall of one ref of it, cold.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Benchmark, median, ms, type Row } from "./harness.ts";
import type { Measured } from "./recall-measured.ts";
import { type FileFormat, writeSessionFile } from "./session-files.ts";

/** Million bytes of the file. */
const SIZE = Number(process.env.PALIMPSEST_BENCH_MB ?? 1000);
const MEASURED = fileURLToPath(new URL("recall-measured.ts", import.meta.url));

export const b10: Benchmark = {
  id: "B10",
  title: "a large session file: its index, and recall of one ref, cold",
  run() {
    if (!(SIZE > 0)) throw new Error(`PALIMPSEST_BENCH_MB: expected a number of million bytes above 0, found ${process.env.PALIMPSEST_BENCH_MB}`);
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
    try {
      return (["pi", "claude-code"] as const).flatMap((format) => rowsOf(format, join(folder, `${format}.jsonl`)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function rowsOf(format: FileFormat, path: string): Row[] {
  const records = writeSessionFile(path, format, SIZE * 1e6);
  const bytes = statSync(path).size;
  const [scan, parse, index] = (["scan", "parse", "index"] as const).map((what) => measured(what, path)) as [Measured, Measured, Measured];
  rmSync(path);
  const recalls = [...(index.recalls ?? [])].sort((a, b) => a - b);
  const name = `${format}, ${(bytes / 1e6).toFixed(0)} MB`;
  return [
    {
      what: `${name}: index of ${records.toLocaleString("en-US")} records, ${index.entries?.toLocaleString("en-US")} entries`,
      ours: `${seconds(index.spent)}, ${(bytes / 1000 / index.spent).toFixed(0)} MB/s, peak ${(index.peak / 1e6).toFixed(0)} MB`,
      baseline: `${seconds(parse.spent)} JSON.parse of each line, ${seconds(scan.spent)} newline scan`,
      ratio: (index.spent / parse.spent).toFixed(2),
      target: "≤ 8 s for 1 GB",
    },
    {
      what: `${name}: recall of one of ${recalls.length} refs`,
      ours: `${ms(median(recalls))} (slowest ${ms(recalls.at(-1) ?? Number.NaN)})`,
      baseline: `${seconds(scan.spent)} newline scan`,
      ratio: (median(recalls) / scan.spent).toFixed(5),
      target: "≤ 50 ms",
    },
  ];
}

/** Each in a process of its own, so that its memory is its own. */
function measured(what: "scan" | "parse" | "index", path: string): Measured {
  return JSON.parse(execFileSync(process.execPath, [...process.execArgv, MEASURED, what, path], { encoding: "utf8" }));
}

function seconds(spent: number): string {
  return `${(spent / 1000).toFixed(1)} s`;
}
