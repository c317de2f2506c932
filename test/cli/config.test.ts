// Where the policy of a command comes from: options over the environment over the project's file over the user's, and faults before any work.
import { afterAll, expect, test } from "vitest";
import { desk } from "../build/command.ts";
import { piSession } from "../build/pi-records.ts";

const { home, file, folder, run, json, clear } = desk("config");
afterAll(clear);

const RESULTS = 14;
const session = file("session.jsonl", piSession(RESULTS));
const deep = folder("project/packages/deep");
folder("project/.git");

function kept(args: readonly string[] = [], variables: Readonly<Record<string, string>> = {}): unknown {
  const { results } = json(["condense", session, ...args], { cwd: deep, variables });
  return (results as { kept: unknown }).kept;
}

test("each source stands above the one before it", () => {
  expect(kept()).toBe(8);
  file(".config/palimpsest/config.json", '{"condense":{"keepNewest":3}}');
  expect(kept()).toBe(3);
  file("project/.palimpsest.json", '{"condense":{"keepNewest":4}}');
  expect(kept()).toBe(4);
  const variables = { PALIMPSEST_CONDENSE_KEEP_NEWEST: "5" };
  expect(kept([], variables)).toBe(5);
  const policy = ["--policy", file("policy.json", '{"condense":{"keepNewest":6}}')];
  expect(kept(policy, variables)).toBe(6);
  expect(kept([...policy, "--set", "condense.keepNewest=9", "--set", "condense.keepNewest=7"], variables)).toBe(7);
  expect(kept([...policy, "--set", "condense.keepNewest=7", "--keep-last", "2"], variables)).toBe(2);
});

test("--profile takes the place of the defaults alone", () => {
  file("project/.palimpsest.json", '{"condense":{"keepNewest":4}}');
  const { configuration } = json(["doctor", "--profile", "safe"], { cwd: deep }) as unknown as {
    configuration: { values: { key: string; value: unknown; origin: string }[] };
  };
  const rows = new Map(configuration.values.map((row) => [row.key, row]));
  expect(rows.get("condense.keepNewest")).toMatchObject({ value: 4, origin: "file" });
  expect(configuration.values.some(({ origin }) => origin === "profile")).toBe(true);
});

test.each<readonly [string, string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
  [
    "a key of the project's file",
    '{"condense":{"keepNewst":3}}',
    [],
    {},
    /^palimpsest: config-unknown-key: .*project\/\.palimpsest\.json, condense\.keepNewst: .*keepNewest/,
  ],
  ["a file that is no JSON", "{condense", [], {}, /^palimpsest: config-not-json: .*project\/\.palimpsest\.json: expected a JSON object/],
  ["a variable", "{}", [], { PALIMPSEST_CONDENSE_KEEP_NEWEST: "many" }, /^palimpsest: config-wrong-type: PALIMPSEST_CONDENSE_KEEP_NEWEST.*found "many"/],
  ["--set without a value", "{}", ["--set", "condense.keepNewest"], {}, /^palimpsest: config-not-a-setting: --set .*expected KEY=VALUE/],
  ["--set of a wrong value", "{}", ["--set", "condense.keepNewest=-2"], {}, /^palimpsest: config-out-of-range: --set .*expected at least 0, found -2/],
  ["--profile", "{}", ["--profile", "fast"], {}, /^palimpsest: config-out-of-range: .*profile: expected one of "default", "safe", found "fast"/],
  ["--policy", "{}", ["--policy", "nowhere.json"], {}, /^palimpsest: config-unreadable: .*nowhere\.json: .*no such file/],
])("a fault in %s ends the command before it reads the session", (_, project, args, variables, err) => {
  file("project/.palimpsest.json", project);
  const ran = run(["replay", `${home}/no-such-session.jsonl`, ...args], { cwd: deep, variables });
  expect(ran).toMatchObject({ code: 1, out: "", err: expect.stringMatching(err) });
});
