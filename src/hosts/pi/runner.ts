// What runs while a Pi session does, and only then: the session, its settings, its status line. Nothing of it outlives the session.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext, SessionBoundaryDraft, TurnEndEvent } from "@earendil-works/pi-coding-agent";
import type { Proposal } from "../../condense/index.ts";
import type { LiveSession } from "./live.ts";
import { messageOf, type Running, say } from "./running.ts";
import type { Spending, SummariesFrom } from "./summaries.ts";

/** What of a boundary's event is read. */
type Boundary = Pick<TurnEndEvent, "entries" | "outcome">;

type Drafts = ReturnType<LiveSession["flush"]>;
type CustomDraft = Extract<Drafts[number], { type: "custom" }>;

/** What is known of a session beside its branch; all of it may be lost with no harm. */
interface Passing {
  readonly ends: AbortController;
  /** The person asked for an epoch while the agent worked: the next boundary makes it. */
  asked: boolean;
  /** The batch that the last boundary proposed. */
  proposed: string | undefined;
  dropped: string | undefined;
  /** Records of what a model was asked that the branch does not hold yet. */
  readonly untold: CustomDraft[];
  line: string | undefined;
  /** What the status line was made from; undefined before it is made. */
  from: { readonly changes: number; readonly dropped: string | undefined } | undefined;
}

/** Follows the session that Pi runs. */
export class Runner {
  readonly #pi: ExtensionAPI;
  #running: Promise<Running | undefined> | undefined;
  #passing: Passing = passing();
  #spent: {
    readonly totalCost?: number | undefined;
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
    readonly unreportedCalls: number;
  } = {
    unreportedCalls: 0,
  };
  /** Whether the settings were written after Pi had read them. */
  #since: "same" | "changed" = "same";

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** The session that runs now; undefined before it starts, after it ends, and where it could not be started. */
  async current(): Promise<Running | undefined> {
    for (;;) {
      const waited = this.#running;
      const running = await waited;
      // Meanwhile it may have been started anew.
      if (waited === this.#running) return running;
    }
  }

  /** Whether Pi runs a session, followed or not. */
  get isInSession(): boolean {
    return this.#running !== undefined;
  }

  /** Starts to follow what `ctx` holds. The rooms are loaded meanwhile; a fault is said, never thrown. */
  async start(ctx: ExtensionContext): Promise<void> {
    this.#passing.ends.abort();
    const mine = passing(this.#passing.line);
    this.#passing = mine;
    // All of Pi is read before the first await: after it the session may be another.
    const { cwd, sessionManager } = ctx;
    const trusted = ctx.isProjectTrusted();
    const read = (this.#pi.getSettings() as { readonly palimpsest?: unknown }).palimpsest;
    const window = ctx.model?.contextWindow;
    const { modelRegistry: registry, model: current } = ctx;
    const onChange = (text: string, level: "info" | "warning") => (isUsable(ctx, mine.ends.signal) ? say(ctx, text, level) : undefined);
    const asking = { registry, current, onChange, onSpent: (spent: Spending) => this.#spend(spent) };
    this.#running = begin({ cwd, sessionManager, trusted, read, since: this.#since, window, asking }, mine).catch((error: unknown) => {
      if (isUsable(ctx, mine.ends.signal)) say(ctx, `Palimpsest could not start: ${messageOf(error)}. Nothing is condensed in this session.`, "error");
      return undefined;
    });
    const running = await this.#running;
    if (!running || !isUsable(ctx, mine.ends.signal)) return;
    if (running.settings.faults.length > 0)
      say(ctx, `Palimpsest: these settings are left out until they are mended.\n${running.settings.faults.join("\n")}`, "error");
    try {
      await this.refresh(ctx);
    } catch (error) {
      if (isUsable(ctx, mine.ends.signal)) say(ctx, `Palimpsest: ${messageOf(error)}`, "error");
    }
  }

  /** Lets go of everything. */
  stop(ctx: ExtensionContext): void {
    this.#passing.ends.abort();
    if (this.#passing.line !== undefined) ctx.ui.setStatus(STATUS, undefined);
    this.#passing = passing();
    this.#running = undefined;
  }

  /** The drafts for one of Pi's boundaries, behind those of others. */
  async boundary({ entries, outcome }: Boundary, ctx: ExtensionContext, finalReply: boolean): Promise<{ entries: SessionBoundaryDraft[] } | undefined> {
    if (outcome !== "completed") return undefined;
    const running = await this.current();
    if (!running || !isUsable(ctx, running.ended)) return undefined;
    const mine = this.#passing;
    this.#follow(running, ctx);
    const drafts = await this.#draftsFor(running, mine, { finalReply, ctx });
    if (drafts.length === 0 || !isUsable(ctx, running.ended)) return undefined;
    mine.proposed = batchIn(drafts) ?? running.live.open?.batch;
    return { entries: [...entries, ...(drafts as unknown as readonly SessionBoundaryDraft[])] };
  }

  /** The messages of a request with what was begun outside of a boundary; undefined where that is nothing. */
  async shown<M extends object>(messages: readonly M[], ctx: ExtensionContext): Promise<{ messages: M[] } | undefined> {
    const running = await this.current();
    if (!running || !isUsable(ctx, running.ended)) return undefined;
    this.#follow(running, ctx);
    const cold = running.isOn() ? running.live.beginCold(Date.now()) : undefined;
    if (cold) {
      this.#pi.appendEntry(cold.type, cold.recovery);
      this.#follow(running, ctx);
    }
    const shown = running.live.shown(messages);
    await this.refresh(ctx);
    return shown === messages ? undefined : { messages: [...shown] };
  }

  /** What was begun is finished first, on or off; then what the person asked for; then what the policy asks for, told by a model where one is named. */
  async #draftsFor(running: Running, mine: Passing, { finalReply, ctx }: { readonly finalReply: boolean; readonly ctx: ExtensionContext }): Promise<Drafts> {
    const { live, isOn } = running;
    const asked = mine.asked;
    const early = asked || !isOn() ? live.begun() : live.early();
    if (early.length > 0) return early;
    const proposal = asked ? live.onDemand() : isOn() ? live.due({ finalReply, time: Date.now() }) : undefined;
    const told = proposal && (await this.tell(running, proposal, ctx));
    // What was asked for and not done is done at the next boundary.
    if (!proposal || told) mine.asked = false;
    return told ? [...told.records, ...live.drafted(told.proposal)] : [];
  }

  /** A proposal as a model tells of it, and what the branch is to know of that; undefined where that was given up, or the session went on meanwhile: then the branch is told the next time. */
  async tell(
    running: Running,
    proposal: Proposal,
    ctx: ExtensionContext,
  ): Promise<{ readonly proposal: Proposal | undefined; readonly records: readonly CustomDraft[] } | undefined> {
    const { live, summaries, ended } = running;
    if (!summaries) return { proposal, records: [] };
    const { head } = live;
    const { BATCH_TYPE } = await import("../../formats/index.ts");
    // Who aborts the run waits for nobody.
    const { signal } = ctx;
    const stops = signal ? AbortSignal.any([ended, signal]) : ended;
    this.#show(ctx, `palimpsest asks ${summaries.name} for summaries`);
    const told = await summaries.tell(live.decider, proposal, stops);
    if (!isUsable(ctx, ended)) return undefined;
    this.#show(ctx, this.#passing.line);
    const mine = this.#passing;
    const fresh = [...told.attempts.map((attempt) => ({ version: 1, ...attempt }) as const), ...told.outages];
    mine.untold.push(...fresh.map((data): CustomDraft => ({ type: "custom", customType: BATCH_TYPE, data })));
    this.#follow(running, ctx);
    return live.head === head && !stops.aborted ? { proposal: told.proposal, records: mine.untold.splice(0) } : undefined;
  }

  /** Asks for an epoch at the next boundary. */
  ask(): void {
    this.#passing.asked = true;
  }

  /** Comes to where the branch is, and says in the status line what is new: constant time where nothing is. */
  async refresh(ctx: ExtensionContext): Promise<void> {
    const running = await this.current();
    if (!running || !isUsable(ctx, running.ended)) return;
    const mine = this.#passing;
    this.#follow(running, ctx);
    const { dropped } = mine;
    const { changes } = running.live;
    if (mine.from?.changes === changes && mine.from.dropped === dropped) return;
    mine.from = { changes, dropped };
    const line = running.line();
    if (line === mine.line) return;
    mine.line = line;
    ctx.ui.setStatus(STATUS, line);
  }

  /** Writes one of our settings into the user's file, and starts anew with it. */
  async set(key: string, value: unknown, ctx: ExtensionContext): Promise<void> {
    const running = await this.current();
    if (!running) return;
    const { writeSetting } = await import("./settings.ts");
    await writeSetting(running.settings.files.user, key, value);
    this.#since = "changed";
    if (isUsable(ctx, running.ended)) await this.start(ctx);
  }

  #show(ctx: ExtensionContext, line: string | undefined): void {
    ctx.ui.setStatus(STATUS, line);
  }

  /** Says on Pi's shared channel what all summaries of this process took so far. */
  #spend({ input, output, usd, unreported }: Spending): void {
    const { totalCost, inputTokens, outputTokens } = this.#spent;
    const plus = (sum: number | undefined, more: number | undefined) => (more === undefined ? sum : (sum ?? 0) + more);
    const sums = { totalCost: plus(totalCost, usd), inputTokens: plus(inputTokens, input), outputTokens: plus(outputTokens, output) };
    this.#spent = { ...sums, unreportedCalls: this.#spent.unreportedCalls + unreported };
    // What nobody reported is left out: it is not zero.
    const known = Object.entries(this.#spent).filter(([, value]) => value !== undefined);
    this.#pi.events.emit("cost:external", { source: "palimpsest", ...Object.fromEntries(known) });
  }

  #follow(running: Running, ctx: ExtensionContext): void {
    running.live.sync(ctx.sessionManager);
    const mine = this.#passing;
    if (mine.proposed === undefined) return;
    const { open, ours } = running.live;
    const isThere = open?.batch === mine.proposed ? open.edited.size > 0 : ours.batches.some(({ batch }) => batch === mine.proposed);
    mine.dropped = isThere ? undefined : "Pi did not take the last batch: another extension dropped or broke it. It is proposed again at the next boundary.";
    mine.proposed = undefined;
  }
}

/** Our place in Pi's status line. */
const STATUS = "palimpsest";

function passing(line?: string): Passing {
  return { ends: new AbortController(), untold: [], asked: false, proposed: undefined, dropped: undefined, line, from: undefined };
}

interface From {
  readonly cwd: string;
  readonly sessionManager: ExtensionContext["sessionManager"];
  readonly trusted: boolean;
  /** `palimpsest` of what Pi read. */
  readonly read: unknown;
  readonly since: "same" | "changed";
  /** Of the model, in tokens: Pi's session file does not say it. */
  readonly window: number | undefined;
  readonly asking: Pick<SummariesFrom, "registry" | "current" | "onChange" | "onSpent">;
}

async function begin({ cwd, sessionManager, trusted, read, since, window, asking }: From, mine: Passing): Promise<Running> {
  // One after the other: Pi's loader gives a module that two ask for at once to the second before it is whole.
  const { homedir } = await import("node:os");
  const { LiveSession } = await import("./live.ts");
  const { readSettings, settingsFiles } = await import("./settings.ts");
  const { statusLine } = await import("./status.ts");
  const at = { cwd, env: process.env, home: homedir() };
  const files = settingsFiles({ ...at, trusted });
  const settings = await readSettings({ ...at, files, read, since });
  const { condense } = settings.policy;
  const triggers = { ...condense.triggers, window: condense.triggers.window ?? window ?? null };
  const tells = settings.policy.models.model !== "none";
  const live = new LiveSession(sessionManager, { ...condense, triggers }, { tells });
  live.sync(sessionManager);
  const summaries = tells ? new (await import("./summaries.ts")).Summaries({ ...asking, policy: settings.policy, outage: live.ours.outage }) : undefined;
  const running: Running = {
    live,
    settings,
    registry: asking.registry,
    summaries,
    ended: mine.ends.signal,
    get faults() {
      return [...settings.faults, ...(mine.dropped === undefined ? [] : [mine.dropped]), ...(summaries?.fault === undefined ? [] : [summaries.fault])];
    },
    isOn: () => live.ours.enabled ?? settings.enabled,
    line: () => statusLine(running),
  };
  return running;
}

/** Whether a context may still be used: its session has not ended, and was not disposed of without a word. */
function isUsable(ctx: ExtensionContext, ended: AbortSignal): boolean {
  if (ended.aborted) return false;
  try {
    return ctx.mode !== undefined;
  } catch {
    return false;
  }
}

function batchIn(drafts: Drafts): string | undefined {
  for (const draft of drafts) if (draft.type === "custom" && draft.data.kind === "batch") return draft.data.batch;
  return undefined;
}

/** What a command works with. After an await `running.ended` says whether `pi` and `ctx` may still be used. */
export interface Asked {
  readonly pi: ExtensionAPI;
  readonly runner: Runner;
  readonly running: Running;
  readonly ctx: ExtensionCommandContext;
  /** What stands behind the command. */
  readonly rest: string;
}
