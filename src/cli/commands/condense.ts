// palimpsest condense: what condensing saves, and a log or a copy with the decisions in it.
import { Command } from "commander";
import type { Condensed, RequestSeen } from "../../condense/index.ts";
import type { CondensePolicy, Policy } from "../../config/index.ts";
import type { CopyOptions, CopyReport } from "../../copies/index.ts";
import type { Exactness } from "../../recall/index.ts";
import type { ReplayReport } from "../../replay/index.ts";
import type { Place, Session } from "../../session/index.ts";
import { copierOf, printCopy, writtenCopy } from "../condense-copy.ts";
import { countFates, countLost, explainedRefs, printExplanation, printReport } from "../condense-report.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf } from "../head.ts";
import { type Asking, addModelOptions, askedJson, askedLine, askingOf, type ModelOptions, modelFlags, modelWords, shortfall } from "../model-input.ts";
import { gathered, wholeNumber } from "../option-values.ts";
import { json, print } from "../output.ts";
import { addPolicyOptions, type PolicyOptions, policyFor } from "../policy-input.ts";
import { inSteps, progress } from "../progress.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { printableName, table } from "../table.ts";

interface Options extends PolicyOptions, ModelOptions {
  readonly at?: string;
  readonly save?: string;
  readonly copy?: string | true;
  readonly keepLast?: number;
  readonly protect?: readonly string[];
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  readonly latest?: boolean;
  readonly json?: boolean;
}

type Opened = Awaited<ReturnType<typeof openNamed>>;

export function condenseCommand(): Command {
  const command = sessionArgument(new Command("condense"))
    .summary("what condensing a session saves, and that every original comes back")
    .description(
      "Condenses the results of a session as if it had been done while the session ran and once more at its end, and prints what that saves. Every hidden original is recalled and compared with its source. Summaries are extracts unless a language model is named. The session file itself is never changed.",
    )
    .option("--at <entry>", "as far as this entry, on its branch (default: where the session ends)")
    .option("--explain", "every epoch with its price, and for every result why it was kept, condensed, spilled or protected")
    .option("--copy [path]", "write a condensed copy that Pi or Claude Code can resume, at PATH or where its agent looks for it; the original stays")
    .option("--dry-run", "with --copy: say what would be written, and write nothing; no model is asked")
    .option("--keep-last <n>", "results at the end that stay verbatim (default: condense.keepNewest, 8)", wholeNumber("--keep-last", 0))
    .option("--protect <glob>", "files whose results stay verbatim; may be given several times", gathered)
    .option("--save <path>", "write the condensed session as a log of its own (PATH.jsonl and PATH.bodies), which view and recall read");
  return addPolicyOptions(addModelOptions(command)).option("--json", "one JSON object").action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  refuseMisread(file, options);
  await refuseNoGlob(options.protect);
  const whole = withOptions(await policyFor(options, modelFlags(options)), options);
  // A dry run says what would be written, and asks nobody.
  const asking = options.dryRun ? undefined : await askingOf(whole);
  const opened = await openNamed(file, options);
  try {
    const copier = options.copy === undefined ? undefined : await copierOf(opened);
    const { recallingHidden } = await import("../../condense/index.ts");
    const head = headOf(opened.session, options.at);
    const policy = copier ? { ...whole, condense: copier.policy(whole.condense) } : whole;
    const { condensed, requests } = await condensedBy(policy.condense, { session: opened.session, head, asking });
    // What a copy cannot show: said of the copy, and shown by a log.
    const isSame = JSON.stringify(policy.condense) === JSON.stringify(whole.condense);
    const { condensed: alone } = isSame || asking ? { condensed } : await condensedBy(whole.condense, { session: opened.session, head, asking: undefined });
    const recalled = await inSteps("recalling", recallingHidden(condensed));
    const toSave = isSame || options.save === undefined ? recalled : await inSteps("recalling", recallingHidden(alone));
    const exact = [recalled, toSave].every((each) => each.exact === each.checked);
    // Before anything is printed: a reader that closes the pipe ends the process, and must not end it inside a copy.
    const copied = copier && exact ? await writtenCopy(copier, { condensed, alone }, opened, copyOptions(options)) : undefined;
    const { unmatchedGlobs } = await import("../../condense/index.ts");
    const unmatched = unmatchedGlobs(options.protect ?? [], condensed.results);
    if (!options.json) await printReport(opened.session, condensed, recalled, copied);
    if (!options.json && asking) print(`${askedLine(asking)}\n`);
    if (!options.json) for (const glob of unmatched) print(`note      --protect ${printableName(glob)} matches no file that a call names\n`);
    if (options.explain && !options.json) await printExplanation(condensed, policy);
    if (options.json)
      json({ ...(await report(opened, { condensed, recall: recalled, policy, head, copied, asking, requests })), unmatched, ...(copied && { copy: copied }) });
    const name = options.save === undefined ? opened.path : await save(alone, options.save);
    if (!options.json) {
      if (options.save !== undefined) print(`\nsaved as ${name}\n`);
      if (copied) printCopy(copied, { cwd: opened.session.identity.cwd, folds: whole.condense.chains.fold });
      const next = exact ? await nextCommands(condensed, name, { opened, copied, options }) : [];
      if (next.length > 0) print(`\nnext\n${table(next, new Set([0, 1]))}\n`);
    }
    if (!exact)
      throw new Failure(
        "not-exact",
        `expected every hidden original back byte for byte, found ${recalled.checked - recalled.exact} of ${recalled.checked} that differ from ${opened.path}. Was it changed while it was read? Run the command again.`,
        EXIT.verification,
      );
    const missed = asking && shortfall(asking);
    if (missed) throw missed;
    if (copied && !copied.written && !options.dryRun)
      throw new Failure(
        "nothing-to-copy",
        `${opened.path}: expected something that a copy would show shorter, found nothing in its next request. No copy was written; resume the session itself.`,
        EXIT.input,
      );
  } finally {
    opened.close();
  }
}

interface Source {
  readonly session: Session;
  readonly head: Place | null;
  readonly asking: Asking | undefined;
}

/** A session condensed, by a model where one is asked, and then its requests as they were. */
async function condensedBy(
  policy: CondensePolicy,
  { session, head, asking }: Source,
): Promise<{ readonly condensed: Condensed; readonly requests: readonly RequestSeen[] }> {
  const { condenseTelling, condensing } = await import("../../condense/index.ts");
  if (!asking) return { condensed: await inSteps("condensing", condensing(session, policy, { head })), requests: [] };
  const requests: RequestSeen[] = [];
  const bar = process.stderr.isTTY ? progress("condensing") : undefined;
  const condensed = await condenseTelling(session, policy, asking.summarizer, {
    head,
    onRequest: (request) => requests.push(request),
    onReport: (report) => asking.reports.push(report),
    onShare: (share) => bar?.update(`${Math.floor(share * 100)}%, ${asking.summarizer.model.name} was asked ${asking.meter.rows.length} times`),
  });
  bar?.done();
  return { condensed, requests };
}

/** What a command line means otherwise than it says. */
function refuseMisread(file: string | undefined, { copy, dryRun, latest, save }: Options): void {
  if (dryRun && copy === undefined)
    throw new Failure("usage", "expected --copy beside --dry-run, found none. A dry run is that of a copy: without --copy nothing is written.", EXIT.usage);
  if (dryRun && save !== undefined)
    throw new Failure("usage", "expected --dry-run or --save, found both: a dry run writes nothing. Leave one out.", EXIT.usage);
  if (file === undefined && !latest && typeof copy === "string")
    throw new Failure(
      "usage",
      `expected a session FILE, found ${JSON.stringify(copy)} as the PATH of --copy. The FILE comes first: palimpsest condense FILE --copy [PATH].`,
      EXIT.usage,
    );
}

async function refuseNoGlob(protect: readonly string[] = []): Promise<void> {
  const { isGlob } = await import("../../config/index.ts");
  const wrong = protect.find((glob) => !isGlob(glob));
  if (wrong === undefined) return;
  const expected = wrong === "" ? "a glob" : "a glob whose brackets are closed";
  throw new Failure("usage", `--protect: expected ${expected}, found ${JSON.stringify(wrong)}. Name files, such as "**/AGENTS.md".`, EXIT.usage);
}

/** The policy with what the command's own options say. */
function withOptions(policy: Policy, { keepLast, protect = [] }: Options): Policy {
  const { condense } = policy;
  return {
    ...policy,
    condense: { ...condense, keepNewest: keepLast ?? condense.keepNewest, protectedPaths: [...condense.protectedPaths, ...protect] },
  };
}

function copyOptions({ copy, dryRun = false }: Options): CopyOptions {
  return { ...(typeof copy === "string" && { path: copy }), dryRun };
}

/** Writes the log and gives its path. */
async function save(condensed: Condensed, path: string): Promise<string> {
  if (path === "" || path === "-" || /[\\/]$/.test(path))
    throw new Failure("usage", `expected a file to save to, found ${JSON.stringify(path)}. Name one, such as session-condensed.`, EXIT.usage);
  const { writingNative } = await import("../../formats/index.ts");
  const target = path.endsWith(".jsonl") ? path : `${path}.jsonl`;
  try {
    await inSteps("saving", writingNative(condensed.session, target));
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    throw new Failure(
      "not-saved",
      `${target}: expected a place that can be written to, found ${error.code === "ENOENT" ? "no such folder" : error.code === "ENOSPC" ? "a full disk" : error.code}. Nothing was left there; save somewhere else.`,
      EXIT.input,
    );
  }
  return target;
}

interface Outcome {
  readonly condensed: Condensed;
  readonly recall: Exactness;
  readonly policy: Policy;
  readonly head: Place | null;
  readonly copied: CopyReport | undefined;
  readonly asking: Asking | undefined;
  /** Of a run with a model. */
  readonly requests: readonly RequestSeen[];
}

async function report({ session, diagnostics }: Opened, { condensed, recall, policy, head, copied, asking, requests }: Outcome): Promise<object> {
  const { composition } = await import("../../view/index.ts");
  const { hostDecisions, replaying, replayingRun } = await import("../../replay/index.ts");
  const { duplicate, ...fates } = countFates(condensed);
  const figures = await inSteps("replaying", asking ? replayingRun(head, requests, condensed) : replaying(session, policy.condense, { head }));
  const honoured =
    !asking && hostDecisions(session) > 0
      ? await inSteps("replaying as its host did", replaying(session, policy.condense, { head, hosts: "honoured" }))
      : undefined;
  return {
    session: { format: session.identity.format, id: session.identity.id, entries: session.size, requests: condensed.requests },
    tokens: {
      before: condensed.before.tokens,
      after: copied?.tokens.after ?? condensed.after.tokens,
      source: "estimated",
      categories: { before: composition(condensed.before), after: copied?.categories.after ?? composition(condensed.after) },
    },
    results: { total: condensed.results.length, ...fates, duplicates: duplicate, lost: countLost(condensed) },
    recall,
    ...figuresOf(figures),
    ...(honoured && { honoured: figuresOf(honoured) }),
    ...(asking && { model: askedJson(asking) }),
    epochs: condensed.epochs,
    refs: await explainedRefs(condensed, policy),
    diagnostics,
  };
}

function figuresOf({ context, needles, cache }: ReplayReport): object {
  return { context, needles, cache };
}

interface Made {
  readonly opened: Opened;
  readonly copied: CopyReport | undefined;
  readonly options: Options;
}

/** Commands that lead on, and what each gives. `name`: the session file, or the log that was saved. */
async function nextCommands({ results }: Condensed, name: string, { opened: { format }, copied, options }: Made): Promise<(readonly string[])[]> {
  const example = results.findLast(({ fate }) => fate.kind === "condensed");
  if (name === "-" || copied?.written === false) return [];
  const { ownCommand, shellWord } = await import("../../copies/index.ts");
  const command = `  ${ownCommand()}`;
  const file = shellWord(copied?.path ?? name);
  const isNew = copied !== undefined || options.save !== undefined;
  const offersCopy = !isNew && example && (format === "pi" || format === "claude-code");
  const branch = isNew || options.at === undefined ? "" : ` --at ${shellWord(options.at)}`;
  const same = [branch, ...policyWords(options).map((word) => ` ${shellWord(word)}`)].join("");
  return [
    ...(isNew ? [[`${command} view ${file}`, "what the model sees now"]] : []),
    ...(offersCopy ? [[`${command} condense ${file} --copy${same}`, `a condensed copy that ${format === "pi" ? "Pi" : "Claude Code"} resumes`]] : []),
    ...(example ? [[`${command} recall ${file} ${example.ref}${branch}`, `the original of ${example.ref}`]] : []),
  ];
}

/** The options that make a policy, as they were given. */
function policyWords({ keepLast, protect = [], policy, profile, set = [], ...models }: Options): string[] {
  return [
    ...modelWords(models),
    ...(keepLast === undefined ? [] : ["--keep-last", `${keepLast}`]),
    ...protect.flatMap((glob) => ["--protect", glob]),
    ...(policy === undefined ? [] : ["--policy", policy]),
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...set.flatMap((each) => ["--set", each]),
  ];
}
