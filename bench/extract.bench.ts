// B7: summaries without a model, how fast, and how much of what is needed later they hold for their tokens.
import { basename } from "node:path";
import { anchors, type ExtractInput, editHeader, extract } from "../src/extract/index.ts";
import { estimate } from "../src/tokens/index.ts";
import { type Benchmark, median, type Row, timed } from "./harness.ts";
import { seededOutputs } from "./outputs.ts";
import { type RecordedResult, recordedResults, recordingFiles } from "./recordings.ts";

const SIZES: readonly (readonly [string, number])[] = [
  ["100 KB", 100_000],
  ["1 MB", 1_000_000],
  ["10 MB", 10_000_000],
];
/** Characters that a truncation leaves: half at either end. */
const TRUNCATED = 2000;

export const b7: Benchmark = {
  id: "B7",
  title: "extractive summaries: speed by kind, and facts kept per token of the summary",
  async run() {
    return [...speeds(), ...(await retention())];
  },
};

function speeds(): readonly Row[] {
  const rows: Row[] = [];
  for (const [label, size] of SIZES)
    for (const { name, input } of seededOutputs(size)) {
      const times = Math.max(3, Math.min(25, Math.round(3e6 / size)));
      const speed = (work: () => void) => input.text.length / 1000 / median(timed(work, times, size > 5e6 ? 1 : 3));
      const ours = speed(() => void extract(input).text.length);
      const baseline = speed(() => void newlines(input.text));
      rows.push({
        what: `${label} of ${name}`,
        ours: `${ours.toFixed(1)} MB/s, ${extract(input).kind}`,
        baseline: `${baseline.toFixed(0)} MB/s counting line ends`,
        ratio: (ours / baseline).toFixed(3),
        target: "≥ 20 MB/s",
      });
    }
  return rows;
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** What is left of results under one strategy. */
interface Tally {
  kept: number;
  tokens: number;
}

async function retention(): Promise<readonly Row[]> {
  const files = recordingFiles();
  if (files.length === 0) return [{ what: "no recorded sessions beside the project", ours: "not measured", baseline: "", ratio: "", target: "" }];
  const rows: Row[] = [];
  for (const file of files) {
    const results = await recordedResults(file);
    if (results) rows.push(retentionRow(basename(file), results));
  }
  return rows;
}

function retentionRow(name: string, results: readonly RecordedResult[]): Row {
  const facts = results.reduce((sum, result) => sum + result.facts.size, 0);
  const extracted = tally(results, ({ input, known }) => editHeader(input) ?? extract(input, { known }).text);
  const truncated = tally(results, ({ input }) => headAndTail(input.text));
  const masked = tally(results, ({ input }, at) => maskedText(input, at));
  const share = ({ kept }: Tally) => `${facts === 0 ? "–" : Math.round((kept / facts) * 100)} %`;
  const dense = ({ kept, tokens }: Tally) => (kept * 1000) / Math.max(1, tokens);
  return {
    what: `${name}, ${facts} facts in ${results.length} results`,
    ours: `${dense(extracted).toFixed(2)} facts per 1,000 tokens (${share(extracted)})`,
    baseline: `${dense(truncated).toFixed(2)} truncated (${share(truncated)}), ${dense(masked).toFixed(2)} masked (${share(masked)})`,
    ratio: facts === 0 ? "–" : (dense(extracted) / Math.max(dense(truncated), dense(masked))).toFixed(2),
    target: "> 1",
  };
}

function tally(results: readonly RecordedResult[], shorten: (result: RecordedResult, at: number) => string): Tally {
  let kept = 0;
  let tokens = 0;
  for (const [at, result] of results.entries()) {
    const text = shorten(result, at);
    tokens += estimate(text);
    const shown = new Set(anchors(text));
    for (const fact of result.facts) if (shown.has(fact)) kept += 1;
  }
  return { kept, tokens };
}

function headAndTail(text: string): string {
  return text.length <= TRUNCATED ? text : `${text.slice(0, TRUNCATED / 2)}\n…\n${text.slice(-TRUNCATED / 2)}`;
}

function maskedText({ tool, text }: ExtractInput, at: number): string {
  const stub = `[t${at + 1} ${tool}, ${text.split("\n").length} lines, ${Buffer.byteLength(text)} bytes: recall t${at + 1}]`;
  return stub.length < text.length ? stub : text;
}
