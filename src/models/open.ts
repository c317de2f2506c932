// The model that a configuration asks for, with everything around it that a caller should not have to think of.
import type { ModelsPolicy } from "../config/index.ts";
import { withBreaker } from "./breaker.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { type FallbackChange, type FallbackState, withFallback } from "./fallback.ts";
import { keySource } from "./keys.ts";
import { withLimit } from "./limit.ts";
import { createMeter, type Meter } from "./meter.ts";
import type { Model, ModelPrice } from "./model.ts";
import { openModel } from "./provider.ts";
import { type Provider, type ProviderKind, providerOf, splitModelName } from "./providers.ts";
import { withRetries } from "./retry.ts";
import { withTimeouts } from "./timeouts.ts";

export interface ComposeOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** `down`: worth a warning. `up`: worth a word. */
  readonly onChange?: (change: "down" | "up", about: FallbackChange) => void;
  readonly fallbackState?: FallbackState;
  /** Opens a model by its name. @default by the providers of the policy */
  readonly open?: (name: string) => Promise<Model>;
}

export interface Composed {
  readonly model: Model;
  readonly meter: Meter;
  /** Of the fallback; undefined where there is none. */
  readonly fallbackState: () => FallbackState | undefined;
}

/**
 * The model of a policy; undefined where it asks for none.
 *
 * From the inside out, and why so: *timeouts* bound each request. The *meter* stands around each request, not around each call, as every try costs, each model
 * at its own price, and a budget must stop retries too. *Retries* belong to one model. A *breaker* counts calls whose retries are used up, so it stands
 * outside of them, and one a model, or an outage of the first would keep the second from being asked. The *fallback* sees what is left. The *limit* is
 * outermost: a call that waits for another try keeps its slot, so that a busy provider is asked by fewer, and a call that waits for its slot reserves no budget.
 *
 * ```ts
 * const { model, meter } = (await composed(policy.models)) ?? none;
 * ```
 * @throws ModelError of class `invalid` or `auth`, where a name or a key is wrong.
 */
export async function composed(policy: ModelsPolicy, options: ComposeOptions = {}): Promise<Composed | undefined> {
  if (policy.model === "none") return undefined;
  const { clock = SYSTEM_CLOCK, open = (name: string) => openModel(settingsOf(policy, name, options.env)) } = options;
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

function settingsOf(
  { providers, thinking, maxOutputTokens, window }: ModelsPolicy,
  model: string,
  env: ComposeOptions["env"],
): Parameters<typeof openModel>[0] {
  return { model, providers, thinking, maxOutputTokens, ...(window !== null && { window }), ...(env && { env }) };
}

/** Where sessions would be sent, for a person who wants to know before it happens. */
export interface Destination {
  readonly use: "model" | "fallback";
  readonly model: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** Whether it stays on this machine. */
  readonly local: boolean;
  /** Where the key comes from, never the key. */
  readonly key: string;
  /** What a person should know before anything is sent there. */
  readonly remark?: string;
}

/** @throws ModelError of class `invalid`, where a name leads to no provider. */
export function destinations(policy: ModelsPolicy, env: Readonly<Record<string, string | undefined>> = process.env): readonly Destination[] {
  return (["model", "fallback"] as const).flatMap((use) => {
    const model = policy[use];
    if (model === "none" || (use === "fallback" && policy.model === "none")) return [];
    const provider = providerOf(splitModelName(model).provider, policy.providers);
    const url = new URL(provider.baseUrl);
    const local = isLoopback(url.hostname);
    const remark = local || url.protocol !== "http:" ? undefined : unencrypted(provider);
    return [{ use, model, kind: provider.kind, baseUrl: provider.baseUrl, local, key: keySource(provider, env), ...(remark && { remark }) }];
  });
}

/** `hostname`: as `URL` writes it, addresses in full. A name that only begins like an address is anybody's. */
function isLoopback(hostname: string): boolean {
  return hostname === "[::1]" || /^(?:.+\.)?localhost\.?$/.test(hostname) || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function unencrypted({ keyVariable, keyCommand, headers }: Provider): string | undefined {
  if (keyVariable !== null || keyCommand !== null) return "the key is sent unencrypted";
  return Object.keys(headers).length > 0 ? "the headers are sent unencrypted" : undefined;
}
