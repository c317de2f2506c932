// What a person sets in Pi: `palimpsest` in Pi's settings.json, the project's over the user's, above every other source of our configuration.
import { mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Config, ConfigError, type ConfigFault, faultLine, type HostSettings, inspectConfig } from "../../config/index.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Our key in Pi's settings. */
const SETTINGS_KEY = "palimpsest";

/** Where Pi keeps its settings. */
export interface SettingsFiles {
  readonly user: string;
  /** Absent where the project is not trusted: Pi does not read it then. */
  readonly project?: string;
}

/** What holds in a session. What is faulty is left out and said. */
export interface PiSettings extends Pick<Config, "policy" | "origins"> {
  /** Whether anything is proposed, where the session itself does not say otherwise. */
  readonly enabled: boolean;
  readonly showStatus: boolean;
  /** One line for each fault: file, key, what was expected, what came, what to do. */
  readonly faults: readonly string[];
  readonly files: SettingsFiles;
}

export interface SettingsInput {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly files: SettingsFiles;
  /** `palimpsest` of what Pi has read. */
  readonly read: unknown;
  /** `changed`: the files were written after Pi read them, and stand above what it read. */
  readonly since: "same" | "changed";
}

/** The files that Pi reads its settings from. */
export function settingsFiles(at: Pick<SettingsInput, "cwd" | "env" | "home"> & { readonly trusted: boolean }): SettingsFiles {
  const folder = at.env.PI_CODING_AGENT_DIR?.replace(/^~(?=$|[/\\])/, () => at.home) || join(at.home, ".pi", "agent");
  return { user: join(folder, "settings.json"), ...(at.trusted && { project: join(at.cwd, ".pi", "settings.json") }) };
}

/** The settings of a session: Pi's over the environment, `.palimpsest.json`, the user's own file and the defaults. */
export async function readSettings({ cwd, env, home, files, read, since }: SettingsInput): Promise<PiSettings> {
  const layers = layersOf(files, read, since);
  const switches = layers.map(switchesOf);
  const config = await inspectConfig({ cwd, env, home, host: layers.map(withoutSwitches) });
  return {
    enabled: switches.findLast(({ enabled }) => enabled !== undefined)?.enabled ?? true,
    showStatus: switches.findLast(({ showStatus }) => showStatus !== undefined)?.showStatus ?? true,
    policy: config.policy,
    origins: config.origins,
    faults: oncePerKey([...switches.flatMap(({ faults }) => faults), ...config.faults.map(withSwitches)]).map((fault) => faultLine(fault, "configuration")),
    files,
  };
}

/** Of faults of one key, which several layers may hold, the one of the highest. */
function oncePerKey(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return [...new Map(faults.map((fault) => [fault.path === "" ? fault : fault.path, fault])).values()];
}

/** What Pi has read, file by file where the files still say so: then a fault and an origin name the file. */
function layersOf({ user, project }: SettingsFiles, read: unknown, since: SettingsInput["since"]): HostSettings[] {
  const layer = (place: string | undefined, value: unknown): HostSettings[] =>
    place === undefined || value === undefined ? [] : [{ place, under: `${SETTINGS_KEY}.`, value }];
  const inUser = oursIn(user);
  const inProject = project === undefined ? undefined : oursIn(project);
  const files = [...layer(user, inUser), ...layer(project, inProject)];
  if (since === "changed") return [...layer("Pi's settings", read), ...files];
  return isDeepStrictEqual(merged(inUser, inProject), read) ? files : layer("Pi's settings", read);
}

function oursIn(path: string): unknown {
  try {
    const settings: unknown = JSON.parse(withoutMark(readFileSync(path, "utf8")));
    return isObject(settings) ? settings[SETTINGS_KEY] : undefined;
  } catch {
    // Pi says itself what is wrong with its file, and has read nothing from it.
    return undefined;
  }
}

/** As Pi merges: objects key by key, anything else replaced. */
function merged(lower: unknown, upper: unknown): unknown {
  if (upper === undefined) return lower;
  if (!isObject(lower) || !isObject(upper)) return upper;
  return { ...lower, ...Object.fromEntries(Object.entries(upper).map(([key, value]) => [key, merged(lower[key], value)])) };
}

const SWITCHES = ["enabled", "showStatus"] as const;

type Switches = { readonly [key in (typeof SWITCHES)[number]]?: boolean } & { readonly faults: readonly ConfigFault[] };

/** What is Pi's alone: the policy knows no such keys. */
function switchesOf({ place, under, value }: HostSettings): Switches {
  const found = SWITCHES.flatMap((key) => (isObject(value) && value[key] !== undefined ? [[key, value[key]] as const] : []));
  return {
    ...Object.fromEntries(found.filter(([, each]) => typeof each === "boolean")),
    faults: found
      .filter(([, each]) => typeof each !== "boolean")
      .map(([key, each]) => ({
        code: "config-wrong-type",
        place,
        path: under + key,
        expected: "true or false",
        found: JSON.stringify(each) ?? "nothing",
        remedy: "Change it, or leave the key out for true.",
      })),
  };
}

function withoutSwitches(layer: HostSettings): HostSettings {
  if (!isObject(layer.value)) return layer;
  const { enabled: _, showStatus: __, ...value } = layer.value;
  return { ...layer, value };
}

/** A fault that lists the keys of the policy lists these too. */
function withSwitches(fault: ConfigFault): ConfigFault {
  const isTop = fault.path.startsWith(`${SETTINGS_KEY}.`) && fault.path.split(".").length === 2;
  return isTop && fault.code === "config-unknown-key" ? { ...fault, expected: fault.expected.replace("keys ", `keys ${SWITCHES.join(", ")}, `) } : fault;
}

/**
 * Writes one value below `palimpsest` into a settings file of Pi and keeps all else in it: under Pi's own lock, to a file beside it that then
 * takes its name.
 *
 * @param key Such as `condense.keepNewest`.
 * @throws ConfigError where the file is no JSON object, or is locked for longer than a second.
 */
export async function writeSetting(path: string, key: string, value: unknown): Promise<void> {
  const file = realPath(path);
  mkdirSync(dirname(file), { recursive: true });
  const unlock = await locked(file);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const { text, mode } = contentOf(file);
    const settings = objectIn(text, path);
    const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
    writeFileSync(draft, `${JSON.stringify(withValue(settings, [SETTINGS_KEY, ...key.split(".")], value), null, indent)}${text.endsWith("\n") ? "\n" : ""}`, {
      mode,
    });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
    unlock();
  }
}

/** Where a link leads: the link itself stays. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function contentOf(file: string): { readonly text: string; readonly mode: number } {
  try {
    return { text: readFileSync(file, "utf8"), mode: statSync(file).mode & 0o777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { text: "", mode: 0o644 };
    throw error;
  }
}

function objectIn(text: string, place: string): JsonObject {
  const fault = (found: string) =>
    new ConfigError(place, [
      { code: "config-not-json", path: "", expected: "a JSON object", found, remedy: "Mend it there: nothing was written, so that nothing is lost." },
    ]);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(text));
  } catch (error) {
    throw fault(`what JSON does not allow (${(error as SyntaxError).message})`);
  }
  if (!isObject(value)) throw fault(JSON.stringify(value).slice(0, 60));
  return value;
}

function withValue(object: JsonObject, [first = "", ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = Object.hasOwn(object, first) ? object[first] : undefined;
  return { ...object, [first]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}

const TRIES = 25;
const PAUSE_MS = 40;
/** A lock this old was left behind by a process that is gone. */
const STALE_MS = 10_000;

/** Takes the lock that Pi takes: a folder beside the file. */
async function locked(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  for (let left = TRIES; ; left--) {
    try {
      mkdirSync(lock);
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (isStale(lock)) removeStale(lock);
    else if (left === 0)
      throw new ConfigError(file, [
        { code: "config-unreadable", path: "", expected: "a file that may be written", found: "one that another process has locked", remedy: "Try again." },
      ]);
    else await pause(PAUSE_MS);
  }
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

function removeStale(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Another process was faster, or somebody holds it again.
  }
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
