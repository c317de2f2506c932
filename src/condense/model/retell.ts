// Lets a model tell what an epoch condenses, before it is appended: bullets in its note, and one line in place of each result.
import { anchors } from "../../extract/index.ts";
import type { CallOptions } from "../../models/index.ts";
import { textOf } from "../../recall/index.ts";
import type { AttemptDecision, AttemptUsage, Bytes, Tokens } from "../../session/index.ts";
import { estimate } from "../../tokens/index.ts";
import type { Decider, Proposal } from "../decider.ts";
import { isEmpty, type Plan, type Telling } from "../flush.ts";
import { isSmaller } from "../guards.ts";
import { type AnsweredRecord, blocksBytes } from "../ledger.ts";
import type { Stub } from "../stubs.ts";
import { toldStub } from "../told.ts";
import { PROMPT_VERSIONS } from "./prompts.ts";
import { fuse } from "./range.ts";
import { type Asked, type SummaryPolicy, type Told, tell } from "./summarize.ts";
import type { Summarizer } from "./summarizer.ts";

/** What a model did for one epoch. */
export interface SummaryReport {
  /** Results that it was asked about, and those that it tells of. */
  readonly asked: number;
  readonly told: number;
  /** Of the others: how many for each reason. */
  readonly without: Readonly<Record<string, number>>;
  /** Codes for which the model could not be asked, and what each says to a person. */
  readonly failures: Readonly<Record<string, string>>;
  /** Large results that it read in parts: all bytes, and those that it proved to have read. */
  readonly read: { readonly windows: number; readonly bytes: Bytes; readonly credited: Bytes };
  /** Chains that it made one summary of. */
  readonly fused: number;
  readonly usage: AttemptUsage;
}

export interface Retold {
  /** Undefined where nothing is left that would be smaller. */
  readonly proposal: Proposal | undefined;
  /** For the log, before the epoch; none where the model was not asked. */
  readonly attempts: readonly AttemptDecision[];
  readonly report?: SummaryReport;
}

/**
 * The proposal with a model's words where it has any that hold, and as it was where not; nothing that a model does makes it fail. What it has not told
 * by the deadline, or before it was given up, is extracted, and what it took until then is in the attempts.
 */
export async function retell(decider: Decider, proposal: Proposal, summarizer: Summarizer, options: CallOptions = {}): Promise<Retold> {
  const before = summarizer.usage();
  const fused = await fuse(summarizer.model, proposal.plan.folds, options);
  const folded = fused.texts.size > 0 ? (decider.refolded(proposal, fused.texts) ?? proposal) : proposal;
  const { plan } = folded;
  const asked: Asked[] = inOrder([
    ...plan.stubs.flatMap((stub) => (stub.duplicateOf === undefined && stub.extracted === true ? [{ record: stub.record, extract: stub.text }] : [])),
    ...plan.spilled.map(({ record, text }) => ({ record, extract: text })),
  ]);
  const told = await tell(summarizer.model, asked, summarizer.policy, options);
  const telling = tellingOf(told, plan, asked, summarizer.policy);
  const retold = telling.stubs.size > 0 ? plan.retold(telling) : undefined;
  const used = retold ?? (telling.remark === "" ? undefined : plan.retold({ ...telling, stubs: new Map(), bullets: "" })) ?? plan;
  const usage = spent(before, summarizer.usage());
  const report: SummaryReport = {
    asked: asked.length,
    told: retold ? telling.stubs.size : 0,
    without: counted([
      ...told.without.values(),
      ...[...told.sections.keys()].flatMap((record) => (retold && telling.stubs.has(record) ? [] : ["not-smaller"])),
    ]),
    failures: Object.fromEntries(told.failures),
    read: summed([...told.readings.values()]),
    fused: fused.texts.size,
    usage,
  };
  const attempts = [...summaryAttempt(report), ...fusionAttempt(report, fused.code), ...(summarizer.changes?.() ?? [])];
  const result = used === plan ? folded : decider.replanned(folded, used);
  return { proposal: isEmpty(used) ? undefined : result, attempts, ...((asked.length > 0 || usage.calls > 0) && { report }) };
}

function inOrder(asked: readonly Asked[]): Asked[] {
  return [...asked].sort((a, b) => a.record.place.results - b.record.place.results);
}

/** Where a section and its line are no shorter than what they would stand for, that stays as it was to be. */
function tellingOf({ sections, without }: Told, { spilled }: Plan, asked: readonly Asked[], { names }: SummaryPolicy): Telling {
  const extracts = new Map(asked.map(({ record, extract }) => [record, extract]));
  const shown = new Map(spilled.map(({ record, text }) => [record, Buffer.byteLength(text)]));
  const stubs = new Map<AnsweredRecord, Stub>();
  const bullets: string[] = [];
  let failed = [...without.values()].filter((why) => !NO_FAULT.has(why)).length;
  for (const [record, told] of sections) {
    const stub = lineStub(record);
    const section = told + namesLine(record, told, extracts.get(record) ?? "", Math.floor(names * record.tokens));
    if (!isSmaller([stub.text, section], shown.get(record) ?? blocksBytes(record.fact.blocks))) failed += 1;
    else {
      stubs.set(record, stub);
      bullets.push(section);
    }
  }
  return { stubs, bullets: bullets.join("\n"), remark: failed === 0 ? "" : `a model gave no summary of ${failed}` };
}

/** What the extract of a result names and the model does not, as one more bullet: an agent comes back by names. Nothing where there is no room. */
function namesLine({ ref }: AnsweredRecord, told: string, extract: string, budget: Tokens): string {
  const names: string[] = [];
  let left = budget - LINE_TOKENS;
  for (const name of new Set(anchors(extract))) {
    if (told.includes(name) || names.some((other) => other.includes(name))) continue;
    left -= estimate(` ${name}`);
    if (left < 0) break;
    names.push(name);
  }
  return names.length === 0 ? "" : `\n- \`${ref}\` ids: ${names.join(" ")}`;
}

/** What a line of names takes beside them. */
const LINE_TOKENS: Tokens = 8;

/** Reasons that are nobody's fault. */
const NO_FAULT: ReadonlySet<string> = new Set(["left-out", "trivial"]);

/** A stub whose result is told of in the note. */
function lineStub(record: AnsweredRecord): Stub {
  const { tool, status, blocks } = record.fact;
  const text = toldStub({ ref: record.ref, tool, text: textOf(blocks), status, blocks });
  return { record, text, tokens: estimate(text) };
}

function counted(reasons: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function summed(readings: readonly { readonly windows: number; readonly bytes: Bytes; readonly credited: Bytes }[]): SummaryReport["read"] {
  return readings.reduce((sum, each) => ({ windows: sum.windows + each.windows, bytes: sum.bytes + each.bytes, credited: sum.credited + each.credited }), {
    windows: 0,
    bytes: 0,
    credited: 0,
  });
}

/** How asking for summaries ended: by its most frequent fault, with what it came to and what all calls of the epoch cost. */
function summaryAttempt({ asked, told, without, read, usage }: SummaryReport): readonly AttemptDecision[] {
  if (asked === 0 || (usage.calls === 0 && Object.keys(without).every((why) => NO_FAULT.has(why)))) return [];
  const faults = Object.entries(without).filter(([why]) => !NO_FAULT.has(why));
  const [worst] = faults.sort(([, a], [, b]) => b - a)[0] ?? [];
  const why = Object.fromEntries(Object.entries(without).map(([code, count]) => [`without.${code}`, count]));
  const counts = { asked, told, ...why, ...(read.windows > 0 && read) };
  const phase = told > 0 || worst === undefined ? "done" : "failed";
  return [
    { kind: "attempt", what: "summarize", phase, ...(worst !== undefined && { code: worst }), usage: { ...usage, prompt: PROMPT_VERSIONS.batch }, counts },
  ];
}

/** How asking for one summary of several ended; its cost stands with the summaries', where any were asked for too. */
function fusionAttempt({ asked, fused, usage }: SummaryReport, code: string | undefined): readonly AttemptDecision[] {
  if (fused === 0 && code === undefined) return [];
  const alone = asked === 0 ? { usage: { ...usage, prompt: PROMPT_VERSIONS.range } } : {};
  return [{ kind: "attempt", what: "fuse", phase: fused > 0 ? "done" : "failed", ...(code !== undefined && { code }), ...alone, counts: { fused } }];
}

/** What was spent between two readings; what no provider reported stays unknown. */
function spent(before: AttemptUsage, after: AttemptUsage): AttemptUsage {
  const less = (key: "input" | "cacheRead" | "output" | "usd") => (after[key] === undefined ? {} : { [key]: after[key] - (before[key] ?? 0) });
  return {
    model: after.model,
    calls: after.calls - before.calls,
    unreported: after.unreported - before.unreported,
    ...less("input"),
    ...less("cacheRead"),
    ...less("output"),
    ...less("usd"),
  };
}
