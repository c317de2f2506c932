// The note of a copy or a batch: what is shown shortened, and how to read the originals.
import { footer, type Telling } from "../condense/index.ts";
import { refSpans } from "../recall/index.ts";
import type { Ref } from "../session/index.ts";
import { ownCommand } from "./own-command.ts";
import { shellWord } from "./shell-word.ts";

/** What the note of a copy names. */
export interface CopyNote {
  /** Of the note itself; none where no result is among what it names. */
  readonly ref: Ref | undefined;
  readonly results: readonly Ref[];
  readonly calls: readonly Ref[];
  readonly messages: readonly Ref[];
  /** The copy's. */
  readonly path: string;
  /** What starts Palimpsest in a shell. @default this installation */
  readonly command?: string;
  /** What a model says of some of the results. */
  readonly told?: Telling;
}

/** The one line that tells the model what a copy shows shortened, and how to read the originals. */
export function copyNote({ ref, results, calls, messages, path, command = ownCommand(), told }: CopyNote): string {
  const summarized = told?.stubs.size ?? 0;
  const parts = [
    ...(summarized > 0
      ? [`${counted(summarized, "result is", "results are")} summarized below, each stub begins with its ref`, ...inPlace(results.length - summarized)]
      : results.length > 0
        ? [`${counted(results.length, "result was", "results were")} condensed in place, each stub begins with its ref: ${refSpans(results)}`]
        : []),
    ...(calls.length > 0 ? [`the arguments of ${counted(calls.length, "call were", "calls were")} cut: ${refSpans(calls)}`] : []),
    ...(messages.length > 0 ? [`the thinking of ${counted(messages.length, "message was", "messages was")} left out: ${refSpans(messages)}`] : []),
  ];
  const remark = told && told.remark !== "" ? `; ${told.remark}` : "";
  const below = summarized > 0 ? `\n${told?.bullets}${footer(results)}` : "";
  const example = results[0] ?? calls[0] ?? messages[0] ?? "t1";
  return `[${ref === undefined ? "" : `${ref} `}automatic note, not from the user: ${parts.join("; ")}${remark}. The originals are kept: read one with the tool context_tree_query where you have it, else with the shell command \`${command} recall ${shellWord(path)} ${example}\`]${below}`;
}

function inPlace(count: number): string[] {
  return count > 0 ? [counted(count, "result was condensed in place", "results were condensed in place")] : [];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
