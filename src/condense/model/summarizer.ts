// A model that tells of results, and what its calls came to.
import type { Composed, Meter, Model } from "../../models/index.ts";
import type { AttemptDecision, AttemptUsage } from "../../session/index.ts";
import type { SummaryPolicy } from "./summarize.ts";

export interface Summarizer {
  readonly model: Model;
  readonly policy: SummaryPolicy;
  /** What all calls so far came to. */
  readonly usage: () => AttemptUsage;
  /** What changed about who can be reached since this was last asked: for the log. */
  readonly changes?: () => readonly AttemptDecision[];
}

/** The model of a configuration as a summarizer. */
export function summarizerOf({ model, meter }: Pick<Composed, "model" | "meter">, policy: SummaryPolicy): Summarizer {
  return { model, policy, usage: () => usageOf(model.name, meter) };
}

function usageOf(model: string, meter: Meter): AttemptUsage {
  const { calls, input, cacheRead, output, cost } = meter.totals();
  const known = <K extends string>(key: K, { known, unknownCalls }: { readonly known: number; readonly unknownCalls: number }) =>
    unknownCalls < calls ? ({ [key]: known } as Record<K, number>) : {};
  return {
    model,
    calls,
    unreported: input.unknownCalls,
    ...known("input", input),
    ...known("cacheRead", cacheRead),
    ...known("output", output),
    ...known("usd", cost),
  };
}
