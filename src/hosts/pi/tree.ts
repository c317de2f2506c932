// What was condensed on a branch, for a person: epochs, what each changed, and what it saves.
import { aboutCall } from "../../condense/index.ts";
import { answeredCall, originalText, recall } from "../../recall/index.ts";
import type { CallFact, Place, Ref, ResultFact, Session, Tokens } from "../../session/index.ts";
import { type Change, type Changed, changesOf, noteTokens, shownIn } from "./changes.ts";
import { oneLine, short } from "./lines.ts";

/** One epoch of ours. */
export interface EpochNode {
  /** Of its note; absent where it has none, as for a result that was too large to be shown once. */
  readonly ref?: Ref;
  /** `begun`: its edits follow with the next message. */
  readonly state: "done" | "begun";
  /** Records that it is to change, where it has only begun. */
  readonly waiting: number;
  readonly leaves: readonly Leaf[];
  /** Tokens of what it changed as it came, and as it is shown now with its note. */
  readonly before: Tokens;
  readonly after: Tokens;
}

/** One thing that an epoch changed. */
export interface Leaf {
  readonly ref: Ref;
  readonly what: "result" | "arguments" | "thinking";
  readonly tool: string;
  /** What the call was about, in a few words. */
  readonly about: string;
  readonly state: Change["state"];
  readonly before: Tokens;
  readonly after: Tokens;
}

/** The epochs of a branch, oldest first. */
export function treeOf(live: Changed): readonly EpochNode[] {
  const shown = shownIn(live.view());
  return live.ours.batches.map((batch): EpochNode => {
    const leaves = changesOf(live, batch, shown).map(leafOf);
    const waiting = batch.targets.filter(({ entry }) => !batch.edits.has(entry)).length;
    return {
      ...(batch.ref !== null && { ref: batch.ref }),
      state: waiting > 0 ? "begun" : "done",
      waiting,
      leaves,
      before: sum(leaves.map(({ before }) => before)),
      after: sum(leaves.map(({ after }) => after)) + noteTokens(live, batch, shown),
    };
  });
}

function leafOf({ target, ref, state, before, after }: Change): Leaf {
  const { data } = target.entry;
  const call = data.kind === "call" ? data : data.kind === "result" ? (answeredCall(target)?.entry.data as CallFact | undefined) : undefined;
  const tool = data.kind === "call" || data.kind === "result" ? (data as CallFact | ResultFact).tool : "assistant";
  return {
    ref,
    what: data.kind === "result" ? "result" : data.kind === "call" ? "arguments" : "thinking",
    tool,
    // Where a command ran tells less than what it did.
    about: oneLine(
      aboutCall(call)
        .replace(/^cd [^\s;&]+\s*(?:&&|;|\n)\s*/, "")
        .trimStart()
        .slice(0, 400),
    ),
    state,
    before,
    after,
  };
}

/** `b2: 14 changes, 12k → 3.1k tokens` */
export function epochLine({ ref, state, waiting, leaves, before, after }: EpochNode): string {
  const name = ref ?? "shown short at once";
  if (state === "begun" && leaves.length === 0) return `${name}: ${counted(waiting, "change")}, applied with the next message`;
  return `${name}: ${counted(leaves.length, "change")}, ${short(before)} → ${short(after)} tokens${state === "begun" ? `, ${counted(waiting, "more")} with the next message` : ""}`;
}

/** `t17 bash: npm test, 4.1k → 310` */
export function leafLine({ ref, what, tool, about, state, before, after }: Leaf): string {
  const kind = what === "arguments" ? ` ${tool}, arguments` : what === "thinking" ? " thinking" : ` ${tool}`;
  const size = state === "condensed" ? `${short(before)} → ${short(after)}` : state === "restored" ? `${short(before)}, undone` : "hidden by Pi's compaction";
  return `${ref}${kind}${about === "" ? "" : `: ${about}`}, ${size}`;
}

/** The whole tree as text. */
export function treeText(epochs: readonly EpochNode[], width = 110): string {
  if (epochs.length === 0) return "nothing is condensed here";
  const cut = (line: string) => (line.length <= width ? line : `${line.slice(0, width - 1)}…`);
  return epochs.flatMap((epoch) => [cut(epochLine(epoch)), ...epoch.leaves.map((leaf) => `  ${cutAbout(leaf, width - 2)}`)]).join("\n");
}

/** A leaf's line with its sizes whole, however long what it was about is. */
export function cutAbout(leaf: Leaf, width: number): string {
  const over = leafLine(leaf).length - width;
  if (over <= 0) return leafLine(leaf);
  return leafLine({ ...leaf, about: over + 1 >= leaf.about.length ? "" : `${leaf.about.slice(0, leaf.about.length - over - 1)}…` });
}

/** The original behind a ref; undefined where nothing has it. */
export function originalOf(session: Session, ref: string, head: Place | null): string | undefined {
  const found = recall(session, ref, head);
  return "kind" in found ? undefined : found.map(originalText).join("\n");
}

function counted(count: number, one: string): string {
  return `${count} ${count === 1 || one === "more" ? one : `${one}s`}`;
}

function sum(list: readonly number[]): number {
  return list.reduce((all, each) => all + each, 0);
}
