// palimpsest view: what the model sees.
import { Command, InvalidArgumentError } from "commander";
import { bodyText, type Session } from "../../session/index.ts";
import type { Item, View } from "../../view/index.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf, headOfRequest } from "../head.ts";
import { json, print } from "../output.ts";
import { openNamed, sessionArgument } from "../session-input.ts";
import { percent, printable, printableName, table, thousands } from "../table.ts";

interface Options {
  readonly at?: string;
  readonly request?: number;
  readonly full?: boolean;
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
    .option("--request <n>", "what the N-th request held (from 1)", number)
    .option("--full", "whole texts instead of their first lines")
    .option("--json", "one JSON object")
    .action(run);
}

function number(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError(`expected a whole number from 1, found ${JSON.stringify(text)}.`);
  return Number(text);
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
    if (options.json) await printJson(opened.session, shown);
    else await printText(opened.session, shown, options.full === true);
  } finally {
    opened.close();
  }
}

async function printJson(session: Session, shown: View): Promise<void> {
  const { composition, itemText, itemTokens, pairFaults, totalTokens } = await import("../../view/index.ts");
  const tokens = composition(shown);
  json({
    session: { format: session.identity.format, id: session.identity.id },
    head: shown.head?.entry.id ?? null,
    heads: session.heads().map((place) => place.entry.id),
    hash: shown.hash(),
    tokens: { total: totalTokens(tokens), source: "estimated", ...tokens },
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
  return item.blocks.flatMap((block) => (block.type === "thinking" ? [bodyText(block.body)] : []));
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

async function printText(session: Session, shown: View, full: boolean): Promise<void> {
  const { CATEGORIES, composition, itemText, itemTokens, totalTokens } = await import("../../view/index.ts");
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
  const others = session.heads().filter((place) => place !== shown.head).length;
  if (others > 1) print(`\n${others} other branches: \`--at ENTRY\` shows one, \`--json\` lists their ends.\n`);
}

function title(item: Item): string {
  const ref = "ref" in item && item.ref ? ` ${item.ref}` : "";
  if (item.kind === "call") return `── call ${printableName(item.tool)}`;
  if (item.role === "tool") return `── ${item.kind}${ref} ${printableName(item.tool)}${item.status === "error" ? " (error)" : ""}`;
  if (item.kind === "message") return `── ${item.role}${ref}`;
  return `── ${item.kind}${ref}`;
}

const FIRST_LINES = 6;
const LINE_WIDTH = 160;

function shortened(text: string): string {
  const lines = text.split("\n");
  const first = lines.slice(0, FIRST_LINES).map((line) => (line.length > LINE_WIDTH ? `${line.slice(0, LINE_WIDTH)}…` : line));
  return lines.length > FIRST_LINES ? `${first.join("\n")}\n… ${thousands(lines.length - FIRST_LINES)} more lines` : first.join("\n");
}
