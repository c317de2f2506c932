// Which provider a name means: where it is, how it is spoken to, where its key stands.
import type { ModelsPolicy } from "../config/index.ts";
import { ModelError } from "./model.ts";

/** `anthropic`: the Messages API. `openai-compatible`: Chat Completions, as most servers speak it. */
export type ProviderKind = "anthropic" | "openai-compatible";

interface KnownProvider {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** The environment variable of the key; absent: it needs none. */
  readonly keyVariable?: string;
  /** What the limit of a reply is called where it is not `max_tokens`. */
  readonly limitKey?: "max_completion_tokens";
  /** Whether it takes an effort of `none`, which many servers refuse. */
  readonly takesNoEffort?: true;
}

/** Providers that need no configuration but a key. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: { kind: "anthropic", baseUrl: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" },
  openai: {
    kind: "openai-compatible",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    limitKey: "max_completion_tokens",
    takesNoEffort: true,
  },
  openrouter: { kind: "openai-compatible", baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY", takesNoEffort: true },
  ollama: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:1234/v1" },
  vllm: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:8000/v1" },
};

/** A provider as it is used: what is known of the name, with the configuration above it. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly keyVariable: string | null;
  readonly keyCommand: readonly string[] | null;
  readonly limitKey: "max_tokens" | "max_completion_tokens";
  readonly takesNoEffort: boolean;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

/**
 * The two parts of `PROVIDER/ID`, split at the first slash.
 *
 * @example splitModelName("openrouter/qwen/qwen3-32b"); // { provider: "openrouter", id: "qwen/qwen3-32b" }
 * @throws ModelError of class `invalid` where it has no two parts.
 */
export function splitModelName(name: string): ModelName {
  const at = name.indexOf("/");
  if (at > 0 && at < name.length - 1) return { provider: name.slice(0, at), id: name.slice(at + 1) };
  throw new ModelError(
    "invalid",
    "model-name",
    `Expected a model as PROVIDER/ID, found ${JSON.stringify(name)}. Write the provider before it, such as openai/${name}.`,
  );
}

/** @throws ModelError of class `invalid` where the name is not known and nothing is configured for it. */
export function providerOf(name: string, configured: ModelsPolicy["providers"]): Provider {
  const known = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  const own = Object.hasOwn(configured, name) ? configured[name] : undefined;
  const baseUrl = own?.baseUrl ?? known?.baseUrl;
  if (baseUrl === undefined)
    throw new ModelError(
      "invalid",
      "unknown-provider",
      `Expected one of the providers ${Object.keys(PROVIDERS).join(", ")}, found ${JSON.stringify(name)}. Name one of them, or set models.providers with a baseUrl for it.`,
    );
  return Object.freeze({
    name,
    kind: own?.kind ?? known?.kind ?? "openai-compatible",
    baseUrl: baseUrl.replace(/\/+$/, ""),
    // A configured command is the key, whatever is known of the name.
    keyVariable: own?.keyVariable ?? (own?.keyCommand ? null : (known?.keyVariable ?? null)),
    keyCommand: own?.keyCommand ?? null,
    limitKey: known?.limitKey ?? "max_tokens",
    takesNoEffort: known?.takesNoEffort ?? false,
    extras: own?.extras ?? {},
    headers: own?.headers ?? {},
  });
}
