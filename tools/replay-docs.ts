// node tools/replay-docs.ts: writes the figures of the recordings into docs/replay.md, between its two markers. The recordings must be there.
import { readFileSync, writeFileSync } from "node:fs";
import { contextShare, floorShare, middle, pooled, type Replayed, replayRecordings } from "../bench/replays.ts";
import type { ReplayReport } from "../src/replay/index.ts";

const target = new URL("../docs/replay.md", import.meta.url);
const BEGIN = "<!-- figures: written by tools/replay-docs.ts -->";
const END = "<!-- end of figures -->";

type Cells = readonly string[];

/** Fewer old facts say nothing of one recording alone. */
const LEAST_OLD = 5;

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

const TARGET_COLUMNS: Cells = ["figure", "ours", "mask", "truncation", "full", "target"];

interface Figure {
  readonly what: string;
  readonly of: (reports: readonly ReplayReport[]) => number;
  /** As it is printed. */
  readonly shown: (value: number) => string;
  readonly target: string;
  readonly met: (value: number) => boolean;
}

const percent = (value: number) => `${value.toFixed(1)} %`;
const plain = (value: number) => value.toFixed(3);
const visible = (kind: "facts" | "edits", old: boolean) => (reports: readonly ReplayReport[]) => {
  const { visible, total, oldVisible, oldTotal } = pooled(reports, kind);
  const [part, whole] = old ? [oldVisible, oldTotal] : [visible, total];
  return whole === 0 ? 100 : (100 * part) / whole;
};
const cost = (card: keyof ReplayReport["costs"]) => (reports: readonly ReplayReport[]) =>
  middle(reports.map(({ costs }) => costs[card].condensed / costs[card].full));
const lost = (reports: readonly ReplayReport[]) => reports.reduce((all, { needles }) => all + needles.lost, 0);
const warm = (reports: readonly ReplayReport[]) => reports.reduce((all, { cache }) => all + cache.warmRewrites, 0);
const least = (what: string, of: Figure["of"], bound: number, more = ""): Figure => ({
  what,
  of,
  shown: percent,
  target: `≥ ${bound} %${more}`,
  met: (value) => value >= bound,
});
const most = (what: string, of: Figure["of"], bound: number, shown: Figure["shown"], more = ""): Figure => ({
  what,
  of,
  shown,
  target: `≤ ${shown === percent ? `${bound} %` : bound}${more}`,
  met: (value) => value <= bound,
});

/** What one recording is held to. */
function figuresOf({ ours }: Replayed): Figure[] {
  const { requests } = ours.cache;
  const bound = Math.min(58, floorShare(ours) + 35);
  return [
    least("B3a facts visible", visible("facts", false), 93),
    ...(ours.needles.facts.oldTotal < LEAST_OLD ? [] : [least("B3a old facts visible", visible("facts", true), 80)]),
    most("B3c neither visible nor back by one recall", lost, 0, String),
    most("B3d context", (reports) => middle(reports.map(contextShare)), Number(bound.toFixed(1)), percent, bound < 58 ? ", its floor + 35" : ""),
    most("B4a warm rewrites", warm, Math.floor(requests / 20), String),
    most("B4b cost", cost("premium"), requests >= 200 ? 0.58 : 0.72, plain),
  ];
}

const POOLED: readonly Figure[] = [
  least("B3a facts visible, pooled", visible("facts", false), 98),
  least("B3a old facts visible, pooled", visible("facts", true), 94, ", stretch 97"),
  least("B3b edit blocks visible, pooled", visible("edits", false), 80),
  { what: "B3b old edit blocks visible, pooled", of: visible("edits", true), shown: percent, target: "reported", met: () => true },
  least("B3c argument needles visible, pooled", argumentsVisible, 95),
  most("B3c neither visible nor back by one recall", lost, 0, String),
  most("B3d context, median", (reports) => middle(reports.map(contextShare)), 45, percent, ", stretch 40"),
  most("B4b cost, median", cost("premium"), 0.52, plain, ", stretch 0.46"),
  most("B4b cost without lifetime, median", cost("withoutLifetime"), 0.55, plain),
  most("B4b cost without write premium, median", cost("flat"), 0.5, plain),
  most("B4b what recalls add to the median", recallsAdd, 0.02, plain),
];

function argumentsVisible(reports: readonly ReplayReport[]): number {
  const sum = (key: "total" | "visible") => reports.reduce((all, { needles }) => all + needles.arguments[key], 0);
  return (100 * sum("visible")) / Math.max(1, sum("total"));
}

function recallsAdd(reports: readonly ReplayReport[]): number {
  return middle(reports.map(({ costs: { premium } }) => premium.withRecalls / premium.full)) - cost("premium")(reports);
}

/** What a figure is where nothing is condensed: all in view, nothing rewritten, the whole price. */
function fullOf({ shown, target }: Figure, what: string): string {
  if (/cost/.test(what)) return shown(1);
  return target.startsWith("≥") || /context|visible, pooled/.test(what) ? percent(100) : shown(0);
}

function figureRow(figure: Figure, name: string, all: readonly Replayed[]): Cells {
  const { of, shown, target, met, what } = figure;
  const [ours, mask, cut] = [all.map((each) => each.ours), all.map((each) => each.mask), all.map((each) => each.truncation)].map(of) as [
    number,
    number,
    number,
  ];
  const verdict = target === "reported" ? target : `${target}: ${met(ours) ? "met" : "**missed**"}`;
  return [name === "" ? what : `${name}: ${what}`, shown(ours), shown(mask), shown(cut), fullOf(figure, what), verdict];
}

/** B4c, which is held against the mask itself; and old edit blocks under the profile that is meant for edits. */
function comparedRows(all: readonly Replayed[]): Cells[] {
  const [ours, mask, safe] = [all.map((each) => each.ours), all.map((each) => each.mask), all.map((each) => each.safe)];
  const old = (reports: readonly ReplayReport[]) => pooled(reports, "facts").oldVisible;
  const better = old(ours) >= 2.5 * old(mask) && cost("premium")(ours) <= cost("premium")(mask) + 0.02;
  const edits = visible("edits", true)(safe);
  const cut = all.map((each) => each.truncation);
  return [
    [
      "B3b old edit blocks visible under `safe`, pooled",
      percent(edits),
      percent(visible("edits", true)(mask)),
      percent(visible("edits", true)(cut)),
      percent(100),
      `≥ 45 %: ${edits >= 45 ? "met" : "**missed**"}`,
    ],
    [
      "B4c old facts visible",
      `${old(ours)}`,
      `${old(mask)}`,
      `${old(cut)}`,
      `${pooled(ours, "facts").oldTotal}`,
      `≥ 2.5 × the mask's, at a median cost of at most its + 0.02: ${better ? "met" : "**missed**"}`,
    ],
  ];
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
  "Each figure against its target:",
  markdown([
    TARGET_COLUMNS,
    ...gated.flatMap((each) => figuresOf(each).map((figure) => figureRow(figure, each.name, [each]))),
    ...POOLED.map((figure) => figureRow(figure, "", gated)),
    ...comparedRows(gated),
  ]),
  "Where the host compacted by itself:",
  hostTable(all),
].join("\n\n");
writeFileSync(target, `${text.slice(0, begin)}${BEGIN}\n\n${figures}\n\n${text.slice(end)}`);
