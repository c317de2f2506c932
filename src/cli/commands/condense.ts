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
import { percent, table, thousands } from "../table.ts";

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
    const saved = options.save === undefined ? undefined : await save(condensed, options.save);
    if (options.json) json(await report(opened, condensed, recalled));
    else await printReport(opened, condensed, recalled, saved);
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
  const { writeNative } = await import("../../formats/index.ts");
  const target = path.endsWith(".jsonl") ? path : `${path}.jsonl`;
  await writeNative(condensed.session, target);
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
    diagnostics,
  };
}

async function printReport(
  { session, path, diagnostics }: Awaited<ReturnType<typeof openNamed>>,
  condensed: Condensed,
  recall: Exactness,
  saved: string | undefined,
): Promise<void> {
  const { before, after, context, epochs, results } = condensed;
  const counts = countFates(condensed);
  print(
    `${session.identity.format} session ${session.identity.id}: ${thousands(session.size)} entries, ${thousands(condensed.requests)} requests, ${thousands(results.length)} results\n\n`,
  );
  print(`${await categories(condensed)}\n\n`);
  print(
    `results   ${counts.condensed} condensed, ${counts.spilled} spilled, ${counts.duplicate} duplicates, ${counts.protected} protected, ${counts.kept} kept\n`,
  );
  print(
    `epochs    ${epochs.length}${epochs.length > 0 ? `, each saving ${thousands(epochs.reduce((sum, each) => sum + each.saving, 0) / epochs.length)} tokens of every later request on average` : ""}\n`,
  );
  print(
    `context   ${thousands(context.averageFull)} tokens a request on average, ${thousands(context.averageCondensed)} condensed (${percent(context.averageCondensed, context.averageFull)})\n`,
  );
  print(`recall    ${recall.exact} of ${recall.checked} hidden originals recalled and equal to their source by sha256\n`);
  if (diagnostics.length > 0) print(`notes     ${diagnostics.length} about the file itself: --json lists them\n`);
  const example = results.findLast(({ fate }) => fate.kind === "condensed");
  const name = saved ?? path;
  if (saved !== undefined) print(`\nsaved as ${saved}; \`palimpsest view ${saved}\` shows what the model would see\n`);
  if (example && name !== "-") print(`\nAn original comes back with its ref: palimpsest recall ${name} ${example.ref}\n`);
  if (after.tokens >= before.tokens) print("\nNothing here is worth condensing.\n");
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
