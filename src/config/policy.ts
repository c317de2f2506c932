// The policy: one schema for every key that a decider reads, with its default and its range.
import { z } from "zod";
import { ConfigError } from "./error.ts";
import { faultsOf } from "./fault.ts";
import { isGlob } from "./glob.ts";
import { jsonValue } from "./text.ts";

const count = (least: number) => z.int().min(least);
const share = z.number().min(0).max(1);
const positiveShare = z.number().gt(0).max(1);
const price = z.number().min(0);
const names = z.array(z.string().min(1)).readonly();
const globs = z.array(z.stringFormat("glob", isGlob, { error: "a glob whose brackets are closed" })).readonly();

const stub = z
  .strictObject({
    share: share.default(0.4).describe("Part of a result that its stub may take."),
    min: count(0).default(40).describe("The least that a stub may take, in tokens."),
    max: count(0).default(2500).describe("The most that a stub may take, in tokens."),
    lines: share.default(0.3).describe("Part of a stub for verbatim lines; the rest lists anchors."),
  })
  .refine(({ min, max }) => min <= max, { path: ["max"], error: "a number that is not below min" })
  .readonly();

const triggers = z
  .strictObject({
    everyRequests: count(0).default(21).describe("Requests between two epochs inside a run while the cache is warm; 0: none by cadence."),
    finalReply: count(0).default(21).describe("Requests since the last epoch from which the agent's final reply makes one; 0: none at final replies."),
    coldCache: count(0)
      .default(8)
      .describe("Requests since the last epoch from which a cold cache makes one, when it costs nothing; 0: none for a cold cache."),
    occupancy: positiveShare
      .nullable()
      .default(null)
      .describe("Part of the model's window from which the next request makes an epoch; null: none by occupancy."),
    growth: positiveShare
      .nullable()
      .default(null)
      .describe("Growth between two requests, as a part of the model's window, that makes an epoch; null: none by growth."),
    windowCap: count(1).default(300_000).describe("The largest window that occupancy and growth are parts of, in tokens, however large the model's is."),
    window: count(1)
      .nullable()
      .default(null)
      .describe("The model's window in tokens, where the session does not record it; null: not known, and nothing is decided by occupancy."),
    paysWithin: count(0)
      .nullable()
      .default(null)
      .describe("No epoch by cadence or at a final reply that is not earned back within this many requests; null: no such veto."),
    minSaving: count(0).default(3000).describe("No epoch, but on demand, for a pending saving below this many tokens."),
    minContext: count(0)
      .default(30_000)
      .describe("No epoch, but on demand, before the context holds this many tokens: smaller sessions cost more condensed than whole."),
  })
  .readonly();

const prices = z
  .strictObject({
    cached: price.default(0.3).describe("Price per million tokens of input that the prompt cache holds."),
    write: price.default(3.75).describe("Price per million tokens of all other input, which is written to the cache."),
    lifetimeSeconds: z.number().gt(0).nullable().default(300).describe("Seconds that an unused prompt cache lives; null: without end."),
  })
  .readonly();

const callArguments = z
  .strictObject({
    over: count(0).nullable().default(150).describe("Arguments of old edits and writes above this many tokens are cut; null: none."),
    share: share.default(0.25).describe("Part of cut arguments that may stay."),
  })
  .readonly();

const failedCalls = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether the arguments of old calls that failed are cut."),
    afterRequests: count(0).default(2).describe("Requests after which a failed call is old."),
    minChars: count(0).default(500).describe("The least length of arguments that are worth it, in UTF-16 code units."),
  })
  .readonly();

const reads = z
  .strictObject({
    tokens: count(0).default(0).describe("Reads of files up to this many tokens stay longer; 0: none."),
    results: count(0).default(40).describe("How many results longer."),
  })
  .readonly();

const chains = z
  .strictObject({
    fold: z.boolean().default(false).describe("Whether closed chains older than the rolling window become one block each."),
    rollingWindow: count(0).default(3).describe("Newest closed chains that stay."),
  })
  .readonly();

const summaries = z
  .strictObject({
    minChars: count(0).default(1000).describe("Results of a batch shorter than this together are not worth a model's call, in UTF-16 code units; 0: all are."),
    grouping: z
      .enum(["turn", "message"])
      .default("message")
      .describe("What a model is told of together: the results of one response (`turn`), or of all between two messages of the user (`message`)."),
    names: share
      .default(0.1)
      .describe(
        "Part of a result, in tokens, that the names which a model left out may take beside its summary: paths, identifiers, error codes, values; 0: none.",
      ),
    inputTokens: count(2000).default(24_000).describe("The most that a model reads in one call; a larger result is read in parts."),
  })
  .readonly();

const condense = z
  .strictObject({
    keepNewest: count(0).default(8).describe("Newest results that stay verbatim."),
    smallResult: count(0).default(120).describe("Results up to this many tokens stay verbatim."),
    stub: stub.prefault({}),
    keepReads: reads.prefault({}),
    arguments: callArguments.prefault({}),
    failedCalls: failedCalls.prefault({}),
    dropThinking: z.boolean().default(true).describe("Whether the thinking of old messages is left out."),
    recallGrace: count(0).default(3).describe("User messages for which what was recalled stays verbatim."),
    chains: chains.prefault({}),
    summaries: summaries.prefault({}),
    spillThreshold: count(1).default(65536).describe("Results from this many UTF-16 code units on are never shown whole."),
    spillPreviewBytes: count(0).default(2048).describe("The head of a spilled result that is shown, at most this many bytes."),
    protectedTools: names.prefault([]).describe("Tools, by exact name, whose results stay verbatim."),
    protectedPaths: globs
      .prefault(["/**/skills/**/*.md", "~/**/skills/**/*.md", "?:/**/skills/**/*.md", ".*/**/skills/**/*.md"])
      .describe(
        "Globs of files whose results stay verbatim, where a call names the file as an argument of its own or prints it with a shell command such as `cat`; what a script expands is not seen. The default: skills outside the project and in its hidden folders.",
      ),
    triggers: triggers.prefault({}),
    prices: prices.prefault({}),
  })
  .readonly();

const modelName = z.string().regex(/^(?:none|[^\s/]+\/\S+)$/, { error: 'none, or PROVIDER/ID such as "anthropic/claude-haiku-4-5" or "ollama/qwen3:8b"' });
const seconds = z.number().min(0).max(86_400);
const dollars = price.nullable().default(null);

const modelPrice = z
  .strictObject({
    input: dollars.describe("USD per million tokens of input; null: not known, and so is what calls cost."),
    output: dollars.describe("USD per million tokens of output; null: not known."),
    cacheRead: dollars.describe("USD per million tokens of input that the provider's cache held; null: as any other input."),
  })
  .readonly();

const texts = z.record(z.string(), z.string()).readonly();

const baseUrl = z.stringFormat("base-url", (text) => wrongUrl(text) === undefined, { error: ({ input }) => wrongUrl(String(input)) });

/** What is expected where a base URL is none. It is printed and stands in messages, so that nothing secret may be in it. */
function wrongUrl(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return "a URL such as https://models.example.com/v1";
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") return "a URL without a user and password, which keyVariable, keyCommand or headers are for";
  return /[?#]/.test(text) ? "a URL without a query or fragment, as the path of each request is put behind it" : undefined;
}

const provider = z
  .strictObject({
    kind: z.enum(["anthropic", "openai-compatible"]).nullable().default(null),
    baseUrl: baseUrl.nullable().default(null),
    keyVariable: z.string().min(1).nullable().default(null),
    keyCommand: z.array(z.string()).min(1).readonly().nullable().default(null),
    extras: z.record(z.string(), z.unknown()).readonly().prefault({}),
    headers: texts.prefault({}),
  })
  .readonly();

const models = z
  .strictObject({
    model: modelName
      .default("none")
      .describe("The language model that writes summaries, as PROVIDER/ID; none: they are extracts, and nothing is sent anywhere."),
    fallback: modelName.default("none").describe("The model that stands in while that one cannot be reached."),
    thinking: z
      .enum(["default", "off", "minimal", "low", "medium", "high", "xhigh"])
      .default("default")
      .describe(
        "How much a model thinks; `default`: nothing is asked, the provider decides. `off` is told to anthropic, openai and openrouter, and providers of `kind` `anthropic`: many others refuse it.",
      ),
    idleTimeoutSeconds: seconds.default(20).describe("The longest silence of a call, before its first sign of life too; 0: no bound."),
    ceilingSeconds: seconds.default(180).describe("The longest that a call may take; 0: no bound."),
    retries: count(0).max(10).default(3).describe("Further tries of a call that failed in a way that may pass; after a timeout at most one."),
    concurrency: count(1).max(64).default(4).describe("Calls at the same time."),
    maxOutputTokens: count(1).default(4096).describe("The most that a reply may take, thinking apart."),
    window: count(4000).nullable().default(null).describe("The model's window in tokens, at least 4,000: less has no room for what is asked; null: not known."),
    budgetTokens: count(1).nullable().default(null).describe("Input and output of all calls together, after which none is made; null: no bound."),
    budgetUsd: z.number().gt(0).nullable().default(null).describe("USD of all calls together, after which none is made; it needs the price. null: no bound."),
    price: modelPrice.prefault({}),
    fallbackPrice: modelPrice.prefault({}),
    providers: z
      .record(z.string().regex(/^[^\s/]+$/, { error: "a name without blanks and slashes" }), provider)
      .readonly()
      .prefault({})
      .describe(
        "Providers by name, each with any of `kind` (`anthropic` or `openai-compatible`), `baseUrl` (without a password, query or fragment), `keyVariable`, `keyCommand` (program and arguments), `extras` (merged into each request's body), `headers`; what is left out is that of the known provider of the name. Never read from a project's file.",
      ),
  })
  .refine(({ budgetUsd, price: { input, output } }) => budgetUsd === null || (input !== null && output !== null), {
    path: ["budgetUsd"],
    error: "no budget in USD without models.price.input and models.price.output",
  })
  .refine(({ budgetUsd, fallback, fallbackPrice: { input, output } }) => budgetUsd === null || fallback === "none" || (input !== null && output !== null), {
    path: ["budgetUsd"],
    error: "no budget in USD without models.fallbackPrice.input and models.fallbackPrice.output, as there is a fallback",
  })
  .readonly();

const PROFILE_NAMES = ["default", "safe"] as const;

/** @internal The schema itself, for what walks its keys. */
export const POLICY_SCHEMA = z
  .strictObject({
    profile: z.enum(PROFILE_NAMES).default("default").describe("A named set of values right above the defaults: `safe` is for work with many edits."),
    condense: condense.prefault({}),
    models: models.prefault({}),
  })
  .readonly();

/** All that a decider may be told, complete and frozen. */
export type Policy = z.infer<typeof POLICY_SCHEMA>;
export type CondensePolicy = Policy["condense"];
export type ModelsPolicy = Policy["models"];
export type ProfileName = Policy["profile"];

/** What each profile changes of the defaults. */
export const PROFILES: Readonly<Record<ProfileName, object>> = {
  default: {},
  safe: { condense: { keepReads: { tokens: 1500 } } },
};

export const DEFAULT_POLICY: Policy = POLICY_SCHEMA.parse({});

/** @internal Every key that there is, those of a provider under `*`, for messages about keys that there are not. */
export const KNOWN_KEYS: object = { ...DEFAULT_POLICY, models: { ...DEFAULT_POLICY.models, providers: { "*": provider.parse({}) } } };

/**
 * The policy in a file's text; what it does not name has its profile's value or its default, at any depth.
 *
 * ```ts
 * parsePolicy('{ "condense": { "stub": { "share": 0.3 } } }', "policy.json").condense.stub.max; // 2500
 * ```
 * @param place What a person knows the text by.
 * @throws ConfigError with every fault at once.
 */
export function parsePolicy(json: string, place: string): Policy {
  const value = jsonValue(json, place);
  const read = POLICY_SCHEMA.safeParse(value);
  if (read.success) return POLICY_SCHEMA.parse(over(PROFILES[read.data.profile], value));
  throw new ConfigError(
    place,
    read.error.issues.flatMap((issue) => faultsOf(issue, value, KNOWN_KEYS)),
  );
}

/** `upper` above `lower`, group by group. */
function over(lower: unknown, upper: unknown): unknown {
  if (!isGroup(lower) || !isGroup(upper)) return upper;
  return { ...lower, ...Object.fromEntries(Object.entries(upper).map(([key, value]) => [key, key in lower ? over(lower[key], value) : value])) };
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
