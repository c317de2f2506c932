// palimpsest view: what the model sees.
import { Command } from "commander";
import { bodyText, type Session } from "../../session/index.ts";
import type { Item, View } from "../../view/index.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf, headOfRequest } from "../head.ts";
import { wholeNumber } from "../option-values.ts";
import { json, print } from "../output.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { counted, percent, printable, printableName, table, thousands } from "../table.ts";

interface Options {
  readonly at?: string;
  readonly request?: number;
  readonly full?: boolean;
  readonly exact?: boolean;
  readonly latest?: boolean;
  readonly json?: boolean;
}

export function viewCommand(): Command {
  return sessionArgument(new Command("view"))
    .summary("what the model sees at any point of a session")
    .description(
      "Prints what the next request of a session holds: every message, call and result, what stands in place of hidden ones, and tokens by category (estimated).",
    )
    .option("--at <entry>", "at this entry, on its branch (default: where the session ends)")
    .option("--request <n>", "what the N-th request held (from 1)", wholeNumber("--request", 1))
    .option("--full", "whole texts instead of their first lines")
    .option("--exact", "count with the vocabulary o200k_base too (takes a moment to load; no exact one is published for Claude)")
    .option("--json", "one JSON object")
    .action(run);
}

async function run(file: string | undefined, options: Options): Promise<void> {
  if (options.at !== undefined && options.request !== undefined)
    throw new Failure("usage", "expected --at or --request, found both: leave one out.", EXIT.usage);
  const opened = await openNamed(file, options);
  try {
    const { view } = await import("../../view/index.ts");
    const head =
      options.request === undefined ? headOf(opened.session, options.at) : headOfRequest(opened.session, options.request, headOf(opened.session, undefined));
    const shown = view(opened.session, head);
    const exact = options.exact ? await exactTotal(shown) : undefined;
    if (options.json) await printJson(opened.session, shown, exact);
    else await printText(opened.session, shown, { full: options.full === true, exact });
  } finally {
    opened.close();
  }
}

async function exactTotal(shown: View): Promise<number> {
  const { exactCounter } = await import("../../tokens/index.ts");
  const { exactItemTokens } = await import("../../view/index.ts");
  const count = await exactCounter("o200k_base");
  return shown.items.reduce((sum, item) => sum + exactItemTokens(item, count), 0);
}

async function printJson(session: Session, shown: View, exact: number | undefined): Promise<void> {
  const { composition, itemText, itemTokens, pairFaults, reportedTokens, totalTokens } = await import("../../view/index.ts");
  const tokens = composition(shown);
  json({
    session: { format: session.identity.format, id: session.identity.id },
    head: shown.head?.entry.id ?? null,
    heads: session.heads().map((place) => place.entry.id),
    hash: shown.hash(),
    tokens: {
      total: totalTokens(tokens),
      source: "estimated",
      ...tokens,
      reported: reportedTokens(session, shown.head),
      ...(exact !== undefined && { exact: { encoding: "o200k_base", total: exact } }),
    },
    pairs: { faults: pairFaults(shown) },
    items: shown.items.map((item) => ({
      ...named(item),
      tokens: itemTokens(item),
      text: itemText(item),
      ...(thoughts(item).length > 0 && { thinking: thoughts(item) }),
    })),
  });
}

/** The thinking that an item holds. */
function thoughts(item: Item): string[] {
  if (item.kind !== "message") return [];
  return item.blocks.flatMap((block) => (block.type === "thinking" && block.body.bytes > 0 ? [bodyText(block.body)] : []));
}

function named(item: Item): object {
  const { kind, role } = item;
  const call = "callId" in item ? { callId: item.callId, tool: item.tool } : {};
  return {
    kind,
    role,
    entry: item.place.entry.id,
    ...("ref" in item && item.ref ? { ref: item.ref } : {}),
    ...call,
    ...("status" in item ? { status: item.status } : {}),
  };
}

async function printText(session: Session, shown: View, { full, exact }: { readonly full: boolean; readonly exact: number | undefined }): Promise<void> {
  const { CATEGORIES, composition, itemText, itemTokens, reportedTokens, totalTokens } = await import("../../view/index.ts");
  for (const item of shown) {
    print(`${title(item)}  (${thousands(itemTokens(item))} tokens)\n`);
    const text = printable([...thoughts(item).map((thought) => `(thinking) ${thought}`), ...(itemText(item) === "" ? [] : [itemText(item)])].join("\n"));
    if (text !== "") print(`${full ? text : shortened(text)}\n`);
    print("\n");
  }
  const tokens = composition(shown);
  const total = totalTokens(tokens);
  const rows = CATEGORIES.filter((category) => tokens[category] > 0).map((category) => [
    category,
    thousands(tokens[category]),
    percent(tokens[category], total),
  ]);
  print(`${table([["tokens (estimated)", thousands(total), ""], ...rows])}\n`);
  const { tokens: reported, source, model } = reportedTokens(session, shown.head);
  if (source !== "estimated") print(`\n${thousands(reported)} tokens by what ${model ?? "the provider"} reported (${source})\n`);
  if (exact !== undefined) print(`${thousands(exact)} tokens with the vocabulary o200k_base (exact)\n`);
  const others = session.heads().filter((place) => place !== shown.head).length;
  if (others > 1) print(`\n${others} other branches: \`--at ENTRY\` shows one, \`--json\` lists their ends.\n`);
}

function title(item: Item): string {
  const ref = "ref" in item && item.ref ? ` ${item.ref}` : "";
  if (item.kind === "call") return `── call ${printableName(item.tool)}`;
  if (item.role === "tool") return `── ${item.kind}${ref} ${printableName(item.tool)}${item.status === "error" ? " (error)" : ""}`;
  if (item.kind === "message") return `── ${item.role}${ref}`;
  // Several messages may stand in place of what one decision hides.
  if (item.kind === "block") return `── block${ref}${item.role === "user" ? "" : ` (${item.role})`}`;
  return `── ${item.kind}${ref}`;
}

const FIRST_LINES = 6;
const LINE_WIDTH = 160;

function shortened(text: string): string {
  const lines = text.split("\n");
  const first = lines.slice(0, FIRST_LINES).map((line) => (line.length > LINE_WIDTH ? `${line.slice(0, LINE_WIDTH)}…` : line));
  return lines.length > FIRST_LINES ? `${first.join("\n")}\n… ${counted(lines.length - FIRST_LINES, "more line")}` : first.join("\n");
}
