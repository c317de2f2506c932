// A model with everything around it that a caller should not have to think of.
import type { ModelsPolicy } from "../config/index.ts";
import { withBreaker } from "./breaker.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { type FallbackChange, type FallbackState, withFallback } from "./fallback.ts";
import { withLimit } from "./limit.ts";
import { createMeter, type Meter } from "./meter.ts";
import type { Model, ModelPrice } from "./model.ts";
import { withRetries } from "./retry.ts";
import { withTimeouts } from "./timeouts.ts";

export interface ComposeOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  /** `down`: worth a warning. `up`: worth a word. */
  readonly onChange?: (change: "down" | "up", about: FallbackChange) => void;
  readonly fallbackState?: FallbackState;
  /** Opens a model by its name. */
  readonly open: (name: string) => Promise<Model>;
}

export interface Composed {
  readonly model: Model;
  readonly meter: Meter;
  /** Of the fallback; undefined where there is none. */
  readonly fallbackState: () => FallbackState | undefined;
}

/**
 * The model of a policy, opened by whoever knows where it is; undefined where the policy asks for none.
 *
 * From the inside out, and why so: *timeouts* bound each request. The *meter* stands around each request, not around each call, as every try costs, each model
 * at its own price, and a budget must stop retries too. *Retries* belong to one model. A *breaker* counts calls whose retries are used up, so it stands
 * outside of them, and one a model, or an outage of the first would keep the second from being asked. The *fallback* sees what is left. The *limit* is
 * outermost: a call that waits for another try keeps its slot, so that a busy provider is asked by fewer, and a call that waits for its slot reserves no budget.
 *
 * ```ts
 * const { model, meter } = (await composedOf(policy.models, { open: async (name) => registry.find(name) })) ?? none;
 * ```
 * @throws ModelError of class `invalid` or `auth`, where a name or a key is wrong.
 */
export async function composedOf(policy: ModelsPolicy, options: ComposeOptions): Promise<Composed | undefined> {
  if (policy.model === "none") return undefined;
  const { clock = SYSTEM_CLOCK, open } = options;
  const budget = { ...(policy.budgetTokens !== null && { tokens: policy.budgetTokens }), ...(policy.budgetUsd !== null && { usd: policy.budgetUsd }) };
  const meter = createMeter({ budget, clock });
  const around = (model: Model, price: ModelPrice): Model => {
    const timed = withTimeouts(model, { idleMs: policy.idleTimeoutSeconds * 1000, ceilingMs: policy.ceilingSeconds * 1000, clock });
    const metered = meter.of(timed, {
      price: price.input === null && price.output === null ? (model.price ?? price) : price,
      maxOutputTokens: policy.maxOutputTokens,
      thinking: policy.thinking,
    });
    return withBreaker(withRetries(metered, { retries: policy.retries, clock, ...(options.random && { random: options.random }) }), { clock });
  };
  const primary = around(await open(policy.model), policy.price);
  if (policy.fallback === "none") return { model: withLimit(primary, policy), meter, fallbackState: () => undefined };
  const both = withFallback(primary, around(await open(policy.fallback), policy.fallbackPrice), {
    clock,
    ...(options.onChange && { onChange: options.onChange }),
    ...(options.fallbackState && { state: options.fallbackState }),
  });
  return { model: withLimit(both, policy), meter, fallbackState: both.state };
}
