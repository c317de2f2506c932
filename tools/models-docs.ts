// node tools/models-docs.ts: writes into docs/models.md the prompts as they are sent, and what condensing each recording takes of a model.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { recordingFiles } from "../bench/recordings.ts";
import { condense, condenseTelling, type SummaryReport } from "../src/condense/index.ts";
import { DEFAULT_POLICY } from "../src/config/index.ts";
import { openSession } from "../src/formats/index.ts";
import type { ModelRequest } from "../src/models/index.ts";
import type { Session } from "../src/session/index.ts";
import { estimate } from "../src/tokens/index.ts";
import { honestModel } from "../test/models/honest.ts";
import { examplePrompts } from "../test/models/prompts.ts";

const target = new URL("../docs/models.md", import.meta.url);

type Cells = readonly string[];

const HEAD: Cells = [
  "recording",
  "requests",
  "calls",
  "input tokens",
  "output tokens",
  "results told of",
  "bytes read in parts",
  "tokens at the end: whole / extracts / model",
];

async function row(name: string, session: Session): Promise<Cells | undefined> {
  const model = honestModel();
  const reports: SummaryReport[] = [];
  const usage = () => ({ model: model.name, calls: model.requests.length, unreported: 0 });
  const { condense: policy } = DEFAULT_POLICY;
  const told = await condenseTelling(session, policy, { model, policy: policy.summaries, usage }, { onReport: (report) => reports.push(report) });
  if (model.requests.length === 0) return undefined;
  const extracted = condense(session, policy);
  const sum = (of: (report: SummaryReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  const counts = [told.requests, model.requests.length, inputTokens(model.requests), model.outputTokens].map(grouped);
  return [
    name,
    ...counts,
    `${sum((report) => report.told)} of ${sum((report) => report.asked)}`,
    grouped(sum((report) => report.read.bytes)),
    [told.before, extracted.after, told.after].map(({ tokens }) => grouped(tokens)).join(" / "),
  ];
}

function inputTokens(requests: readonly ModelRequest[]): number {
  return requests.reduce((sum, { messages }) => sum + messages.reduce((all, { text }) => all + estimate(text), 0), 0);
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function table(rows: readonly Cells[]): string {
  const line = (cells: Cells) => `| ${cells.join(" | ")} |`;
  return [line(HEAD), line(HEAD.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

function replaced(text: string, what: string, content: string): string {
  const [begin, end] = [`<!-- ${what}: written by tools/models-docs.ts -->`, `<!-- end of ${what} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/models.md: expected the lines ${begin} and ${end}, found not both: put them back where they belong.`);
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
}

const prompts = examplePrompts().map(({ version, text }) => `\`${version}\`\n\n\`\`\`\`text\n${text}\n\`\`\`\``);
writeFileSync(target, replaced(readFileSync(target, "utf8"), "prompts", prompts.join("\n\n")));

const rows: Cells[] = [];
for (const file of recordingFiles()) {
  const opened = await openSession(file).catch(() => undefined);
  if (!opened) continue;
  const cells = await row(`${basename(dirname(file))}/${basename(file)}`, opened.session);
  if (cells) rows.push(cells);
  opened.close();
}
if (rows.length === 0) process.stderr.write("No recording was found beside the project: the figures in docs/models.md are left as they are.\n");
else writeFileSync(target, replaced(readFileSync(target, "utf8"), "figures", table(rows)));
