// The model that a configuration asks for, by the providers that it names, and where sessions would be sent.
import type { ModelsPolicy } from "../config/index.ts";
import { type Composed, type ComposeOptions, composedOf } from "./compose.ts";
import { keySource } from "./keys.ts";
import { openModel } from "./provider.ts";
import { type Provider, type ProviderKind, providerOf, splitModelName } from "./providers.ts";

export interface OpenOptions extends Omit<ComposeOptions, "open">, Partial<Pick<ComposeOptions, "open">> {
  /** Where keys stand. @default the environment of the process */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The model of a policy by its providers, composed; undefined where it asks for none.
 *
 * @throws ModelError of class `invalid` or `auth`, where a name or a key is wrong.
 */
export function composed(
  policy: ModelsPolicy,
  { env, open = (name) => openModel(settingsOf(policy, name, env)), ...options }: OpenOptions = {},
): Promise<Composed | undefined> {
  return composedOf(policy, { ...options, open });
}

function settingsOf({ providers, thinking, maxOutputTokens, window }: ModelsPolicy, model: string, env: OpenOptions["env"]): Parameters<typeof openModel>[0] {
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
