// node tools/replay-docs.ts: writes the figures of the recordings into docs/replay.md, between its two markers. The recordings must be there.
import { readFileSync, writeFileSync } from "node:fs";
import { contextShare, floorShare, middle, pooled, type Replayed, replayRecordings } from "../bench/replays.ts";
import type { ReplayReport } from "../src/replay/index.ts";

const target = new URL("../docs/replay.md", import.meta.url);
const BEGIN = "<!-- figures: written by tools/replay-docs.ts -->";
const END = "<!-- end of figures -->";

type Cells = readonly string[];

const COLUMNS: Cells = [
  "recording",
  "requests",
  "context: condensed / floor / mask %",
  "facts visible, mask",
  "old facts, mask",
  "edit blocks, mask",
  "old edit blocks, mask",
  "back by one recall, lost",
  "warm rewrites, mask",
  "cost, with recalls, mask",
];

function cells(name: string, requests: string, ours: readonly ReplayReport[], masks: readonly ReplayReport[]): Cells {
  const sum = (reports: readonly ReplayReport[], of: (report: ReplayReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const [our, mask] = [ours, masks].map((reports) => ({
    facts: pooled(reports, "facts"),
    edits: pooled(reports, "edits"),
    context: middle(reports.map(contextShare)),
    cost: middle(reports.map(({ costs: { premium } }) => premium.condensed / premium.full)),
    recalls: middle(reports.map(({ costs: { premium } }) => premium.withRecalls / premium.full)),
    warm: sum(reports, ({ cache }) => cache.warmRewrites),
  })) as [Figures, Figures];
  const floor = middle(ours.map(floorShare));
  const [one, lost] = [sum(ours, ({ needles }) => needles.oneRecall), sum(ours, ({ needles }) => needles.lost)];
  return [
    name,
    requests,
    `${our.context.toFixed(0)} / ${floor.toFixed(0)} / ${mask.context.toFixed(0)}`,
    `${our.facts.visible} of ${our.facts.total}, ${mask.facts.visible}`,
    `${our.facts.oldVisible} of ${our.facts.oldTotal}, ${mask.facts.oldVisible}`,
    `${our.edits.visible} of ${our.edits.total}, ${mask.edits.visible}`,
    `${our.edits.oldVisible} of ${our.edits.oldTotal}, ${mask.edits.oldVisible}`,
    `${one}, ${lost}`,
    `${our.warm}, ${mask.warm}`,
    `${our.cost.toFixed(2)}, ${our.recalls.toFixed(2)}, ${mask.cost.toFixed(2)}`,
  ];
}

interface Figures {
  readonly facts: ReturnType<typeof pooled>;
  readonly edits: ReturnType<typeof pooled>;
  readonly context: number;
  readonly cost: number;
  readonly recalls: number;
  readonly warm: number;
}

function recordingCells({ name, ours, mask, gated }: Replayed): Cells {
  return cells(gated ? name : `${name} (listed only)`, `${ours.cache.requests}`, [ours], [mask]);
}

function markdown(rows: readonly Cells[]): string {
  const line = (row: Cells) => `| ${row.join(" | ")} |`;
  return [line(rows[0] as Cells), line((rows[0] as Cells).map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.slice(1).map(line)].join("\n");
}

/** Recordings whose host compacted: with that ignored, and as it was. */
function hostTable(all: readonly Replayed[]): string {
  const rows = all.flatMap(({ name, ours, honoured }): Cells[] => {
    if (!honoured) return [];
    const column = (report: ReplayReport) =>
      `${contextShare(report).toFixed(0)} %, ${report.needles.facts.visible} of ${report.needles.facts.total}, ${report.needles.lost}, ${(report.costs.premium.condensed / report.costs.premium.full).toFixed(2)}`;
    return [[name, column(ours), column(honoured)]];
  });
  return markdown([["recording", "ignored: context, facts visible, lost, cost", "honoured"], ...rows]);
}

const all = await replayRecordings();
const gated = all.filter((each) => each.gated);
if (gated.length === 0) {
  process.stderr.write("No recording of 100 requests or more was found beside the project: docs/replay.md is left as it is.\n");
  process.exit(2);
}
const text = readFileSync(target, "utf8");
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (begin < 0 || end < begin)
  throw new Error(`docs/replay.md: expected the lines ${BEGIN} and ${END}, found not both: put them back where the figures belong.`);
const figures = [
  markdown([
    COLUMNS,
    ...all.map(recordingCells),
    cells(
      `**${gated.length} recordings of at least 100 requests**: needles and rewrites summed, the rest median`,
      `${gated.reduce((sum, { ours }) => sum + ours.cache.requests, 0)}`,
      gated.map(({ ours }) => ours),
      gated.map(({ mask }) => mask),
    ),
    cells(
      "the same under the profile `safe`",
      "",
      gated.map(({ safe }) => safe),
      gated.map(({ mask }) => mask),
    ),
  ]),
  "Where the host compacted by itself:",
  hostTable(all),
].join("\n\n");
writeFileSync(target, `${text.slice(0, begin)}${BEGIN}\n\n${figures}\n\n${text.slice(end)}`);
