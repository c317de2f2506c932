import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSettings, settingsFiles, writeSetting } from "./settings.ts";

let home: string;
let cwd: string;
let user: string;
let project: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "palimpsest-settings-"));
  cwd = join(home, "work");
  user = join(home, ".pi", "agent", "settings.json");
  project = join(cwd, ".pi", "settings.json");
  mkdirSync(join(home, ".pi", "agent"), { recursive: true });
  mkdirSync(join(cwd, ".pi"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Settings as Pi would have read them from its files. */
function read(inUser: unknown, inProject?: unknown, options: { env?: Record<string, string>; read?: unknown; since?: "same" | "changed" } = {}) {
  writeFileSync(user, JSON.stringify({ theme: "dark", palimpsest: inUser }));
  if (inProject !== undefined) writeFileSync(project, JSON.stringify({ palimpsest: inProject }));
  const { env = {}, since = "same", ...more } = options;
  const files = settingsFiles({ cwd, env, home, trusted: inProject !== undefined });
  return readSettings({ cwd, env, home, files, since, read: "read" in more ? more.read : inUser });
}

describe("reading", () => {
  test("where Pi's files are", () => {
    expect(settingsFiles({ cwd, env: {}, home, trusted: true })).toEqual({ user, project });
    expect(settingsFiles({ cwd, env: { PI_CODING_AGENT_DIR: "~/other" }, home, trusted: false })).toEqual({ user: join(home, "other", "settings.json") });
  });

  test("nothing said is on, with the default policy", async () => {
    expect(await read(undefined)).toMatchObject({ enabled: true, showStatus: true, faults: [], policy: { profile: "default", condense: { keepNewest: 8 } } });
  });

  test("the project stands above the user, key by key, and both above variables and .palimpsest.json", async () => {
    writeFileSync(join(cwd, ".palimpsest.json"), JSON.stringify({ condense: { keepNewest: 20, smallResult: 60, recallGrace: 9 } }));
    const inUser = { enabled: false, condense: { keepNewest: 4, smallResult: 50 } };
    const inProject = { enabled: true, condense: { keepNewest: 5 } };
    const merged = { enabled: true, condense: { keepNewest: 5, smallResult: 50 } };
    const settings = await read(inUser, inProject, { env: { PALIMPSEST_CONDENSE_KEEP_NEWEST: "30" }, read: merged });
    expect(settings).toMatchObject({ enabled: true, faults: [], policy: { condense: { keepNewest: 5, smallResult: 50, recallGrace: 9 } } });
    expect(settings.origins.get("condense.keepNewest")?.origin).toEqual({ kind: "file", path: project, key: "palimpsest.condense.keepNewest" });
    expect(settings.origins.get("condense.smallResult")?.origin).toEqual({ kind: "file", path: user, key: "palimpsest.condense.smallResult" });
  });

  test("what Pi has read holds, where the file says something else by now", async () => {
    const settings = await read({ condense: { keepNewest: 3 } }, undefined, { read: { condense: { keepNewest: 2 } } });
    expect(settings.policy.condense.keepNewest).toBe(2);
    expect(settings.origins.get("condense.keepNewest")?.origin).toMatchObject({ path: "Pi's settings" });
    const since = await read({ condense: { keepNewest: 3 } }, undefined, { read: { condense: { keepNewest: 2 } }, since: "changed" });
    expect(since.policy.condense.keepNewest).toBe(3);
  });

  test.each([
    [{ enabled: "yes" }, 'palimpsest.enabled: expected true or false, found "yes". Change it, or leave the key out for true.'],
    [
      { enabeld: true },
      'palimpsest.enabeld: expected one of the keys enabled, showStatus, profile, condense, models, found "enabeld". Take it out, or write the key that was meant.',
    ],
    [
      { keepNewest: 3 },
      'palimpsest.keepNewest: expected one of the keys enabled, showStatus, profile, condense, models, found "keepNewest". Did you mean condense.keepNewest? Write it so, or take it out.',
    ],
    [{ condense: { keepNewest: -1 } }, "palimpsest.condense.keepNewest: expected at least 0, found -1. Change it, or leave the key out for its default."],
    [
      { condense: { stub: { max: 20 } } },
      "palimpsest.condense.stub.max: expected a number that is not below min, found 20. Change it, or leave the key out for its default.",
    ],
    [[1], "palimpsest: expected an object, found [1]. Change it, or leave the key out for its default."],
  ])("%j is left out and said with its file and key", async (value, expected) => {
    const settings = await read(value);
    expect(settings.faults).toEqual([`${user}, ${expected}`]);
    expect(settings).toMatchObject({ enabled: true, policy: { condense: { keepNewest: 8, stub: { max: 2500 } } } });
  });
});

describe("writing", () => {
  test("keeps every other key, the order, the indentation, the rights and a link", async () => {
    const real = join(home, "dotfiles.json");
    writeFileSync(real, '{\n\t"theme": "dark",\n\t"palimpsest": {\n\t\t"showStatus": false,\n\t\t"strange": [1]\n\t},\n\t"z": 1\n}');
    chmodSync(real, 0o600);
    symlinkSync(real, user);
    await writeSetting(user, "condense.triggers.everyRequests", 5);
    await writeSetting(user, "enabled", false);
    expect(readFileSync(real, "utf8")).toBe(
      '{\n\t"theme": "dark",\n\t"palimpsest": {\n\t\t"showStatus": false,\n\t\t"strange": [\n\t\t\t1\n\t\t],\n\t\t"condense": {\n\t\t\t"triggers": {\n\t\t\t\t"everyRequests": 5\n\t\t\t}\n\t\t},\n\t\t"enabled": false\n\t},\n\t"z": 1\n}',
    );
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(lstatSync(user).isSymbolicLink()).toBe(true);
    expect(readdirSync(home).sort()).toEqual([".pi", "dotfiles.json", "work"]);
  });

  test("makes the file where there is none", async () => {
    const path = join(home, "new", "settings.json");
    await writeSetting(path, "profile", "safe");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ palimpsest: { profile: "safe" } });
  });

  test.each(['{ "theme": }', "[1]", "null"])("does not touch %s", async (text) => {
    writeFileSync(user, text);
    await expect(writeSetting(user, "enabled", false)).rejects.toThrow(/settings\.json: expected a JSON object, found .*nothing was written/);
    expect(readFileSync(user, "utf8")).toBe(text);
    expect(readdirSync(join(home, ".pi", "agent"))).toEqual(["settings.json"]);
  });

  test("waits for Pi's lock, and takes one that was left behind", async () => {
    writeFileSync(user, "{}");
    mkdirSync(`${user}.lock`);
    await expect(writeSetting(user, "enabled", false)).rejects.toThrow(/another process has locked/);
    expect(readFileSync(user, "utf8")).toBe("{}");
    setTimeout(() => rmSync(`${user}.lock`, { recursive: true }), 100);
    await writeSetting(user, "enabled", false);
    expect(JSON.parse(readFileSync(user, "utf8"))).toEqual({ palimpsest: { enabled: false } });
    mkdirSync(`${user}.lock`);
    utimesSync(`${user}.lock`, 1, 1);
    await writeSetting(user, "enabled", true);
    expect(JSON.parse(readFileSync(user, "utf8"))).toEqual({ palimpsest: { enabled: true } });
  });
});
