// B3: what stays visible of what agents used again, and how small the context is. B4: what that costs at a prompt cache. Both against masking.
import type { ReplayReport } from "../src/replay/index.ts";
import type { Benchmark, Row } from "./harness.ts";
import { contextShare, floorShare, middle, pooled, type Replayed, replayRecordings } from "./replays.ts";

const NOTHING: readonly Row[] = [{ what: "no recorded sessions beside the project", ours: "not measured", baseline: "", ratio: "", target: "" }];
/** Fewer old facts say nothing of one recording alone. */
const LEAST_OLD = 5;

export const b3: Benchmark = {
  id: "B3",
  title: "replay of recordings: what stays visible, and the context, against masking all but the newest 10 results every 20",
  async run() {
    const all = await replayRecordings();
    const gated = all.filter((each) => each.gated);
    return gated.length === 0 ? NOTHING : [...all.map(retentionRow), ...retentionTotals(gated)];
  },
};

export const b4: Benchmark = {
  id: "B4",
  title: "replay of recordings: rewrites of a sent prefix and cost, against the same masking",
  async run() {
    const all = await replayRecordings();
    const gated = all.filter((each) => each.gated);
    return gated.length === 0 ? NOTHING : [...all.map(costRow), ...costTotals(gated)];
  },
};

function retentionRow({ name, ours, mask, gated }: Replayed): Row {
  const { facts } = ours.needles;
  const context = contextShare(ours);
  const within = context <= 58 && context <= floorShare(ours) + 35;
  const kept =
    share(facts.visible, facts.total) >= 93 && (facts.oldTotal < LEAST_OLD || share(facts.oldVisible, facts.oldTotal) >= 80) && ours.needles.lost === 0;
  return {
    what: `${name}, ${ours.cache.requests} requests`,
    ours: retention(ours),
    baseline: retention(mask),
    ratio: (context / contextShare(mask)).toFixed(2),
    target: gated ? verdict("context ≤ 58 %, ≤ floor + 35; facts ≥ 93 %, old ≥ 80 %; none lost", within && kept) : "listed only",
  };
}

function retention(report: ReplayReport): string {
  const { facts, edits } = report.needles;
  return `context ${contextShare(report).toFixed(0)} % (floor ${floorShare(report).toFixed(0)}), facts ${facts.visible}/${facts.total}, old ${facts.oldVisible}/${facts.oldTotal}, edits ${edits.visible}/${edits.total}, old ${edits.oldVisible}/${edits.oldTotal}`;
}

function retentionTotals(gated: readonly Replayed[]): readonly Row[] {
  const [ours, masks] = [gated.map((each) => each.ours), gated.map((each) => each.mask)];
  const pool = (what: string, kind: "facts" | "edits", old: boolean, target: string, least: number): Row => {
    const [our, mask] = [seen(ours, kind, old), seen(masks, kind, old)];
    return {
      what,
      ours: our.text,
      baseline: mask.text,
      ratio: (our.share / mask.share).toFixed(2),
      target: least > 0 ? verdict(target, our.share >= least) : target,
    };
  };
  const safe = seen(
    gated.map((each) => each.safe),
    "edits",
    true,
  );
  const needles = (reports: readonly ReplayReport[]) => {
    const sum = (of: (report: ReplayReport) => number) => reports.reduce((all, report) => all + of(report), 0);
    const args = sum(({ needles }) => needles.arguments.total);
    const shown = sum(({ needles }) => needles.arguments.visible);
    return { args: `${shown}/${args}, ${share(shown, args).toFixed(1)} %`, argsShare: share(shown, args), lost: sum(({ needles }) => needles.lost) };
  };
  const [our, mask] = [needles(ours), needles(masks)];
  const context = middle(ours.map(contextShare));
  const masked = middle(masks.map(contextShare));
  return [
    pool("B3a facts, pooled", "facts", false, "≥ 98 %", 98),
    pool("B3a old facts, pooled", "facts", true, "≥ 94 %, stretch 97", 94),
    pool("B3b edit blocks, pooled", "edits", false, "≥ 80 %", 80),
    pool("B3b old edit blocks, pooled", "edits", true, "reported", 0),
    { what: "B3b old edit blocks under safe", ours: safe.text, baseline: "", ratio: "", target: verdict("≥ 45 %", safe.share >= 45) },
    { what: "B3c argument needles", ours: our.args, baseline: mask.args, ratio: "", target: verdict("≥ 95 %", our.argsShare >= 95) },
    { what: "B3c neither visible nor back by one recall", ours: `${our.lost}`, baseline: `${mask.lost}`, ratio: "", target: verdict("0", our.lost === 0) },
    {
      what: "B3d context, median",
      ours: `${context.toFixed(1)} %`,
      baseline: `${masked.toFixed(1)} %`,
      ratio: (context / masked).toFixed(2),
      target: verdict("≤ 45 %, stretch 40", context <= 45),
    },
  ];
}

function seen(reports: readonly ReplayReport[], kind: "facts" | "edits", old: boolean): { readonly text: string; readonly share: number } {
  const counts = pooled(reports, kind);
  const [visible, total] = old ? [counts.oldVisible, counts.oldTotal] : [counts.visible, counts.total];
  return { text: `${visible}/${total}, ${share(visible, total).toFixed(1)} %`, share: share(visible, total) };
}

function costRow({ name, ours, mask, gated }: Replayed): Row {
  const { requests, warmRewrites } = ours.cache;
  const part = costShare(ours, "premium");
  const most = requests >= 200 ? 0.58 : 0.72;
  return {
    what: `${name}, ${requests} requests`,
    ours: costs(ours),
    baseline: costs(mask),
    ratio: (part / costShare(mask, "premium")).toFixed(2),
    target: gated ? verdict(`cost ≤ ${most}, warm rewrites ≤ ${Math.floor(requests / 20)}`, part <= most && warmRewrites <= requests / 20) : "listed only",
  };
}

function costs(report: ReplayReport): string {
  const { warmRewrites, coldRewrites } = report.cache;
  return `cost ${costShare(report, "premium").toFixed(2)}, with recalls ${recallShare(report).toFixed(2)}, rewrites ${warmRewrites} warm ${coldRewrites} cold`;
}

function costTotals(gated: readonly Replayed[]): readonly Row[] {
  const [ours, masks] = [gated.map((each) => each.ours), gated.map((each) => each.mask)];
  const row = (what: string, of: (report: ReplayReport) => number, target: string, most: number): Row => {
    const [our, mask] = [middle(ours.map(of)), middle(masks.map(of))];
    return { what, ours: our.toFixed(3), baseline: mask.toFixed(3), ratio: (our / mask).toFixed(2), target: verdict(target, our <= most) };
  };
  const median = (reports: readonly ReplayReport[]) => middle(reports.map((report) => costShare(report, "premium")));
  const added = middle(ours.map(recallShare)) - median(ours);
  const [old, maskedOld] = [pooled(ours, "facts").oldVisible, pooled(masks, "facts").oldVisible];
  const better = old >= 2.5 * maskedOld && median(ours) <= median(masks) + 0.02;
  return [
    row("B4b cost, median", (report) => costShare(report, "premium"), "≤ 0.52, stretch 0.46", 0.52),
    row("B4b without lifetime, median", (report) => costShare(report, "withoutLifetime"), "≤ 0.55", 0.55),
    row("B4b without write premium, median", (report) => costShare(report, "flat"), "≤ 0.50", 0.5),
    { what: "B4b recalls add to the median", ours: added.toFixed(3), baseline: "", ratio: "", target: verdict("≤ 0.02", added <= 0.02) },
    {
      what: "B4c old facts visible against masking",
      ours: `${old}`,
      baseline: `${maskedOld}`,
      ratio: (old / maskedOld).toFixed(2),
      target: verdict("≥ 2.5 × at a median cost ≤ masking's + 0.02", better),
    },
  ];
}

function costShare({ costs: cards }: ReplayReport, card: keyof ReplayReport["costs"]): number {
  return cards[card].condensed / cards[card].full;
}

function recallShare({ costs: { premium } }: ReplayReport): number {
  return premium.withRecalls / premium.full;
}

/** Per cent; all of nothing is all. */
function share(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}

function verdict(target: string, met: boolean): string {
  return `${target}: ${met ? "met" : "MISSED"}`;
}
