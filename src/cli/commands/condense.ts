// palimpsest condense: what condensing saves, and a log with the decisions in it.
import { Command } from "commander";
import type { Condensed, Fate } from "../../condense/index.ts";
import type { Policy } from "../../config/index.ts";
import type { Exactness } from "../../recall/index.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf } from "../head.ts";
import { json, print } from "../output.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { percent, printableName, table, thousands } from "../table.ts";

interface Options {
  readonly at?: string;
  readonly policy?: string;
  readonly save?: string;
  readonly latest?: boolean;
  readonly json?: boolean;
}

export function condenseCommand(): Command {
  return sessionArgument(new Command("condense"))
    .summary("what condensing a session saves, and that every original comes back")
    .description(
      "Condenses the results of a session with no language model, as if it had been done while the session ran and once more at its end, and prints what that saves. Every hidden original is recalled and compared with its source. The session file is only read.",
    )
    .option("--at <entry>", "as far as this entry, on its branch (default: where the session ends)")
    .option("--policy <file>", "a JSON file with other figures than the defaults")
    .option("--save <path>", "write the condensed session as a log of its own (PATH.jsonl and PATH.bodies), which view and recall read")
    .option("--json", "one JSON object")
    .action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  const policy = await readPolicy(options.policy);
  const opened = await openNamed(file, options);
  try {
    const { condense, recallHidden } = await import("../../condense/index.ts");
    const condensed = condense(opened.session, policy.condense, headOf(opened.session, options.at));
    const recalled = recallHidden(condensed);
    if (options.json) json(await report(opened, condensed, recalled));
    else await printReport(opened, condensed, recalled);
    const name = options.save === undefined ? opened.path : await save(condensed, options.save);
    if (!options.json) printNext(condensed, name, options.save !== undefined);
    if (recalled.exact < recalled.checked)
      throw new Failure(
        "not-exact",
        `expected every hidden original back byte for byte, found ${recalled.checked - recalled.exact} of ${recalled.checked} that differ from ${opened.path}. Was it changed while it was read? Run the command again.`,
        EXIT.verification,
      );
  } finally {
    opened.close();
  }
}

async function readPolicy(path: string | undefined): Promise<Policy> {
  const { DEFAULT_POLICY, parsePolicy } = await import("../../config/index.ts");
  if (path === undefined) return DEFAULT_POLICY;
  const { readFile } = await import("node:fs/promises");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Failure(
      "policy-unreadable",
      `${path}: expected a policy file, found ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "no such file" : (error as Error).message}.`,
      EXIT.usage,
    );
  }
  return parsePolicy(text, path);
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

function countFates(condensed: Condensed): Record<Fate["kind"], number> {
  const counts = { condensed: 0, spilled: 0, duplicate: 0, protected: 0, kept: 0 };
  for (const { fate } of condensed.results) counts[fate.kind] += 1;
  return counts;
}

async function report({ session, diagnostics }: Awaited<ReturnType<typeof openNamed>>, condensed: Condensed, recall: Exactness): Promise<object> {
  const { composition } = await import("../../view/index.ts");
  const { duplicate, ...fates } = countFates(condensed);
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
    context: condensed.context,
    epochs: condensed.epochs,
    refs: condensed.results.map(({ ref, place, fact, tokens, fate }) => ({
      ref,
      entry: place.entry.id,
      tool: fact.tool,
      before: tokens,
      ...fate,
      fate: fate.kind,
      after: "tokens" in fate ? fate.tokens : tokens,
    })),
    diagnostics,
  };
}

async function printReport({ session }: Awaited<ReturnType<typeof openNamed>>, condensed: Condensed, recall: Exactness): Promise<void> {
  const { context, epochs, results } = condensed;
  const counts = countFates(condensed);
  const saving = epochs.reduce((sum, each) => sum + each.saving, 0) / Math.max(1, epochs.length);
  const { format, id } = session.identity;
  print(
    `${format} session ${printableName(id)}: ${thousands(session.size)} entries, ${thousands(condensed.requests)} requests, ${thousands(results.length)} results\n\n`,
  );
  print(`${await categories(condensed)}\n\n`);
  const largest = await largestSavings(condensed);
  if (largest !== "") print(`largest savings, in tokens\n${largest}\n\n`);
  print(
    `results   ${counts.condensed} condensed, ${counts.spilled} spilled, ${counts.duplicate} duplicates, ${counts.protected} protected, ${counts.kept} kept\n`,
  );
  print(`epochs    ${epochs.length}${epochs.length > 0 ? `, each saving ${thousands(saving)} tokens of every later request on average` : ""}\n`);
  print(
    `context   ${thousands(context.averageFull)} tokens a request on average, ${thousands(context.averageCondensed)} condensed (${percent(context.averageCondensed, context.averageFull)})\n`,
  );
  print(`recall    ${recall.exact} of ${recall.checked} hidden originals recalled and equal to their source by sha256\n`);
}

/** What can be done next. `name`: the session file, or the log that was saved. */
function printNext({ results }: Condensed, name: string, saved: boolean): void {
  const example = results.findLast(({ fate }) => fate.kind === "condensed");
  if (saved) print(`\nsaved as ${name}; \`palimpsest view ${name}\` shows what the model would see\n`);
  if (example && name !== "-") print(`\nThe original of ${example.ref}: palimpsest recall ${name} ${example.ref}\n`);
  if (!example) print("\nNothing here is worth condensing.\n");
}

async function largestSavings({ results }: Condensed): Promise<string> {
  const { aboutCall } = await import("../../condense/index.ts");
  const saved = results.flatMap((record) => ("tokens" in record.fate ? [{ record, left: record.fate.tokens }] : []));
  const largest = saved.sort((a, b) => b.record.tokens - b.left - (a.record.tokens - a.left)).slice(0, 5);
  const rows = largest.map(({ record, left }) => [
    `  ${record.ref}`,
    printableName(record.fact.tool),
    shortened(aboutCall(record.call)),
    thousands(record.tokens),
    thousands(left),
  ]);
  return table(rows, new Set([0, 1, 2]));
}

function shortened(text: string): string {
  const line = printableName(text);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

async function categories({ before, after }: Condensed): Promise<string> {
  const { CATEGORIES, composition, totalTokens } = await import("../../view/index.ts");
  const [full, small] = [composition(before), composition(after)];
  const rows = CATEGORIES.filter((category) => full[category] + small[category] > 0).map((category) => [
    category,
    thousands(full[category]),
    thousands(small[category]),
    "",
  ]);
  const totals = [totalTokens(full), totalTokens(small)] as const;
  return table([
    ["tokens (estimated)", "before", "after", "left"],
    ...rows,
    ["next request", thousands(totals[0]), thousands(totals[1]), percent(totals[1], totals[0])],
  ]);
}
