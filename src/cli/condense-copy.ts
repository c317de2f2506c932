// The condensed copy of `condense --copy`: who writes it, by which policy, and what is said of it.
import type { Condensed } from "../condense/index.ts";
import type { CondensePolicy } from "../config/index.ts";
import type { CopyOptions, CopyReport, LeftWhole } from "../copies/index.ts";
import type { Opened } from "../formats/index.ts";
import type { writeCopy as writePiCopy } from "../hosts/pi/index.ts";
import { print } from "./output.ts";
import { counted, printableName, thousands } from "./table.ts";

/** What writes copies for one agent. */
export interface Copier {
  /** The policy without what a copy cannot show, so that what is planned is what it shows. */
  readonly policy: (policy: CondensePolicy) => CondensePolicy;
  readonly write: typeof writePiCopy;
  /** What of a plan by the whole policy no copy can show. */
  readonly leftWhole: (plan: Parameters<typeof writePiCopy>[0]) => readonly LeftWhole[];
}

/** For the session's own agent. @throws CopyError where none is offered */
export async function copierOf({ path, format, session }: Opened & { readonly path: string }): Promise<Copier> {
  if (format === "pi") {
    const { copyPolicy, writeCopy } = await import("../hosts/pi/index.ts");
    return { policy: copyPolicy, write: writeCopy, leftWhole: () => [] };
  }
  if (format === "claude-code") {
    const { copyPolicy, leftWhole, writeCopy } = await import("../hosts/claude-code/index.ts");
    return { policy: copyPolicy, write: writeCopy, leftWhole };
  }
  const { CopyError } = await import("../copies/index.ts");
  const found =
    format === "palimpsest"
      ? `a log of Palimpsest's own (made from one of ${session.identity.format}). Copy the session file that it was made from.`
      : `one of ${format}. Copies that resume are offered for these two; --save writes a log of Palimpsest's own.`;
  throw new CopyError("copy-not-offered", `${path}: expected a session of Pi or Claude Code, found ${found}`);
}

/** Writes the copy of a session that was condensed by the copier's policy. `alone`: the same by the whole policy. */
export async function writtenCopy(
  { write, leftWhole }: Copier,
  { condensed, alone }: { readonly condensed: Condensed; readonly alone: Condensed },
  opened: Opened & { readonly path: string },
  options: CopyOptions,
): Promise<CopyReport> {
  const { copyPlan } = await import("../copies/index.ts");
  const report = await write(copyPlan(condensed), opened, options);
  return alone === condensed ? report : { ...report, left: [...report.left, ...leftWhole(copyPlan(alone))] };
}

export interface CopyWords {
  /** Of the session. */
  readonly cwd: string | undefined;
  /** The policy folds chains. */
  readonly folds: boolean;
}

export function printCopy({ path, id, resume, place, written, results, calls, messages, tokens, left, files, checked }: CopyReport, words: CopyWords): void {
  const changed = results + calls + messages;
  const also = [...(calls > 0 ? [`${counted(calls, "call")} cut`] : []), ...(messages > 0 ? [`${counted(messages, "message")} without thinking`] : [])];
  const shown = [`${counted(results, "result")} condensed`, ...also].join(", ");
  print(
    changed === 0
      ? "\ncopy      nothing in the next request can be condensed\n"
      : `\ncopy      ${shown}: ${thousands(tokens.before)} tokens become ${thousands(tokens.after)}\n`,
  );
  print(leftLines(left));
  if (words.folds) print("          chains are not folded: no copy can hold a fold\n");
  if (!written) {
    print(`          nothing was written${changed === 0 ? "" : `: it would be ${path}`}\n`);
    return;
  }
  for (const file of [path, ...files]) print(`          ${file}\n`);
  print(`          read back and compared: ${counted(checked, "fact")}\n\n`);
  if (place === undefined) print(`resume    ${resume}\n`);
  else
    print(
      `resume    not from there: Claude Code looks in ${place}\n          write the copy there (--copy ${place}), or move ${id}.jsonl and the folder ${id} there; then ${resume}\n`,
    );
  if (words.cwd !== undefined) print(`          in ${printableName(words.cwd)}\n`);
}

/** What stays as it is, once for each reason. */
function leftLines(left: CopyReport["left"]): string {
  const lines = [...Map.groupBy(left, ({ why }) => why)].map(([why, each]) => `          left whole: ${leftWords(each)}: ${why}\n`);
  return `${lines.join("")}${left.length > 0 ? "          --json lists each\n" : ""}`;
}

/** `2 results, the arguments of 12 calls, the thinking of 1 message` */
function leftWords(left: CopyReport["left"]): string {
  const count = (wanted: LeftWhole["kind"]) => left.filter(({ kind }) => kind === wanted).length;
  const [results, calls, messages] = [count("result"), count("call"), count("message")];
  return [
    ...(results > 0 ? [counted(results, "result")] : []),
    ...(calls > 0 ? [`the arguments of ${counted(calls, "call")}`] : []),
    ...(messages > 0 ? [`the thinking of ${counted(messages, "message")}`] : []),
  ].join(", ");
}
