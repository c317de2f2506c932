// Times pieces of work side by side in one process: warmed, medians of several, one table a benchmark, JSON beside it.
import { mkdirSync, writeFileSync } from "node:fs";

export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: string;
  readonly target: string;
}

export interface Benchmark {
  readonly id: string;
  readonly title: string;
  run(): Promise<readonly Row[]> | readonly Row[];
}

/** Milliseconds of each of `times` runs, sorted; the first `warm` runs are not counted. */
export function timed(work: () => void, times: number, warm = 3): number[] {
  for (let run = 0; run < warm; run++) work();
  const spent: number[] = [];
  for (let run = 0; run < times; run++) {
    const start = process.hrtime.bigint();
    work();
    spent.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return spent.sort((a, b) => a - b);
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(sorted: readonly number[]): number {
  return quantile(sorted, 0.5);
}

export function ms(value: number): string {
  return value < 0.1 ? `${(value * 1000).toFixed(1)} µs` : value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
}

export async function runAll(benchmarks: readonly Benchmark[], only: readonly string[]): Promise<void> {
  const results: Record<string, readonly Row[]> = {};
  for (const each of benchmarks) {
    if (only.length > 0 && !only.includes(each.id)) continue;
    const rows = await each.run();
    results[each.id] = rows;
    process.stdout.write(
      `\n${each.id}  ${each.title}\n${table([{ what: "what", ours: "ours", baseline: "baseline", ratio: "ratio", target: "target" }, ...rows])}\n`,
    );
  }
  const folder = new URL("./results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL("latest.json", folder), `${JSON.stringify({ node: process.versions.node, results }, null, 1)}\n`);
}

function table(rows: readonly Row[]): string {
  const columns = ["what", "ours", "baseline", "ratio", "target"] as const;
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => columns.map((column, index) => (index === 0 ? row[column].padEnd(widths[index] ?? 0) : row[column].padStart(widths[index] ?? 0))).join("  "))
    .join("\n");
}
