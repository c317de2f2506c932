// Values written one by one: in environment variables, and as KEY=VALUE on the command line.
import type { ConfigFault } from "./error.ts";
import { unknownKeyFault } from "./fault.ts";
import { FILE_VARIABLE } from "./files.ts";
import { type ConfigKey, configKeys, VARIABLE_PREFIX } from "./keys.ts";
import { nearest } from "./nearest.ts";
import { DEFAULT_POLICY, KNOWN_KEYS } from "./policy.ts";
import { isSecret, shortened } from "./secret.ts";
import { readValue } from "./value.ts";

/** One value for one key, and where it was written. */
export interface Setting {
  readonly path: string;
  readonly value: unknown;
  /** The variable's name, or the option as it was written. */
  readonly place: string;
}

export interface Settings {
  readonly settings: readonly Setting[];
  readonly faults: readonly ConfigFault[];
}

/** What the environment sets. An empty variable is one that is not set; a name that is none of ours but nearly one of them is a fault. */
export function environmentSettings(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform = process.platform): Settings {
  const byVariable = new Map([...configKeys().values()].map((key) => [key.variable, key]));
  const settings: Setting[] = [];
  const faults: ConfigFault[] = [];
  for (const [written, text = ""] of Object.entries(env)) {
    const name = platform === "win32" ? written.toUpperCase() : written;
    if (!name.startsWith(VARIABLE_PREFIX) || name === FILE_VARIABLE || text === "") continue;
    const key = byVariable.get(name);
    if (key) add(settings, faults, key, text, name);
    else faults.push(...strangeVariable(name, byVariable));
  }
  return { settings, faults };
}

/** Variables of other uses may share the prefix: only one that begins as a group of ours or is nearly a key's is a fault. */
function strangeVariable(name: string, byVariable: ReadonlyMap<string, ConfigKey>): readonly ConfigFault[] {
  const own = (variable: string) => variable.slice(VARIABLE_PREFIX.length);
  const meant = nearest(own(name), [...byVariable.keys()].map(own));
  const ofGroup = Object.keys(DEFAULT_POLICY).some((group) => own(name).startsWith(`${group.toUpperCase()}_`));
  if (!ofGroup && meant === undefined) return [];
  return [
    {
      code: "config-unknown-key",
      place: name,
      path: "",
      expected: "the variable of a key",
      found: "one of no key",
      remedy:
        meant === undefined ? "Unset it; `palimpsest doctor` lists the keys." : `Did you mean ${VARIABLE_PREFIX}${meant}? Set that one, or unset this one.`,
    },
  ];
}

/** The key that an argument begins with, and nothing behind it: what is given to no known key may be secret. */
function beginning(written: string): string {
  const [, key = "", rest = ""] = /^([\w.-]*)(=?.?)/.exec(written.trim()) ?? [];
  return shortened(key) + (rest === "" ? "" : rest.startsWith("=") ? "=…" : "…");
}

/**
 * What `KEY=VALUE` arguments set; of several for one key the last holds.
 *
 * @param option The option that they were given with, for messages.
 * @example commandLineSettings(["condense.keepNewest=4"]).settings[0]?.value; // 4
 */
export function commandLineSettings(written: readonly string[], option = "--set"): Settings {
  const settings: Setting[] = [];
  const faults: ConfigFault[] = [];
  for (const each of written) {
    const split = each.indexOf("=");
    const path = each.slice(0, split).trim();
    const key = configKeys().get(path);
    const place = `${option} ${key && !isSecret(path) ? shortened(each) : beginning(each)}`;
    if (split < 1 || !/^[\w.-]+$/.test(path)) faults.push(notASetting(place, beginning(each), "Write a key and its value, such as condense.keepNewest=4."));
    else if (key) add(settings, faults, key, each.slice(split + 1), place);
    else faults.push({ ...strangePath(path), place });
  }
  return { settings, faults };
}

function add(settings: Setting[], faults: ConfigFault[], key: ConfigKey, text: string, place: string): void {
  const read = readValue(key, text);
  if ("fault" in read) faults.push({ ...read.fault, place });
  else settings.push({ path: key.path, value: read.value, place });
}

function notASetting(place: string, found: string, remedy: string): ConfigFault {
  return { code: "config-not-a-setting", place, path: "", expected: "KEY=VALUE", found: JSON.stringify(found), remedy };
}

/** A path that is no key's: a group of keys, one below a value, or one that leads nowhere from some part on. */
function strangePath(path: string): ConfigFault {
  const inside = keysBelow(path);
  if (inside.length > 0)
    return {
      code: "config-not-a-setting",
      path,
      expected: `one of its keys ${inside.join(", ")}`,
      found: "the whole group",
      remedy: "Set them one by one, or write a file for --policy.",
    };
  const parts = path.split(".");
  const known = parts.findLastIndex((_, index) => keysBelow(parts.slice(0, index).join(".")).length > 0);
  const upTo = parts.slice(0, known + 1);
  const key = configKeys().get(upTo.join("."));
  if (key === undefined) return unknownKeyFault(upTo, KNOWN_KEYS);
  return { code: "config-not-a-setting", path, expected: `${key.path}, which holds a value`, found: "a key below it", remedy: `Write ${key.path}=VALUE.` };
}

/** All keys of a group; of the empty path all. */
function keysBelow(group: string): readonly string[] {
  return [...configKeys().keys()].filter((path) => group === "" || path.startsWith(`${group}.`));
}
