// palimpsest condense: what condensing saves, and a log or a copy with the decisions in it.
import { Command } from "commander";
import type { Condensed, CopyOptions, CopyReport } from "../../condense/index.ts";
import type { Policy } from "../../config/index.ts";
import type { writeCopy as writePiCopy } from "../../hosts/pi/index.ts";
import type { Exactness } from "../../recall/index.ts";
import type { ReplayReport } from "../../replay/index.ts";
import type { Place } from "../../session/index.ts";
import { countFates, explainedRefs, printExplanation, printReport } from "../condense-report.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf } from "../head.ts";
import { gathered, wholeNumber } from "../option-values.ts";
import { json, print } from "../output.ts";
import { addPolicyOptions, type PolicyOptions, policyFor } from "../policy-input.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { counted, printableName, table, thousands } from "../table.ts";

interface Options extends PolicyOptions {
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
      "Condenses the results of a session with no language model, as if it had been done while the session ran and once more at its end, and prints what that saves. Every hidden original is recalled and compared with its source. The session file itself is never changed.",
    )
    .option("--at <entry>", "as far as this entry, on its branch (default: where the session ends)")
    .option("--explain", "every epoch with its price, and for every result why it was kept, condensed, spilled or protected")
    .option("--copy [path]", "write a condensed copy that Pi or Claude Code can resume, at PATH or where its agent looks for it; the original stays")
    .option("--dry-run", "with --copy: say what would be written, and write nothing")
    .option("--keep-last <n>", "results at the end that stay verbatim (default: condense.keepNewest, 8)", wholeNumber("--keep-last", 0))
    .option("--protect <glob>", "files whose results stay verbatim; may be given several times", gathered)
    .option("--save <path>", "write the condensed session as a log of its own (PATH.jsonl and PATH.bodies), which view and recall read");
  return addPolicyOptions(command).option("--json", "one JSON object").action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  refuseMisread(file, options);
  const policy = withOptions(await policyFor(options), options);
  const opened = await openNamed(file, options);
  try {
    const writeCopy = options.copy === undefined ? undefined : await copyWriter(opened);
    const { condense, copyPlan, recallHidden } = await import("../../condense/index.ts");
    const head = headOf(opened.session, options.at);
    const condensed = condense(opened.session, policy.condense, { head });
    const recalled = recallHidden(condensed);
    const exact = recalled.exact === recalled.checked;
    // Before anything is printed: a reader that closes the pipe ends the process, and must not end it inside a copy.
    const copied = writeCopy && exact ? await writeCopy(copyPlan(condensed), opened, copyOptions(options)) : undefined;
    if (!options.json) await printReport(opened.session, condensed, recalled);
    if (options.explain && !options.json) await printExplanation(condensed, policy);
    if (options.json) json({ ...(await report(opened, { condensed, recall: recalled, policy, head })), ...(copied && { copy: copied }) });
    const name = options.save === undefined ? opened.path : await save(condensed, options.save);
    if (!options.json) {
      const { shellWord } = await import("../../condense/index.ts");
      if (options.save !== undefined) print(`\nsaved as ${name}\n`);
      if (copied) printCopy(copied, opened.session.identity.cwd);
      const next = exact ? nextCommands(condensed, name, { copied, saved: options.save !== undefined, word: shellWord }) : [];
      if (next.length > 0) print(`\nnext\n${table(next, new Set([0, 1]))}\n`);
    }
    if (!exact)
      throw new Failure(
        "not-exact",
        `expected every hidden original back byte for byte, found ${recalled.checked - recalled.exact} of ${recalled.checked} that differ from ${opened.path}. Was it changed while it was read? Run the command again.`,
        EXIT.verification,
      );
  } finally {
    opened.close();
  }
}

/** What a command line means otherwise than it says. */
function refuseMisread(file: string | undefined, { copy, dryRun, latest, protect, save }: Options): void {
  if (dryRun && copy === undefined)
    throw new Failure("usage", "expected --copy beside --dry-run, found none. A dry run is that of a copy: without --copy nothing is written.", EXIT.usage);
  if (dryRun && save !== undefined)
    throw new Failure("usage", "expected --dry-run or --save, found both: a dry run writes nothing. Leave one out.", EXIT.usage);
  if (protect?.includes("")) throw new Failure("usage", '--protect: expected a glob, found "". Name files, such as "**/AGENTS.md".', EXIT.usage);
  if (file === undefined && !latest && typeof copy === "string")
    throw new Failure(
      "usage",
      `expected a session FILE, found ${JSON.stringify(copy)} as the PATH of --copy. The FILE comes first: palimpsest condense FILE --copy [PATH].`,
      EXIT.usage,
    );
}

/** The policy with what the command's own options say. */
function withOptions(policy: Policy, { keepLast, protect = [] }: Options): Policy {
  const { condense } = policy;
  return {
    ...policy,
    condense: { ...condense, keepNewest: keepLast ?? condense.keepNewest, protectedPaths: [...condense.protectedPaths, ...protect] },
  };
}

/** What writes copies for the session's own agent. */
async function copyWriter({ path, session }: Opened): Promise<typeof writePiCopy> {
  const { format } = session.identity;
  if (format === "pi") return (await import("../../hosts/pi/index.ts")).writeCopy;
  if (format === "claude-code") return (await import("../../hosts/claude-code/index.ts")).writeCopy;
  const { CopyError } = await import("../../condense/index.ts");
  throw new CopyError(
    "copy-not-offered",
    `${path}: expected a session of Pi or Claude Code, found one of ${format}. Copies that resume are offered for these two; --save writes a log of Palimpsest's own.`,
  );
}

function copyOptions({ copy, dryRun = false }: Options): CopyOptions {
  return { ...(typeof copy === "string" && { path: copy }), dryRun };
}

/** Writes the log and gives its path. */
async function save(condensed: Condensed, path: string): Promise<string> {
  if (path === "" || path === "-" || /[\\/]$/.test(path))
    throw new Failure("usage", `expected a file to save to, found ${JSON.stringify(path)}. Name one, such as session-condensed.`, EXIT.usage);
  const { writeNative } = await import("../../formats/index.ts");
  const target = path.endsWith(".jsonl") ? path : `${path}.jsonl`;
  try {
    await writeNative(condensed.session, target);
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
}

async function report({ session, diagnostics }: Opened, { condensed, recall, policy, head }: Outcome): Promise<object> {
  const { composition } = await import("../../view/index.ts");
  const { hostDecisions, replay } = await import("../../replay/index.ts");
  const { duplicate, ...fates } = countFates(condensed);
  const figures = replay(session, policy.condense, { head });
  const honoured = hostDecisions(session) > 0 ? replay(session, policy.condense, { head, hosts: "honoured" }) : undefined;
  return {
    session: { format: session.identity.format, id: session.identity.id, entries: session.size, requests: condensed.requests },
    tokens: {
      before: condensed.before.tokens,
      after: condensed.after.tokens,
      source: "estimated",
      categories: { before: composition(condensed.before), after: composition(condensed.after) },
    },
    results: { total: condensed.results.length, ...fates, duplicates: duplicate },
    recall,
    ...figuresOf(figures),
    ...(honoured && { honoured: figuresOf(honoured) }),
    epochs: condensed.epochs,
    refs: await explainedRefs(condensed, policy),
    diagnostics,
  };
}

function figuresOf({ context, needles, cache }: ReplayReport): object {
  return { context, needles, cache };
}

function printCopy({ path, resume, written, results, calls, messages, tokens, left, files, checked }: CopyReport, cwd: string | undefined): void {
  const changed = results + calls + messages;
  const also = [...(calls > 0 ? [`${counted(calls, "call")} cut`] : []), ...(messages > 0 ? [`${counted(messages, "message")} without thinking`] : [])];
  const shown = [`${counted(results, "result")} condensed`, ...also].join(", ");
  print(
    changed === 0
      ? "\ncopy      nothing in the next request can be condensed\n"
      : `\ncopy      ${shown}: ${thousands(tokens.before)} tokens become ${thousands(tokens.after)}\n`,
  );
  print(leftLines(left));
  if (!written) {
    print(`          nothing was written${changed === 0 ? "" : `: it would be ${path}`}\n`);
    return;
  }
  for (const file of [path, ...files]) print(`          ${file}\n`);
  print(`          read back and compared: ${counted(checked, "fact")}\n\nresume    ${resume}\n`);
  if (cwd !== undefined) print(`          in ${printableName(cwd)}\n`);
}

/** What stays as it is, once for each reason. */
function leftLines(left: CopyReport["left"]): string {
  const lines = [...Map.groupBy(left, ({ why }) => why)].map(([why, [first, ...more]]) => {
    if (!first) return "";
    const which = more.length === 0 ? `${printableName(first.what)} is` : `${printableName(first.what)} and ${more.length} more are`;
    return `          ${which} left whole: ${why}\n`;
  });
  return `${lines.join("")}${lines.length < left.length ? "          --json lists them all\n" : ""}`;
}

interface Made {
  readonly copied: CopyReport | undefined;
  readonly saved: boolean;
  /** Quotes a path for a shell. */
  readonly word: (text: string) => string;
}

/** Commands that lead on, and what each gives. `name`: the session file, or the log that was saved. */
function nextCommands({ results, session }: Condensed, name: string, { copied, saved, word }: Made): (readonly string[])[] {
  const example = results.findLast(({ fate }) => fate.kind === "condensed");
  const { format } = session.identity;
  if (name === "-" || copied?.written === false) return [];
  const [file, source] = [word(copied?.path ?? name), word(name)];
  const isNew = copied !== undefined || saved;
  const offersCopy = !isNew && example && (format === "pi" || format === "claude-code");
  return [
    ...(isNew ? [[`  palimpsest view ${file}`, "what the model sees now"]] : []),
    ...(offersCopy ? [[`  palimpsest condense ${source} --copy`, `a condensed copy that ${format === "pi" ? "Pi" : "Claude Code"} resumes`]] : []),
    ...(example ? [[`  palimpsest recall ${file} ${example.ref}`, `the original of ${example.ref}`]] : []),
  ];
}
