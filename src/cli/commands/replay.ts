// palimpsest replay: a recording run through a policy request by request, and what that would have cost and kept in view.
import { Command } from "commander";
import type { NeedleCounts, ReplayOptions, ReplayReport, RequestRow } from "../../replay/index.ts";
import type { Session } from "../../session/index.ts";
import { headOf } from "../head.ts";
import { json, print } from "../output.ts";
import { addPolicyOptions, type PolicyOptions, policyFor } from "../policy-input.ts";
import { inSteps } from "../progress.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { sessionName } from "../session-rows.ts";
import { counted, percent, shortName, table, thousands } from "../table.ts";

interface Options extends PolicyOptions {
  readonly at?: string;
  readonly mask?: boolean;
  readonly all?: boolean;
  readonly latest?: boolean;
  readonly json?: boolean;
}

/** A report and the column that it is printed in. */
interface Named {
  readonly name: string;
  readonly report: ReplayReport;
}

export function replayCommand(): Command {
  const command = sessionArgument(new Command("replay"))
    .summary("a recording run through a policy, request by request")
    .description(
      "Runs a recorded session through the condenser as if it had been condensed while it ran, with no language model, and prints for each request what that did: tokens, epochs with their price, rewrites of the prompt cache, and what the agent used but could no longer see. What the agent did is taken as it was. What the host compacted itself is ignored, and honoured in a second column where there is any.",
    )
    .option("--at <entry>", "as far as this entry, on its branch (default: where the session ends)")
    .option("--mask", "the same figures for leaving out all but the newest 10 results every 20 results, beside them")
    .option("--all", "every request, not only those at which something happened");
  return addPolicyOptions(command).option("--json", "one JSON object").action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  const { condense: policy } = await policyFor(options);
  const { session, diagnostics, close } = await openNamed(file, options);
  try {
    const { hostDecisions, replaying, replayingMask } = await import("../../replay/index.ts");
    const scope: ReplayOptions = { head: headOf(session, options.at) };
    const report = await inSteps("replaying", replaying(session, policy, scope));
    const honoured =
      hostDecisions(session) > 0 ? await inSteps("replaying as its host did", replaying(session, policy, { ...scope, hosts: "honoured" })) : undefined;
    const mask = options.mask ? await inSteps("replaying masked", replayingMask(session, scope)) : undefined;
    if (options.json) {
      const { rows, ...figures } = report;
      json({
        session: described(session, report),
        ...figures,
        requests: rows,
        ...(honoured && { honoured: figuresOf(honoured) }),
        ...(mask && { mask: figuresOf(mask) }),
        diagnostics,
      });
    } else printReplay(session, report, { honoured, mask, all: options.all === true });
  } finally {
    close();
  }
}

function described({ identity, size }: Session, { cache }: ReplayReport): object {
  return { format: identity.format, id: identity.id, entries: size, requests: cache.requests };
}

function figuresOf({ context, needles, cache, costs }: ReplayReport): object {
  return { context, needles, cache, costs };
}

function printReplay(
  session: Session,
  report: ReplayReport,
  { honoured, mask, all }: { readonly honoured: ReplayReport | undefined; readonly mask: ReplayReport | undefined; readonly all: boolean },
): void {
  print(`${sessionName(session)}: ${counted(report.cache.requests, "request")}\n\n`);
  const rows = all ? report.rows : report.rows.filter(isEventful);
  const quiet = report.rows.length - rows.length;
  if (rows.length > 0) print(`${table([COLUMNS, ...rows.map(requestRow)], new Set([3, 4]))}\n`);
  if (rows.length === 0) print(`Nothing happened at any request${quiet > 0 ? "; --all shows them" : ""}.\n`);
  else if (quiet > 0) print(`not shown: ${counted(quiet, "request")} at which nothing happened; --all shows them\n`);
  print(missedList(report.rows));
  const columns: Named[] = [
    { name: "condensed", report },
    ...(honoured ? [{ name: "host honoured", report: honoured }] : []),
    ...(mask ? [{ name: "mask, keep 10", report: mask }] : []),
  ];
  print(`\n${figuresTable(columns)}\n\n`);
  print("Tokens are estimated; system prompts and output are not counted. Costs are in the currency of the card: 0.30 a million cached, 3.75 written.\n");
}

const SHOWN_MISSES = 10;

/** What the agent used and could no longer see, with the recall that would have brought it back. */
function missedList(rows: readonly RequestRow[]): string {
  const missed = rows.flatMap(({ request, missed: each }) => each.map((needle) => ({ request, ...needle })));
  if (missed.length === 0) return "";
  const cells = missed
    .slice(0, SHOWN_MISSES)
    .map(({ request, kind, text, recall }) => [`  ${request}`, KINDS[kind], shortName(text), recall === undefined ? "lost" : `recall ${recall}`]);
  const more = missed.length > SHOWN_MISSES ? `\n  and ${missed.length - SHOWN_MISSES} more; --json lists all` : "";
  return `\nused and not in view\n${table(cells, new Set([1, 2, 3]))}${more}\n`;
}

const KINDS: Readonly<Record<RequestRow["missed"][number]["kind"], string>> = { fact: "fact", edit: "edit block", argument: "argument" };

const COLUMNS = ["request", "full", "condensed", "epoch", "prefix", "needles", "missed"];

function isEventful({ epoch, rewrite, missed }: RequestRow): boolean {
  return epoch !== undefined || rewrite !== undefined || missed.length > 0;
}

function requestRow({ request, full, condensed, epoch, rewrite, needles, missed }: RequestRow): readonly string[] {
  return [
    `${request}`,
    thousands(full),
    thousands(condensed),
    epoch ? epochCell(epoch) : "",
    rewrite ? `rewritten, ${rewrite}` : "",
    `${needles}`,
    missed.length === 0 ? "" : `${missed.length}${missed.some(({ recall }) => recall === undefined) ? " (lost)" : ""}`,
  ];
}

function epochCell({ cause, saving, rewritten, cost }: NonNullable<RequestRow["epoch"]>): string {
  const back = cost.cache === "cold" ? "at once" : cost.paysAfterRequests === null ? "never" : `after ${cost.paysAfterRequests}`;
  return `${cause}: saves ${thousands(saving)} tokens, sends ${thousands(rewritten.tokens)} anew, earned back ${back}`;
}

function figuresTable(columns: readonly Named[]): string {
  const row = (what: string, cell: (report: ReplayReport) => string) => [what, ...columns.map(({ report }) => cell(report))];
  return table([
    ["", ...columns.map(({ name }) => name)],
    row("context, tokens a request whole", ({ context }) => thousands(context.averageFull)),
    row("  condensed", ({ context }) => `${thousands(context.averageCondensed)} (${percent(context.averageCondensed, context.averageFull)})`),
    row("  floor: no results, arguments cut", ({ context }) => `${thousands(context.floor)} (${percent(context.floor, context.averageFull)})`),
    row("facts visible", ({ needles }) => visible(needles.facts)),
    row("  last seen more than 10 results ago", ({ needles }) => visibleOld(needles.facts)),
    row("edit blocks visible", ({ needles }) => visible(needles.edits)),
    row("  last seen more than 10 results ago", ({ needles }) => visibleOld(needles.edits)),
    row("arguments of its own visible", ({ needles }) => `${needles.arguments.visible} of ${needles.arguments.total}`),
    row("not visible, back by one recall", ({ needles }) => `${needles.oneRecall}`),
    row("lost", ({ needles }) => `${needles.lost}`),
    row("rewrites of a sent prefix, warm and cold", ({ cache }) => `${cache.warmRewrites} and ${cache.coldRewrites}`),
    row("cost whole", ({ cache }) => money(cache.costFull)),
    row("  condensed", ({ cache }) => `${money(cache.costCondensed)} (${percent(cache.costCondensed, cache.costFull)})`),
    row("  with the recalls it would need", ({ cache }) => `${money(cache.costWithRecalls)} (${percent(cache.costWithRecalls, cache.costFull)})`),
    row("  without an end of the cache", ({ costs }) => percent(costs.withoutLifetime.condensed, costs.withoutLifetime.full)),
    row("  without a premium on writing", ({ costs }) => percent(costs.flat.condensed, costs.flat.full)),
  ]);
}

function visible({ visible: seen, total }: NeedleCounts): string {
  return `${seen} of ${total}`;
}

function visibleOld({ oldVisible, oldTotal }: NeedleCounts): string {
  return `${oldVisible} of ${oldTotal}`;
}

function money(cost: number): string {
  return (cost / 1e6).toFixed(2);
}
