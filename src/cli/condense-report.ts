// What condensing came to, as a page for a person and as one object for a program.
import type { Condensed, EpochReport, Fate, ResultRecord } from "../condense/index.ts";
import type { Policy } from "../config/index.ts";
import type { CopyReport } from "../copies/index.ts";
import type { Exactness } from "../recall/index.ts";
import type { Session } from "../session/index.ts";
import { print } from "./output.ts";
import { sessionName } from "./session-rows.ts";
import { counted, percent, printableName, shortName, table, thousands } from "./table.ts";

export function countFates({ results }: Condensed): Record<Fate["kind"], number> {
  const counts = { condensed: 0, spilled: 0, duplicate: 0, folded: 0, protected: 0, kept: 0 };
  for (const { fate } of results) counts[fate.kind] += 1;
  return counts;
}

/** Results that are stubs of a condensed copy whose originals are gone. */
export function countLost({ results }: Condensed): number {
  return results.filter(({ fact }) => fact.lost).length;
}

/** The page. `copied`: the copy that was written, which the figures of the next request are then about. */
export async function printReport(session: Session, condensed: Condensed, recall: Exactness, copied?: CopyReport): Promise<void> {
  const { context, epochs, results } = condensed;
  const counts = countFates(condensed);
  print(
    `${sessionName(session)}: ${session.size === 1 ? "1 entry" : `${thousands(session.size)} entries`}, ${counted(condensed.requests, "request")}, ${counted(results.length, "result")}\n\n`,
  );
  print(`${await categories(condensed, copied)}\n\n`);
  const largest = await largestSavings(condensed);
  if (largest !== "") print(`largest savings, in tokens\n${largest}\n\n`);
  print(
    `results   ${counts.condensed} condensed, ${counts.spilled} spilled, ${counts.duplicate} duplicates, ${counts.folded > 0 ? `${counts.folded} folded, ` : ""}${counts.protected} protected, ${counts.kept} kept\n`,
  );
  print(`epochs    ${epochsLine(epochs)}\n`);
  print(
    `context   ${thousands(context.averageFull)} tokens a request on average while it ran, ${thousands(context.averageCondensed)} condensed (${percent(context.averageCondensed, context.averageFull)})\n`,
  );
  print(`recall    ${recall.exact} of ${counted(recall.checked, "hidden original")} recalled and equal to their source by sha256\n`);
  const lost = countLost(condensed);
  if (lost > 0)
    print(
      `lost      ${lost === 1 ? "1 result is a stub" : `${thousands(lost)} results are stubs`} of a condensed copy whose originals are gone, and left alone: put the copy's folder back beside it\n`,
    );
  if (results.length === 0) print("\nNo result of a tool is recorded: there is nothing to condense.\n");
  else if (recall.checked === 0) print("\nNothing here is worth condensing: --explain says why, for each result.\n");
}

function epochsLine(epochs: readonly EpochReport[]): string {
  if (epochs.length === 0) return "0";
  const sum = (size: (each: EpochReport) => number) => epochs.reduce((all, each) => all + size(each), 0);
  const cut = sum(({ calls }) => calls);
  const thinking = sum(({ thinking: messages }) => messages);
  const also = [
    ...(cut > 0 ? [`arguments of ${counted(cut, "call")} cut`] : []),
    ...(thinking > 0 ? [`thinking of ${counted(thinking, "message")} left out`] : []),
  ];
  return `${epochs.length}, each saving ${thousands(sum(({ saving }) => saving) / epochs.length)} tokens of every later request on average${also.length > 0 ? `; ${also.join(", ")}` : ""}`;
}

/** Every epoch with its price, and for every result why it is shown as it is. */
export async function printExplanation(condensed: Condensed, policy: Policy): Promise<void> {
  print(`\nepochs, what each saves and sends anew in tokens\n${table([EPOCH_COLUMNS, ...condensed.epochs.map(epochRow)], new Set([0, 1, 7]))}\n`);
  const { aboutCall, explainFate } = await import("../condense/index.ts");
  const rows = condensed.results.map((record) => [
    `  ${record.ref}`,
    printableName(record.fact.tool),
    shortName(aboutCall(record.call)),
    thousands(record.tokens),
    thousands(tokensLeft(record)),
    FATES[record.fate.kind],
    explainFate(record.fate, policy.condense),
  ]);
  if (rows.length > 0) print(`\nresults, in tokens before and after\n${table(rows, new Set([0, 1, 2, 5, 6]))}\n`);
}

const EPOCH_COLUMNS = ["  block", "cause", "request", "results", "calls", "saves", "sent anew", "earned back"];

function epochRow({ block, cause, request, results, calls, saving, rewritten, cost }: EpochReport): readonly string[] {
  const back =
    cost.cache === "cold" ? "at once: the cache was cold" : cost.paysAfterRequests === null ? "never" : `after ${counted(cost.paysAfterRequests, "request")}`;
  return [`  ${block ?? "–"}`, cause, `${request}`, `${results}`, `${calls}`, thousands(saving), thousands(rewritten.tokens), back];
}

const FATES: Readonly<Record<Fate["kind"], string>> = {
  condensed: "condensed",
  spilled: "spilled",
  duplicate: "duplicate",
  folded: "folded",
  protected: "protected",
  kept: "kept",
};

function tokensLeft({ fate, tokens }: ResultRecord): number {
  return "tokens" in fate ? fate.tokens : tokens;
}

/** One row for each result, for a program. */
export async function explainedRefs({ results }: Condensed, policy: Policy): Promise<readonly object[]> {
  const { explainFate } = await import("../condense/index.ts");
  return results.map((record) => ({
    ref: record.ref,
    entry: record.place.entry.id,
    tool: record.fact.tool,
    before: record.tokens,
    ...record.fate,
    fate: record.fate.kind,
    after: tokensLeft(record),
    because: explainFate(record.fate, policy.condense),
  }));
}

async function largestSavings({ results }: Condensed): Promise<string> {
  const { aboutCall } = await import("../condense/index.ts");
  const saved = results.flatMap((record) => ("tokens" in record.fate ? [{ record, left: record.fate.tokens }] : []));
  const largest = saved.sort((a, b) => b.record.tokens - b.left - (a.record.tokens - a.left)).slice(0, 5);
  const rows = largest.map(({ record, left }) => [
    `  ${record.ref}`,
    printableName(record.fact.tool),
    shortName(aboutCall(record.call)),
    thousands(record.tokens),
    thousands(left),
  ]);
  return table(rows, new Set([0, 1, 2]));
}

async function categories({ before, after }: Condensed, copied: CopyReport | undefined): Promise<string> {
  const { CATEGORIES, composition, totalTokens } = await import("../view/index.ts");
  const [full, small] = [composition(before), copied?.categories.after ?? composition(after)];
  const rows = CATEGORIES.filter((category) => full[category] + small[category] > 0).map((category) => [
    category,
    thousands(full[category]),
    thousands(small[category]),
    "",
  ]);
  const totals = [totalTokens(full), totalTokens(small)] as const;
  return table([
    ["tokens (estimated)", "before", copied ? "in the copy" : "after", "left"],
    ...rows,
    ["next request", thousands(totals[0]), thousands(totals[1]), percent(totals[1], totals[0])],
  ]);
}
