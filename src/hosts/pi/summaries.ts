// Summaries by a model inside Pi: the model that the settings name, opened when first needed, and what came of asking it.

import { type Decider, type Proposal, retell, type Summarizer, type SummaryReport, summarizerOf } from "../../condense/index.ts";
import type { Policy } from "../../config/index.ts";
import type { OutageData } from "../../formats/index.ts";
import { composedOf, type FallbackState, ModelError } from "../../models/index.ts";
import type { AttemptDecision, AttemptUsage } from "../../session/index.ts";
import { piModel, type Registry } from "./model.ts";

type Current = Parameters<typeof piModel>[2]["current"];

export interface SummariesFrom {
  readonly policy: Policy;
  readonly registry: Registry;
  /** The session's own model. */
  readonly current: Current;
  /** The newest outage that the branch tells of. */
  readonly outage: OutageData | undefined;
  /** Says that the model cannot be reached, or answers again. */
  readonly onChange: (text: string, level: "info" | "warning") => void;
  /** Told what each asking came to. */
  readonly onSpent: (spent: Spending) => void;
}

/** What one asking took; what nobody reported is absent. */
export type Spending = Pick<AttemptUsage, "input" | "output" | "usd" | "unreported">;

/** A proposal that a model told of, and what the branch is to know of it. */
export interface ToldProposal {
  readonly proposal: Proposal | undefined;
  readonly attempts: readonly AttemptDecision[];
  readonly outages: readonly OutageData[];
}

export class Summaries {
  readonly #from: SummariesFrom;
  #opened: Promise<Summarizer | undefined> | undefined;
  #outages: OutageData[] = [];
  #said: string | undefined;
  /** Why the model could not be opened. */
  fault: string | undefined;

  constructor(from: SummariesFrom) {
    this.#from = from;
  }

  /** The name of the model that the settings ask for. */
  get name(): string {
    return this.#from.policy.models.model;
  }

  /**
   * Lets the model tell of a proposal. It takes no longer than the ceiling of the settings, however many calls that are: what is not told until then is
   * extracted.
   */
  async tell(decider: Decider, proposal: Proposal, ended: AbortSignal): Promise<ToldProposal> {
    const summarizer = await this.#open();
    if (!summarizer) return { proposal, attempts: [{ kind: "attempt", what: "summarize", phase: "failed", code: "not-opened" }], outages: [] };
    const { ceilingSeconds } = this.#from.policy.models;
    const deadline = ceilingSeconds > 0 ? AbortSignal.timeout(ceilingSeconds * 1000) : undefined;
    const { proposal: told, attempts, report } = await retell(decider, proposal, summarizer, { signal: ended, ...(deadline && { deadline }) });
    if (report && report.usage.calls > 0) this.#from.onSpent(report.usage);
    this.#tellFailure(report);
    const outages = this.#outages;
    this.#outages = [];
    return { proposal: told, attempts, outages };
  }

  /** Each kind of failure is said once, until summaries come again. */
  #tellFailure(report: SummaryReport | undefined): void {
    if (!report || report.asked === 0) return;
    const [failure] = Object.entries(report.failures);
    const code = failure?.[0];
    if (failure && code !== this.#said && code !== "aborted")
      this.#from.onChange(`Palimpsest: no summaries by ${this.name} (${code}): ${failure[1]} Extracts stand in their place.`, "warning");
    this.#said = code;
  }

  #open() {
    this.#opened ??= this.#opening();
    return this.#opened;
  }

  async #opening() {
    const { policy, registry, current, outage, onChange } = this.#from;
    const { models } = policy;
    const state: FallbackState | undefined = outage?.state === "down" ? { primary: "down", since: outage.since, told: true } : undefined;
    try {
      // A boundary ends with the ceiling: where a second model is to have its turn, the first gets half of it.
      const ceilingSeconds = models.fallback === "none" ? models.ceilingSeconds : models.ceilingSeconds / 2;
      const opened = await composedOf(
        { ...models, ceilingSeconds },
        {
          open: async (name) => piModel(registry, name, { current, thinking: models.thinking, maxOutputTokens: models.maxOutputTokens, window: models.window }),
          ...(state && { fallbackState: state }),
          onChange: (change, { primary, second, code }) => {
            this.#outages.push({ version: 1, kind: "outage", model: primary, state: change, since: Date.now(), ...(code !== undefined && { code }) });
            onChange(
              change === "down"
                ? `Palimpsest: ${primary} cannot be reached${code === undefined ? "" : ` (${code})`}: ${second} writes the summaries`
                : `Palimpsest: ${primary} answers again`,
              change === "down" ? "warning" : "info",
            );
          },
        },
      );
      this.fault = undefined;
      return opened && summarizerOf(opened, policy.condense.summaries);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.fault = `no summaries by ${models.model}: ${error.message}`;
      return undefined;
    }
  }
}
