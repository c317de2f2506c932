// The configuration from all its sources: which one holds, where each value comes from, and every fault at once.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { userFile } from "./files.ts";
import { ConfigError, type ConfigInput, configKeys, DEFAULT_POLICY, inspectConfig, loadConfig, originText } from "./index.ts";
import { nearest } from "./nearest.ts";
import { PROFILES } from "./policy.ts";
import { REPLACED } from "./removed.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-config-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let home = "";
let project = "";
let count = 0;
beforeEach(() => {
  home = join(root, `home-${count}`);
  project = join(root, `project-${count}`);
  count += 1;
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "packages/one"), { recursive: true });
});

function write(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function userPath(): string {
  return join(home, ".config/palimpsest/config.json");
}

function input(some: Partial<ConfigInput> = {}): ConfigInput {
  return { cwd: project, env: {}, home, platform: "linux", ...some };
}

async function fault(some: Partial<ConfigInput>): Promise<ConfigError> {
  return loadConfig(input(some)).then(
    () => {
      throw new Error("accepted");
    },
    (error: unknown) => {
      if (error instanceof ConfigError) return error;
      throw error;
    },
  );
}

describe("precedence", () => {
  test("without any source the defaults hold", async () => {
    const { policy, origins, files } = await loadConfig(input());
    expect(policy).toEqual(DEFAULT_POLICY);
    expect([...origins.values()].every(({ origin }) => origin.kind === "default")).toBe(true);
    expect(files).toEqual([
      { kind: "user", path: userPath(), exists: false },
      { kind: "project", path: join(project, ".palimpsest.json"), exists: false },
    ]);
  });

  test("each source stands above the one before, key by key", async () => {
    const keys = ["keepNewest", "smallResult", "recallGrace", "spillThreshold", "spillPreviewBytes"];
    const setting = (value: number, from: number) => ({ condense: Object.fromEntries(keys.slice(from).map((key) => [key, value])) });
    const user = write(userPath(), setting(101, 0));
    const own = write(join(project, ".palimpsest.json"), setting(102, 1));
    const variables = ["RECALL_GRACE", "SPILL_THRESHOLD", "SPILL_PREVIEW_BYTES"].map((name) => [`PALIMPSEST_CONDENSE_${name}`, "103"]);
    const named = write(join(project, "named.json"), setting(104, 3));
    const { policy, origins, files } = await loadConfig(
      input({ env: Object.fromEntries(variables), policyFile: "named.json", set: ["condense.spillPreviewBytes=105"] }),
    );
    expect(keys.map((key) => policy.condense[key as "keepNewest"])).toEqual([101, 102, 103, 104, 105]);
    expect(keys.map((key) => originText(origins.get(`condense.${key}`)?.origin ?? { kind: "default" }))).toEqual([
      `${user}, condense.keepNewest`,
      `${own}, condense.smallResult`,
      "PALIMPSEST_CONDENSE_RECALL_GRACE",
      `${named}, condense.spillThreshold`,
      "--set condense.spillPreviewBytes=105",
    ]);
    expect(files.map(({ kind, exists }) => [kind, exists])).toEqual([
      ["user", true],
      ["project", true],
      ["named", true],
    ]);
  });

  test("groups are merged, arrays replaced", async () => {
    write(userPath(), { condense: { stub: { max: 900 }, protectedTools: ["a", "b"] } });
    write(join(project, ".palimpsest.json"), { condense: { stub: { min: 10 }, protectedTools: ["c"] } });
    const { condense } = (await loadConfig(input())).policy;
    expect(condense.stub).toEqual({ ...DEFAULT_POLICY.condense.stub, min: 10, max: 900 });
    expect(condense.protectedTools).toEqual(["c"]);
  });

  test("null is a value, not a key left out", async () => {
    write(userPath(), { condense: { triggers: { occupancy: 0.8 } } });
    write(join(project, ".palimpsest.json"), { condense: { triggers: { occupancy: null } } });
    expect((await loadConfig(input())).policy.condense.triggers.occupancy).toBeNull();
  });

  test("flags stand above the environment, --set above flags; of two --set the last", async () => {
    const env = { PALIMPSEST_CONDENSE_KEEP_NEWEST: "1", PALIMPSEST_CONDENSE_SMALL_RESULT: "1" };
    const flags = { condense: { keepNewest: 2, smallResult: 2 } };
    const { policy, origins } = await loadConfig(input({ env, flags, set: ["condense.keepNewest=3", "condense.keepNewest=4"] }));
    expect(policy.condense).toMatchObject({ keepNewest: 4, smallResult: 2 });
    expect(origins.get("condense.smallResult")?.origin.kind).toBe("flag");
  });

  test("the policy is frozen, so are its arrays", async () => {
    const { policy } = await loadConfig(input({ set: ["condense.protectedTools=a,b"] }));
    for (const part of [policy, policy.condense, policy.condense.stub, policy.condense.protectedTools]) expect(Object.isFrozen(part)).toBe(true);
  });
});

describe("profiles", () => {
  test("the highest source names it; its values stand right above the defaults", async () => {
    write(userPath(), { profile: "safe", condense: { keepReads: { results: 7 } } });
    const safe = await loadConfig(input());
    expect(safe.policy).toMatchObject(PROFILES.safe);
    expect(safe.policy.condense.keepReads.results).toBe(7);
    expect(safe.origins.get("condense.keepReads.tokens")?.origin).toEqual({ kind: "profile", name: "safe" });
    expect((await loadConfig(input({ env: { PALIMPSEST_PROFILE: "default" } }))).policy.condense.keepReads.tokens).toBe(0);
    write(userPath(), { condense: { keepReads: { tokens: 9 } } });
    expect((await loadConfig(input({ flags: { profile: "safe" } }))).policy.condense.keepReads.tokens).toBe(9);
  });

  test("every profile is a policy by itself", async () => {
    for (const name of Object.keys(PROFILES)) await expect(loadConfig(input({ flags: { profile: name } }))).resolves.toBeDefined();
  });
});

describe("files", () => {
  test("the user's file is where the system keeps them, or the one that is named", async () => {
    const paths = async (some: Partial<ConfigInput>) => (await userFile(input(some))).file.path;
    expect(await paths({ home: "/h" })).toBe("/h/.config/palimpsest/config.json");
    expect(await paths({ home: "/h", env: { XDG_CONFIG_HOME: "/x" } })).toBe("/x/palimpsest/config.json");
    expect(await paths({ home: "/h", env: { XDG_CONFIG_HOME: "not/absolute" } })).toBe("/h/.config/palimpsest/config.json");
    expect(await paths({ home: "/h", env: { PALIMPSEST_CONFIG: "" } })).toBe("/h/.config/palimpsest/config.json");
    expect(await paths({ home: "/h", env: { PALIMPSEST_CONFIG: "~/own.json" } })).toBe("/h/own.json");
    expect(await paths({ home: "/h", env: { PALIMPSEST_CONFIG: "own.json" } })).toBe(join(project, "own.json"));
    const windows = { platform: "win32", cwd: "C:\\work", home: "C:\\Users\\me" } as const;
    expect(await paths({ ...windows, env: { APPDATA: "D:\\Roaming" } })).toBe("D:\\Roaming\\palimpsest\\config.json");
    expect(await paths(windows)).toBe("C:\\Users\\me\\AppData\\Roaming\\palimpsest\\config.json");
  });

  test("the project's file is the nearest one up to the root of the repository", async () => {
    const cwd = join(project, "packages/one");
    write(join(root, ".palimpsest.json"), { condense: { keepNewest: 1 } });
    expect((await loadConfig(input({ cwd }))).policy.condense.keepNewest).toBe(8);
    write(join(project, ".palimpsest.json"), { condense: { keepNewest: 2, smallResult: 2 } });
    expect((await loadConfig(input({ cwd }))).policy.condense.keepNewest).toBe(2);
    write(join(cwd, ".palimpsest.json"), { condense: { keepNewest: 3 } });
    expect((await loadConfig(input({ cwd }))).policy.condense).toMatchObject({ keepNewest: 3, smallResult: 120 });
    rmSync(join(root, ".palimpsest.json"));
  });

  test("outside a repository only the folder's own", async () => {
    rmSync(join(project, ".git"), { recursive: true });
    write(join(project, ".palimpsest.json"), { condense: { keepNewest: 2 } });
    expect((await loadConfig(input({ cwd: join(project, "packages/one") }))).policy.condense.keepNewest).toBe(8);
    expect((await loadConfig(input())).policy.condense.keepNewest).toBe(2);
  });

  test.each<[string, Partial<ConfigInput>, () => unknown, string, string]>([
    ["a named file that is not there", { policyFile: "gone.json" }, () => {}, "config-unreadable", "no such file"],
    ["a variable that names none", { env: { PALIMPSEST_CONFIG: join(root, "gone.json") } }, () => {}, "config-unreadable", "no such file"],
    ["a folder", { policyFile: "packages" }, () => {}, "config-unreadable", "a folder"],
    ["a folder in place of the project's", {}, () => mkdirSync(join(project, ".palimpsest.json")), "config-unreadable", "a folder"],
    ["a link in a circle", { policyFile: "loop" }, () => symlinkSync("loop", join(project, "loop")), "config-unreadable", "ELOOP"],
    ["no JSON", {}, () => write(userPath(), "{ // none\n}"), "config-not-json", "what JSON does not allow"],
    ["an empty file", {}, () => write(userPath(), ""), "config-not-json", "an empty text"],
    ["an array", {}, () => write(userPath(), []), "config-wrong-type", "[]"],
  ])("%s is a fault", async (_, some, make, code, found) => {
    make();
    const error = await fault(some);
    expect(error.faults).toHaveLength(1);
    expect(error.faults[0]).toMatchObject({ code, path: "", found: expect.stringContaining(found), place: expect.stringMatching(/^[/]/) });
  });

  test("a byte order mark is no fault", async () => {
    write(userPath(), '\uFEFF{"condense":{"keepNewest":3}}');
    expect((await loadConfig(input())).policy.condense.keepNewest).toBe(3);
  });
});

describe("values written as text", () => {
  test.each([
    ["KEEP_NEWEST", " 4 ", "keepNewest", 4],
    ["SPILL_THRESHOLD", "1e5", "spillThreshold", 100_000],
    ["DROP_THINKING", "false", "dropThinking", false],
    ["DROP_THINKING", "0", "dropThinking", false],
    ["DROP_THINKING", "TRUE", "dropThinking", true],
    ["PROTECTED_TOOLS", "read, bash", "protectedTools", ["read", "bash"]],
    ["PROTECTED_TOOLS", '["read","a,b"]', "protectedTools", ["read", "a,b"]],
    ["PROTECTED_TOOLS", "[]", "protectedTools", []],
    ["PROTECTED_PATHS", "**/*.{md,txt},src/**", "protectedPaths", ["**/*.{md,txt}", "src/**"]],
    ["KEEP_NEWEST", "", "keepNewest", 8],
  ])("PALIMPSEST_CONDENSE_%s=%j", async (name, text, key, value) => {
    const { condense } = (await loadConfig(input({ env: { [`PALIMPSEST_CONDENSE_${name}`]: text } }))).policy;
    expect(condense[key as "keepNewest"]).toEqual(value);
  });

  test("a key that may be null takes null, and shares as they are", async () => {
    const env = { PALIMPSEST_CONDENSE_TRIGGERS_OCCUPANCY: "0.8", PALIMPSEST_CONDENSE_ARGUMENTS_OVER: "null" };
    const { condense } = (await loadConfig(input({ env }))).policy;
    expect([condense.triggers.occupancy, condense.arguments.over]).toEqual([0.8, null]);
  });

  test.each([
    ["CONDENSE_KEEP_NEWEST", "many", "config-wrong-type", "condense.keepNewest"],
    ["CONDENSE_KEEP_NEWEST", "0x10", "config-wrong-type", "condense.keepNewest"],
    ["CONDENSE_KEEP_NEWEST", "1.5", "config-wrong-type", "condense.keepNewest"],
    ["CONDENSE_KEEP_NEWEST", "null", "config-wrong-type", "condense.keepNewest"],
    ["CONDENSE_KEEP_NEWEST", "-1", "config-out-of-range", "condense.keepNewest"],
    ["CONDENSE_DROP_THINKING", "maybe", "config-wrong-type", "condense.dropThinking"],
    ["CONDENSE_PROTECTED_TOOLS", '["a"', "config-wrong-type", "condense.protectedTools"],
    ["CONDENSE_PROTECTED_TOOLS", "a,,b", "config-out-of-range", "condense.protectedTools.1"],
    ["PROFILE", "fast", "config-out-of-range", "profile"],
    ["CONDENSE_KEEP_NEWST", "4", "config-unknown-key", ""],
    ["CONDENS_KEEP_NEWEST", "4", "config-unknown-key", ""],
    ["CONDENSE_STUB", "{}", "config-unknown-key", ""],
  ])("PALIMPSEST_%s=%j is a fault", async (name, text, code, path) => {
    const { faults } = await fault({ env: { [`PALIMPSEST_${name}`]: text } });
    expect(faults).toMatchObject([{ code, path, place: `PALIMPSEST_${name}` }]);
  });

  test("variables of other uses are left alone, and names count without case on Windows", async () => {
    expect((await loadConfig(input({ env: { PALIMPSEST_STORE: "x", PALIMPSEST: "x", CONDENSE_KEEP_NEWEST: "x" } }))).policy).toEqual(DEFAULT_POLICY);
    const env = { Palimpsest_Condense_Keep_Newest: "4" };
    expect((await inspectConfig({ cwd: "C:\\", home: "C:\\", env, platform: "win32" })).policy.condense.keepNewest).toBe(4);
    expect((await loadConfig(input({ env }))).policy.condense.keepNewest).toBe(8);
  });

  test.each([
    ["condense.keepNewst=4", "config-unknown-key", "condense.keepNewst", "keepNewest"],
    ["condens.keepNewest=4", "config-unknown-key", "condens", "condense"],
    ["keepNewest=4", "config-unknown-key", "keepNewest", "condense.keepNewest"],
    ["condense.stub=4", "config-not-a-setting", "condense.stub", "one by one"],
    ["condense.keepNewest.x=4", "config-not-a-setting", "condense.keepNewest.x", "condense.keepNewest=VALUE"],
    ["condense.keepNewest", "config-not-a-setting", "", "condense.keepNewest=4"],
    ["=4", "config-not-a-setting", "", "condense.keepNewest=4"],
    ["__proto__.polluted=1", "config-unknown-key", "__proto__", "Take it out"],
    ["constructor.prototype.polluted=1", "config-unknown-key", "constructor", "Take it out"],
    ["condense.minSaving=9", "config-removed-key", "condense.minSaving", "condense.triggers.minSaving"],
  ])("--set %s is a fault", async (set, code, path, remedy) => {
    const { faults } = await fault({ set: [set] });
    expect(faults).toMatchObject([{ code, path, place: `--set ${set.replace(/=.*/, "=…")}`, remedy: expect.stringContaining(remedy) }]);
  });

  test("what is after the first = is the value", async () => {
    expect((await loadConfig(input({ set: ["condense.protectedTools=a=b"] }))).policy.condense.protectedTools).toEqual(["a=b"]);
  });
});

describe("faults", () => {
  test("those of all sources are told at once, each with its place", async () => {
    const user = write(userPath(), { condense: { keepNewst: 1, stub: { share: 2 } } });
    const own = write(join(project, ".palimpsest.json"), "{");
    const { faults, message } = await fault({
      env: { PALIMPSEST_CONDENSE_SMALL_RESULT: "x" },
      policyFile: "gone.json",
      flags: { profile: "fast" },
      set: ["condense.keepNewest=-1"],
    });
    expect(faults.map(({ place, code, path }) => [place, code, path])).toEqual([
      [user, "config-out-of-range", "condense.stub.share"],
      [user, "config-unknown-key", "condense.keepNewst"],
      [own, "config-not-json", ""],
      ["PALIMPSEST_CONDENSE_SMALL_RESULT", "config-wrong-type", "condense.smallResult"],
      [join(project, "gone.json"), "config-unreadable", ""],
      ["command line", "config-out-of-range", "profile"],
      ["--set condense.keepNewest=-1", "config-out-of-range", "condense.keepNewest"],
    ]);
    expect(message.split("\n")).toHaveLength(7);
    expect(message).toContain(`${user}, condense.keepNewst: expected one of the keys`);
    expect(message).toContain("Did you mean keepNewest?");
  });

  test("with faults in it, the rest is still known", async () => {
    write(userPath(), { condense: { keepNewest: 5, smallResult: "x", protectedTools: ["a", 3] } });
    const { policy, faults, origins } = await inspectConfig(input());
    expect(faults.map(({ path }) => path)).toEqual(["condense.smallResult", "condense.protectedTools.1"]);
    expect(policy.condense).toMatchObject({ keepNewest: 5, smallResult: 120, protectedTools: [] });
    expect(origins.get("condense.smallResult")).toEqual({ value: 120, origin: { kind: "default" } });
  });

  test("a rule between keys holds for what all sources give together", async () => {
    const user = write(userPath(), { condense: { stub: { max: 39 } } });
    expect((await fault({})).faults).toMatchObject([{ place: user, path: "condense.stub.max", found: "39" }]);
    write(join(project, ".palimpsest.json"), { condense: { stub: { min: 10 } } });
    expect((await loadConfig(input())).policy.condense.stub).toMatchObject({ min: 10, max: 39 });
    const raised = await inspectConfig(input({ set: ["condense.stub.min=3000"] }));
    expect(raised.faults).toMatchObject([{ path: "condense.stub.max", found: "39" }]);
    expect(raised.policy.condense.stub).toEqual(DEFAULT_POLICY.condense.stub);
    expect(raised.origins.get("condense.stub.min")?.origin.kind).toBe("default");
  });

  test("a rule broken by a default names who broke it", async () => {
    expect((await fault({ set: ["condense.stub.min=3000"] })).faults).toMatchObject([{ place: "--set condense.stub.min=3000", path: "condense.stub.max" }]);
  });

  test("__proto__ in a file does nothing but be named", async () => {
    write(userPath(), '{"__proto__":{"polluted":1},"condense":{"__proto__":{"keepNewest":1},"constructor":{"prototype":{"polluted":1}}}}');
    const { policy, faults } = await inspectConfig(input());
    expect(faults.map(({ path }) => path).sort()).toEqual(["__proto__", "condense.__proto__", "condense.constructor"]);
    expect(policy).toEqual(DEFAULT_POLICY);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(Object.getPrototypeOf(policy.condense)).toBe(Object.prototype);
  });

  test("no JSON value makes it throw anything but a ConfigError, and every key keeps a value", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.record({ condense: fc.anything(), profile: fc.anything() }).map((value) => JSON.stringify(value)),
        ),
        async (json) => {
          write(userPath(), json);
          const { policy, origins } = await inspectConfig(input());
          expect(Object.keys(policy.condense).sort()).toEqual(Object.keys(DEFAULT_POLICY.condense).sort());
          expect([...origins.keys()]).toEqual([...configKeys().keys()]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("keys", () => {
  test("each has its type, default and a variable of its own", () => {
    const keys = [...configKeys().values()];
    expect(new Set(keys.map(({ variable }) => variable)).size).toBe(keys.length);
    expect(configKeys().get("condense.stub.share")).toMatchObject({
      type: "number",
      nullable: false,
      default: 0.4,
      variable: "PALIMPSEST_CONDENSE_STUB_SHARE",
    });
    expect(configKeys().get("condense.triggers.occupancy")).toMatchObject({ type: "number", nullable: true, default: null });
    expect(configKeys().get("condense.protectedPaths")).toMatchObject({ type: "texts", default: DEFAULT_POLICY.condense.protectedPaths });
    expect(configKeys().get("profile")).toMatchObject({ type: "one of", choices: ["default", "safe"] });
  });

  test("their defaults are the default policy", () => {
    for (const { path, default: value } of configKeys().values())
      expect(
        path.split(".").reduce<unknown>((inner, part) => Reflect.get(inner as object, part), DEFAULT_POLICY),
        path,
      ).toEqual(value);
  });

  test("a replaced key is none any more, what replaced it is one or a group", () => {
    const paths = [...configKeys().keys()];
    for (const [before, now] of REPLACED) {
      expect(
        paths.some((path) => path === before || path.startsWith(`${before}.`)),
        before,
      ).toBe(false);
      expect(
        paths.some((path) => path === now || path.startsWith(`${now}.`)),
        now,
      ).toBe(true);
    }
  });

  test.each([
    ["keepNewst", "keepNewest"],
    ["keepnewest", "keepNewest"],
    ["kepeNewest", "keepNewest"],
    ["shares", "share"],
    ["entirely", undefined],
    ["x", undefined],
    ["", undefined],
  ])("nearest to %j is %j", (text, meant) => {
    expect(nearest(text, ["share", "keepNewest", "smallResult", "min"])).toBe(meant);
  });
});

describe("providers of models", () => {
  const providers = { mine: { baseUrl: "http://127.0.0.1:9/v1", keyCommand: ["pass", "show", "mine"] } };
  const whole = { kind: null, keyVariable: null, extras: {}, headers: {}, ...providers.mine };

  test("are one value, replaced whole, from the user's file, a variable or the command line", async () => {
    write(userPath(), { models: { providers: { other: {} } } });
    expect((await loadConfig(input())).policy.models.providers).toHaveProperty("other");
    const env = { PALIMPSEST_MODELS_PROVIDERS: JSON.stringify(providers) };
    const { policy, origins } = await loadConfig(input({ env }));
    expect(policy.models.providers).toEqual({ mine: whole });
    expect(origins.get("models.providers")?.origin).toEqual({ kind: "variable", name: "PALIMPSEST_MODELS_PROVIDERS" });
    expect((await loadConfig(input({ env, set: ["models.providers={}"] }))).policy.models.providers).toEqual({});
  });

  test("and models in a project's file are a fault: it could have sessions sent elsewhere and commands run", async () => {
    write(join(project, ".palimpsest.json"), { models: { retries: 1, providers, model: "mine/a", fallback: "mine/b" } });
    const { policy, faults } = await inspectConfig(input());
    const place = join(project, ".palimpsest.json");
    expect(faults).toMatchObject(["model", "fallback", "providers"].map((key) => ({ code: "config-not-of-a-project", path: `models.${key}`, place })));
    expect(policy.models).toMatchObject({ retries: 1, providers: {}, model: "none", fallback: "none" });
  });

  const SECRET = "tell-nobody";
  const told = (value: unknown) => ({ mine: value });

  test.each<[string, unknown, string, string]>([
    ["a text in place of a provider", told(SECRET), "models.providers.mine", "a text"],
    ["a text in place of headers", told({ headers: SECRET }), "models.providers.mine.headers", "a text"],
    ["a header that is an object", told({ headers: { authorization: { value: SECRET } } }), "models.providers.mine.headers.authorization", "an object"],
    ["a number", told({ headers: { authorization: 12345 } }), "models.providers.mine.headers.authorization", "a number"],
    ["a key where there is none", told({ apiKey: SECRET }), "models.providers.mine.apiKey", '"apiKey"'],
    ["a command for a shell", told({ keyCommand: `echo ${SECRET}` }), "models.providers.mine.keyCommand", "a text"],
    ["another kind", told({ kind: SECRET }), "models.providers.mine.kind", "a text"],
    ["a password in the URL", told({ baseUrl: `https://me:${SECRET}@a.example/v1` }), "models.providers.mine.baseUrl", "a text"],
    ["a user in the URL", told({ baseUrl: `https://${SECRET}@a.example/v1` }), "models.providers.mine.baseUrl", "a text"],
    ["a query in the URL", told({ baseUrl: `https://a.example/v1?key=${SECRET}` }), "models.providers.mine.baseUrl", "a text"],
    ["a fragment in the URL", told({ baseUrl: `https://a.example/v1#${SECRET}` }), "models.providers.mine.baseUrl", "a text"],
    ["a URL that cannot be read", told({ baseUrl: `https://a:${SECRET}` }), "models.providers.mine.baseUrl", "a text"],
    ["an array", [{ headers: { authorization: SECRET } }], "models.providers", "an array"],
  ])("nothing of them stands in a fault: %s", async (_, value, path, found) => {
    write(userPath(), { models: { providers: value } });
    const text = JSON.stringify(value);
    const all = [await fault({}), await fault({ env: { PALIMPSEST_MODELS_PROVIDERS: text } }), await fault({ set: [`models.providers=${text}`] })];
    for (const { faults, message } of all) {
      expect(faults.map((each) => each.path)).toContain(path);
      expect(message).not.toMatch(/tell-nobody|12345/);
    }
    expect(all[0]?.faults).toMatchObject([{ path, found }]);
  });

  test.each([
    `models.providers={"mine":{"headers":{"authorization":"${SECRET}`,
    `models.providers=${SECRET}`,
    `models.provider={"mine":{"headers":{"authorization":"${SECRET}"}}}`,
    `models={"providers":{"mine":{"headers":{"a":"${SECRET}"}}}}`,
    `models.providers.mine.headers.authorization=${SECRET}`,
    `models.providers:{"mine":"${SECRET}"}`,
    `{"models":{"providers":{"mine":{"headers":{"a":"${SECRET}=="}}}}}`,
  ])("nor anything of --set %s", async (set) => {
    const { faults, message } = await fault({ set: [set] });
    expect(faults).toHaveLength(1);
    expect(message).not.toContain(SECRET);
  });

  test.each([
    [`{"models":{"providers":{"mine":{"headers":{"a":${SECRET}}}}}}`, "in line 1, column 49"],
    [`{\n  "models": {"providers": {"mine": {"headers":\n {"a": "${SECRET}",}}}}}`, "in line 3, column 22"],
    [`{"models": "${SECRET}" x`, "in line 1, column 26"],
    [`{"models": "${SECRET}`, "in line 1, column 24"],
    [`["${SECRET}"`, "in line 1, column 15"],
    [`"${SECRET}"`, "a text"],
    [`["${SECRET}"]`, "an array"],
    [`{"models":"${SECRET}"}`, "a text"],
    [`{"models":["${SECRET}"]}`, "an array"],
    [`{"condense":{"keepNewest":{"a":"${SECRET}"}}}`, "an object"],
    [`{"condense":{"keepNewest":[{"a":"${SECRET}"}]}}`, "an array"],
  ])("nor anything of a file with %s", async (text, found) => {
    write(userPath(), text);
    const { faults, message } = await fault({});
    expect(faults).toMatchObject([{ found: expect.stringContaining(found) }]);
    expect(message).not.toContain(SECRET);
  });

  test.each(["http://127.0.0.1:9/v1", "https://models.example.com/v1/", "http://[::1]:8000"])("a base URL such as %s is none", async (baseUrl) => {
    expect((await loadConfig(input({ flags: { models: { providers: { mine: { baseUrl } } } } }))).policy.models.providers.mine?.baseUrl).toBe(baseUrl);
  });

  test("what to do about a password in a URL is said", async () => {
    const set = ['models.providers={"mine":{"baseUrl":"https://me:x@a.example"}}'];
    expect((await fault({ set })).message).toBe(
      "--set models.providers=…, models.providers.mine.baseUrl: expected a URL without a user and password, which keyVariable, keyCommand or headers are for, found a text. Change it, or leave the key out for its default.",
    );
  });

  test.each(["mine", "[]", "{", '{"mine":{"keyCommand":"pass"}}'])("%s in a variable is a fault that names it", async (text) => {
    expect((await fault({ env: { PALIMPSEST_MODELS_PROVIDERS: text } })).faults).toMatchObject([
      { place: "PALIMPSEST_MODELS_PROVIDERS", path: expect.stringMatching(/^models\.providers/) },
    ]);
  });
});
