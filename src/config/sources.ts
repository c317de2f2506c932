// The configuration from all its sources: defaults, profile, user's file, project's file, environment, command line; each value with its origin.
import { ConfigError, type ConfigFault } from "./error.ts";
import { faultsOf } from "./fault.ts";
import { type ConfigFile, type ConfigPlaces, namedFile, projectFile, type ReadFile, userFile } from "./files.ts";
import { type ConfigKey, configKeys } from "./keys.ts";
import { DEFAULT_POLICY, KNOWN_KEYS, POLICY_SCHEMA, type Policy, PROFILES, type ProfileName } from "./policy.ts";
import { commandLineSettings, environmentSettings, type Settings } from "./settings.ts";

export interface ConfigInput extends ConfigPlaces {
  /** Values of the command line, as a part of a policy. */
  readonly flags?: object;
  /** `KEY=VALUE` arguments; they stand above `flags`. */
  readonly set?: readonly string[];
  /** Lowest first; they stand above all but the command line. */
  readonly host?: readonly HostSettings[];
}

/** A host's own settings, in which the policy stands below some key. */
export interface HostSettings {
  /** What a person knows them by, mostly the path of their file. */
  readonly place: string;
  /** What stands before each key there, such as `palimpsest.`. */
  readonly under: string;
  /** A part of a policy. */
  readonly value: unknown;
}

/** Where a value comes from. */
export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "profile"; readonly name: string }
  | { readonly kind: "file"; readonly path: string; readonly key: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "flag"; readonly name: string };

export interface Effective {
  readonly value: unknown;
  readonly origin: Origin;
}

export interface Config {
  readonly policy: Policy;
  /** Every key's value and origin, in the order of the schema. */
  readonly origins: ReadonlyMap<string, Effective>;
  /** The files that were looked for, lowest first. */
  readonly files: readonly ConfigFile[];
}

/** What one source says, key by key. */
interface Layer {
  readonly values: ReadonlyMap<string, Effective>;
  readonly faults: readonly ConfigFault[];
}

/**
 * The policy from all sources. Each stands above the one before: defaults, the profile, the user's file, the project's file, the environment, a
 * file named for this run, a host's own settings, the command line. Groups are merged key by key, arrays replaced.
 *
 * ```ts
 * const { policy, origins } = await loadConfig({ cwd: process.cwd(), env: process.env, home: homedir() });
 * origins.get("condense.keepNewest"); // { value: 8, origin: { kind: "default" } }
 * ```
 * @throws ConfigError with every fault of every source at once.
 */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const { faults, ...config } = await inspectConfig(input);
  if (faults.length > 0) throw new ConfigError("configuration", faults);
  return config;
}

/** The same, with the faults beside it and what is faulty left out: for a person who looks for what is wrong. */
export async function inspectConfig(input: ConfigInput): Promise<Config & { readonly faults: readonly ConfigFault[] }> {
  const [user, project, named] = await Promise.all([userFile(input), projectFile(input), namedFile(input)]);
  const layers: readonly Layer[] = [
    fileLayer(user),
    fileLayer(project),
    settingsLayer(environmentSettings(input.env, input.platform), (name) => ({ kind: "variable", name })),
    ...named.map(fileLayer),
    ...(input.host ?? []).map(hostLayer),
    valueLayer(input.flags ?? {}, "command line", () => ({ kind: "flag", name: "command line" })),
    settingsLayer(commandLineSettings(input.set ?? []), (name) => ({ kind: "flag", name })),
  ];
  const merged = merge([profileLayer(layers), ...layers]);
  const { policy, faults } = checked(merged);
  return Object.freeze({
    policy,
    origins: merged,
    files: Object.freeze([user.file, project.file, ...named.map(({ file }) => file)]),
    faults: Object.freeze([...layers.flatMap((layer) => layer.faults), ...faults]),
  });
}

/** An origin as a person reads it. */
export function originText(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return "default";
    case "profile":
      return `profile ${origin.name}`;
    case "file":
      return `${origin.path}, ${origin.key}`;
    default:
      return origin.name;
  }
}

function fileLayer({ file: { kind, path }, value, faults }: ReadFile): Layer {
  if (value === undefined) return { values: new Map(), faults };
  const layer = valueLayer(value, path, (key) => ({ kind: "file", path, key }));
  return kind === "project" ? ofProject(layer, path) : layer;
}

/** A project's file comes with the code of others: whether sessions are sent anywhere, where to, and what runs for a key is not read from it. */
const NOT_OF_A_PROJECT: ReadonlySet<string> = new Set(["models.model", "models.fallback", "models.providers"]);

function ofProject({ values, faults }: Layer, place: string): Layer {
  const refused = [...values.keys()].filter((key) => NOT_OF_A_PROJECT.has(key));
  const more = refused.map(
    (path): ConfigFault => ({
      code: "config-not-of-a-project",
      place,
      path,
      expected: "it in the user's file, the environment or the command line",
      found: "it in a project's file, which could have sessions sent elsewhere and commands run",
      remedy: "Move it to the user's file.",
    }),
  );
  return { values: new Map([...values].filter(([key]) => !NOT_OF_A_PROJECT.has(key))), faults: [...faults, ...more] };
}

function hostLayer({ place, under, value }: HostSettings): Layer {
  const { values, faults } = valueLayer(value, place, (key) => ({ kind: "file", path: place, key: under + key }));
  return { values, faults: faults.map((fault) => ({ ...fault, path: (under + fault.path).replace(/\.$/, "") })) };
}

/** What a partial policy says; keys that are faulty say nothing. Rules between keys wait until all sources are merged. */
function valueLayer(value: unknown, place: string, origin: (key: string) => Origin): Layer {
  const issues = (POLICY_SCHEMA.safeParse(value).error?.issues ?? []).filter(({ code }) => code !== "custom");
  const faulty = issues.map(({ path }) => path.map(String));
  const values = new Map<string, Effective>();
  for (const { path } of configKeys().values()) {
    const parts = path.split(".");
    const found = at(value, parts);
    if (found !== undefined && !faulty.some((other) => other.length >= parts.length && parts.every((part, index) => part === other[index])))
      values.set(path, { value: found, origin: origin(path) });
  }
  return { values, faults: issues.flatMap((issue) => faultsOf(issue, value, KNOWN_KEYS)).map((fault) => ({ place, ...fault })) };
}

/** What single settings say, each checked by the schema as a policy of its own. */
function settingsLayer({ settings, faults }: Settings, origin: (place: string) => Origin): Layer {
  const values = new Map<string, Effective>();
  const all = [...faults];
  for (const { path, value, place } of settings) {
    const layer = valueLayer(nested(path, value), place, () => origin(place));
    all.push(...layer.faults);
    for (const [key, effective] of layer.values) values.set(key, effective);
  }
  return { values, faults: all };
}

/** What the profile says that the highest source names. */
function profileLayer(layers: readonly Layer[]): Layer {
  const name = (layers.findLast(({ values }) => values.has("profile"))?.values.get("profile")?.value ?? DEFAULT_POLICY.profile) as ProfileName;
  return valueLayer(PROFILES[name], `profile ${name}`, () => ({ kind: "profile", name }));
}

function merge(layers: readonly Layer[]): Map<string, Effective> {
  const merged = new Map<string, Effective>();
  for (const { path, default: value } of configKeys().values()) {
    const effective = layers.findLast(({ values }) => values.has(path))?.values.get(path);
    merged.set(path, Object.freeze(effective ?? { value, origin: { kind: "default" } }));
  }
  return merged;
}

/** The policy of merged values. Where a rule between keys is broken, their group falls back to its defaults and the fault names who broke it. */
function checked(merged: Map<string, Effective>): { readonly policy: Policy; readonly faults: readonly ConfigFault[] } {
  const value = policyValue(merged);
  const read = POLICY_SCHEMA.safeParse(value);
  if (read.success) return { policy: read.data, faults: [] };
  const faults = read.error.issues.flatMap((issue) => {
    const group = issue.path.slice(0, -1).map(String);
    const { place, under } = breaker(merged, issue.path.map(String).join("."), `${group.join(".")}.`);
    return faultsOf(issue, value, KNOWN_KEYS).map((fault) => ({ place, ...fault, path: under + fault.path }));
  });
  for (const { path } of read.error.issues) fallBack(merged, `${path.slice(0, -1).map(String).join(".")}.`);
  return { policy: POLICY_SCHEMA.parse(policyValue(merged)), faults };
}

/** The place of the value at fault, or of another in its group where that one is a default, and what stands before the keys there. */
function breaker(merged: ReadonlyMap<string, Effective>, path: string, group: string): { readonly place: string; readonly under: string } {
  const keys = [path, ...[...merged.keys()].filter((key) => key.startsWith(group))];
  for (const key of keys) {
    const origin = merged.get(key)?.origin;
    if (!origin || origin.kind === "default" || origin.kind === "profile") continue;
    return origin.kind === "file"
      ? { place: origin.path, under: origin.key.slice(0, origin.key.length - key.length) }
      : { place: originText(origin), under: "" };
  }
  return { place: originText({ kind: "default" }), under: "" };
}

function fallBack(merged: Map<string, Effective>, group: string): void {
  for (const key of configKeys().values())
    if (key.path.startsWith(group)) merged.set(key.path, Object.freeze({ value: key.default, origin: { kind: "default" } as const }));
}

function policyValue(merged: ReadonlyMap<string, Effective>): object {
  const whole: Record<string, unknown> = {};
  for (const [path, { value }] of merged) put(whole, path.split("."), value);
  return whole;
}

function nested(path: ConfigKey["path"], value: unknown): object {
  const whole: Record<string, unknown> = {};
  put(whole, path.split("."), value);
  return whole;
}

/** Paths are those of known keys, so none leads into a prototype. */
function put(into: Record<string, unknown>, parts: readonly string[], value: unknown): void {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) into[first] = value;
  else {
    into[first] ??= {};
    put(into[first] as Record<string, unknown>, rest, value);
  }
}

/** What an own path of a value leads to. */
function at(value: unknown, parts: readonly string[]): unknown {
  return parts.reduce<unknown>(
    (inner, part) => (typeof inner === "object" && inner !== null && Object.hasOwn(inner, part) ? Reflect.get(inner, part) : undefined),
    value,
  );
}
