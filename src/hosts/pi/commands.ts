// `/palimpsest` and `/pal`: what a person can ask for, in every mode of Pi.
import type { ExtensionAPI, ExtensionCommandContext, RegisteredCommand } from "@earendil-works/pi-coding-agent";
import type { SwitchData } from "./records.ts";
import type { Asked, Runner } from "./runner.ts";
import { messageOf, type Running, say } from "./running.ts";

type Completion = NonNullable<Awaited<ReturnType<NonNullable<RegisteredCommand["getArgumentCompletions"]>>>>[number];

interface Command {
  readonly name: string;
  readonly takes?: string;
  readonly does: string;
  readonly run: (asked: Asked) => void | Promise<void>;
}

const COMMANDS: readonly Command[] = [
  { name: "status", does: "what is condensed, what it saves, what is wrong", run: status },
  { name: "now", does: "condense everything that is old enough, with the next message", run: now },
  { name: "undo", takes: "[REF]", does: "show a result, a cut argument or an epoch as it came; without REF the newest epoch", run: undo },
  { name: "on", does: "condense in this session", run: (asked) => switched(asked, true) },
  { name: "off", does: "condense no more in this session; what is condensed stays", run: (asked) => switched(asked, false) },
  { name: "model", takes: "[NAME [THINKING]]", does: "the model that writes summaries: PROVIDER/ID, current for the session's own, or none", run: model },
  { name: "settings", does: "look at the settings and change them", run: settings },
  { name: "recall", takes: "REF", does: "read an original", run: recall },
  { name: "tree", does: "browse epochs, refs and savings", run: tree },
  { name: "help", does: "list these commands", run: ({ ctx }) => say(ctx, helpText()) },
];

/** Registers the command under both of its names. */
export function registerCommands(pi: ExtensionAPI, runner: Runner): void {
  for (const name of ["palimpsest", "pal"])
    pi.registerCommand(name, {
      description: name === "pal" ? "Palimpsest: the same as /palimpsest" : "Palimpsest: keep the context small, lose nothing",
      getArgumentCompletions: async (written) => completions(written, await runner.current()),
      handler: (args, ctx) => run(args, ctx, pi, runner),
    });
}

async function run(args: string, ctx: ExtensionCommandContext, pi: ExtensionAPI, runner: Runner): Promise<void> {
  const [name = "status", ...rest] = args.trim().split(/\s+/).filter(Boolean);
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) return say(ctx, `expected ${COMMANDS.map((each) => each.name).join(", ")}, found ${JSON.stringify(name)}\n${helpText()}`, "error");
  const running = await runner.current();
  if (!running) return runner.isInSession ? say(ctx, "Palimpsest does not run in this session: start Pi again, or reload it.", "error") : undefined;
  running.live.sync(ctx.sessionManager);
  try {
    await command.run({ pi, runner, running, ctx, rest: rest.join(" ") });
    if (!running.ended.aborted) await runner.refresh(ctx);
  } catch (error) {
    if (running.ended.aborted) throw error;
    say(ctx, messageOf(error), "error");
  }
}

function helpText(): string {
  return COMMANDS.map(({ name, takes, does }) => `/palimpsest ${name}${takes === undefined ? "" : ` ${takes}`}: ${does}`).join("\n");
}

async function status({ running, ctx }: Asked): Promise<void> {
  const { statusText } = await import("./status.ts");
  if (!running.ended.aborted) say(ctx, statusText(running));
}

/** Between two runs no edit can be written: the batch is begun, and its edits follow with the next message. */
async function now({ pi, runner, running, ctx }: Asked): Promise<void> {
  const { live, settings, ended, isOn, summaries } = running;
  if (!ctx.isIdle()) {
    runner.ask();
    return say(ctx, "the agent works: condensed as soon as its turn ends");
  }
  if (ended.aborted) return;
  if (live.open) return say(ctx, "begun already: applies with the next message");
  const proposal = live.onDemand();
  if (proposal && summaries && ctx.hasUI) say(ctx, `${summaries.name} is asked for summaries`);
  const told = proposal && (await runner.tell(running, proposal, ctx));
  if (ended.aborted) return;
  if (proposal && !told) return say(ctx, "the session went on meanwhile: nothing was condensed", "warning");
  for (const { customType, data } of told?.records ?? []) pi.appendEntry(customType, data);
  live.sync(ctx.sessionManager);
  const begun = told?.proposal && live.begin(told.proposal);
  if (!begun) return say(ctx, `nothing is old enough to be condensed: the newest ${settings.policy.condense.keepNewest} results stay as they came`);
  pi.appendEntry(begun.type, begun.recovery);
  const { batch } = begun.recovery as { readonly batch: string };
  pi.sendMessage({ customType: begun.type, content: begun.note, display: false, details: { batch } });
  live.sync(ctx.sessionManager);
  const [opened] = live.ours.batches.slice(-1);
  const count = opened?.targets.length ?? 0;
  const rest = !live.ours.more ? "" : isOn() ? ", and what is left with those behind it" : ", and /palimpsest now behind it condenses what is left";
  say(ctx, `${opened?.ref ?? "begun"}: ${count} ${count === 1 ? "change" : "changes"}, applies with the next message${rest}; /palimpsest undo takes it back`);
}

async function undo({ pi, running: { live, ended }, ctx, rest }: Asked): Promise<void> {
  const { BATCH_TYPE } = await import("../../formats/index.ts");
  const { planUndo } = await import("./undo.ts");
  const { refSpans } = await import("../../recall/index.ts");
  if (ended.aborted) return;
  const plan = planUndo(live, rest === "" ? undefined : rest);
  if ("why" in plan) return say(ctx, plan.why, "warning");
  pi.appendEntry(BATCH_TYPE, plan.data);
  live.sync(ctx.sessionManager);
  say(ctx, `undone: ${refSpans(plan.refs)}; applies ${ctx.isIdle() ? "with the next message" : "as soon as the turn ends"}`);
}

async function switched({ pi, running: { live, ended }, ctx }: Asked, enabled: boolean): Promise<void> {
  const { BATCH_TYPE } = await import("../../formats/index.ts");
  if (ended.aborted) return;
  const data: SwitchData = { version: 1, kind: "switch", enabled };
  pi.appendEntry(BATCH_TYPE, data);
  live.sync(ctx.sessionManager);
  say(ctx, enabled ? "on in this session" : "off in this session: nothing more is condensed, and what is condensed stays; /palimpsest undo takes it back");
}

async function model(asked: Asked): Promise<void> {
  const { changeModel } = await import("./model-command.ts");
  if (!asked.running.ended.aborted) await changeModel(asked);
}

async function settings(asked: Asked): Promise<void> {
  const { changeSettings, settingsText } = await import("./settings-dialog.ts");
  if (asked.running.ended.aborted) return;
  if (asked.ctx.hasUI) await changeSettings(asked);
  else say(asked.ctx, settingsText(asked.running));
}

async function recall({ running: { live, ended }, ctx, rest }: Asked): Promise<void> {
  if (rest === "") return say(ctx, "expected a ref, such as /palimpsest recall t1: /palimpsest tree lists them", "error");
  const { originalOf } = await import("./tree.ts");
  const { readerOf } = await import("./browser.ts");
  const { terminalOf } = await import("./terminal.ts");
  if (ended.aborted) return;
  const original = originalOf(live.session, rest, live.head);
  if (original === undefined)
    return say(ctx, `expected a ref, an entry id or a tool-call id of this branch, found ${JSON.stringify(rest)}: /palimpsest tree lists the refs`, "error");
  if (ctx.mode !== "tui") return say(ctx, original);
  await ctx.ui.custom<void>((tui, theme, keys, done) => readerOf({ title: rest, text: original }, terminalOf(tui, theme, keys, done)));
}

async function tree({ running: { live, ended }, ctx }: Asked): Promise<void> {
  const { originalOf, treeOf, treeText } = await import("./tree.ts");
  const { treeBrowser } = await import("./browser.ts");
  const { terminalOf } = await import("./terminal.ts");
  if (ended.aborted) return;
  const epochs = treeOf(live);
  if (ctx.mode !== "tui" || epochs.length === 0) return say(ctx, treeText(epochs));
  const original = (ref: string) => originalOf(live.session, ref, live.head) ?? "";
  await ctx.ui.custom<void>((tui, theme, keys, done) => treeBrowser(epochs, original, terminalOf(tui, theme, keys, done)));
}

/** Refs that are offered at most: the newest. */
const OFFERED = 50;

/** What may stand where the person writes: a command, or a ref behind one that takes one. */
export async function completions(written: string, running: Running | undefined): Promise<Completion[] | null> {
  const [, name, given] = /^\s*(\S+)\s+(\S*)$/.exec(written) ?? [];
  if (name === undefined) {
    const start = written.trimStart();
    const commands = COMMANDS.filter((each) => each.name.startsWith(start));
    return commands.length === 0
      ? null
      : commands.map((each) => ({ value: each.takes ? `${each.name} ` : each.name, label: each.name, description: each.does }));
  }
  if (!running || COMMANDS.find((each) => each.name === name)?.takes === undefined) return null;
  if (name === "model") return modelNames(running, given ?? "");
  const { epochLine, leafLine, treeOf } = await import("./tree.ts");
  const refs = treeOf(running.live)
    .flatMap((epoch) => [
      ...epoch.leaves.filter(({ state }) => name === "recall" || state === "condensed").map((leaf) => ({ ref: leaf.ref, said: leafLine(leaf) })),
      ...(epoch.ref === undefined ? [] : [{ ref: epoch.ref, said: epochLine(epoch) }]),
    ])
    .filter(({ ref }) => ref.startsWith(given ?? ""));
  return refs.length === 0
    ? null
    : refs
        .reverse()
        .slice(0, OFFERED)
        .map(({ ref, said }) => ({ value: `${name} ${ref}`, label: ref, description: said.slice(ref.length).replace(/^:? /, "") }));
}

async function modelNames(running: Running, given: string): Promise<Completion[] | null> {
  const { offeredModels } = await import("./model-command.ts");
  const names = offeredModels(running).filter(({ name }) => name.startsWith(given));
  return names.length === 0 ? null : names.slice(0, OFFERED).map(({ name, does }) => ({ value: `model ${name}`, label: name, description: does }));
}
