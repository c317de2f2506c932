// doctor as a person runs it: the effective configuration with the origin of each value, faults beside it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-doctor-")));
const project = join(home, "project");
const own = join(project, ".palimpsest.json");
mkdirSync(join(project, ".git"), { recursive: true });
afterAll(() => rmSync(home, { recursive: true }));

function doctor(args: readonly string[], variables: Readonly<Record<string, string>> = {}): { readonly code: number | null; readonly out: string } {
  const env = { PATH: process.env.PATH, HOME: home, ...variables };
  const ran = spawnSync(process.execPath, [bin, "doctor", ...args], { cwd: project, env, encoding: "utf8" });
  expect(ran.stderr).toBe("");
  return { code: ran.status, out: ran.stdout };
}

test("each value stands with its origin", () => {
  writeFileSync(own, '{"profile":"safe","condense":{"smallResult":60}}');
  const args = ["--set", "condense.protectedTools=read,bash", "--set", "condense.recallGrace=5"];
  const { code, out } = doctor([...args, "--json"], { PALIMPSEST_CONDENSE_KEEP_NEWEST: "4" });
  expect(code).toBe(0);
  const { configuration } = JSON.parse(out);
  expect(configuration.faults).toEqual([]);
  expect(configuration.files).toEqual([
    { kind: "user", path: join(home, ".config/palimpsest/config.json"), exists: false },
    { kind: "project", path: own, exists: true },
  ]);
  const rows = new Map(configuration.values.map((row: { key: string }) => [row.key, row]));
  expect(rows.get("condense.keepNewest")).toEqual({
    key: "condense.keepNewest",
    value: 4,
    default: 8,
    origin: "variable",
    from: "PALIMPSEST_CONDENSE_KEEP_NEWEST",
    variable: "PALIMPSEST_CONDENSE_KEEP_NEWEST",
  });
  expect(rows.get("condense.smallResult")).toMatchObject({ value: 60, origin: "file", from: `${own}, condense.smallResult` });
  expect(rows.get("condense.keepReads.tokens")).toMatchObject({ value: 1500, origin: "profile", from: "profile safe" });
  expect(rows.get("condense.protectedTools")).toMatchObject({ value: ["read", "bash"], origin: "flag" });
  expect(rows.get("condense.recallGrace")).toMatchObject({ value: 5, origin: "flag" });
  expect(rows.get("condense.stub.max")).toMatchObject({ value: 2500, origin: "default" });
  const table = doctor(args).out;
  expect(table).toMatch(new RegExp(`^ {2}condense\\.smallResult +60 +${own}$`, "m"));
  expect(table).toMatch(/^ {2}condense\.protectedTools +\["read","bash"\] +--set condense\.protectedTools=read,bash$/m);
  expect(table).not.toContain("faults");
});

test("a faulty configuration ends with 1, and the rest is printed", () => {
  writeFileSync(own, '{"condense":{"keepNewst":3,"smallResult":60}}');
  const { code, out } = doctor(["--profile", "fast"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^palimpsest +\d/);
  expect(out).toMatch(/^ {2}condense\.smallResult +60 /m);
  expect(out).toContain(`config-unknown-key: ${own}, condense.keepNewst:`);
  expect(out).toContain("Did you mean keepNewest?");
  expect(out).toContain('profile: expected one of "default", "safe", found "fast"');
  const json = doctor(["--profile", "fast", "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out).configuration.faults.map((fault: { code: string }) => fault.code)).toEqual(["config-unknown-key", "config-out-of-range"]);
});

test("a folder in a configuration file's place is not read, nor is a file that is named and not there", () => {
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  const { code, out } = doctor([]);
  expect(code).toBe(1);
  expect(out).toMatch(new RegExp(`^ {2}project +cannot be read +${own}$`, "m"));
  expect(out).toContain(`config-unreadable: ${own}: expected a configuration file, found a folder.`);
  rmSync(own, { recursive: true });
  const named = doctor([], { PALIMPSEST_CONFIG: join(home, "gone.json") });
  expect(named.code).toBe(1);
  expect(named.out).toContain(`config-unreadable: ${join(home, "gone.json")}: expected a configuration file, found no such file.`);
});

test("session folders that cannot be read are told apart from those that are not there", () => {
  const nobody = process.geteuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const folder = join(home, "claude");
  mkdirSync(join(folder, "projects", "-closed"), { recursive: true });
  mkdirSync(join(home, "shut", "sessions"), { recursive: true });
  writeFileSync(join(folder, "projects", "-closed", "a.jsonl"), "{}");
  for (const each of [home, project]) chmodSync(each, 0o755);
  chmodSync(join(folder, "projects", "-closed"), 0);
  chmodSync(join(home, "shut"), 0);
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: folder, CODEX_HOME: join(home, "shut"), PI_AGENT_DIR: join(home, "none") };
  const ran = (...args: string[]) => spawnSync(process.execPath, [bin, "doctor", ...args], { cwd: project, env, encoding: "utf8", ...nobody });
  const { stdout } = ran();
  const { folders } = JSON.parse(ran("--json").stdout) as { folders: { path: string; exists: boolean; unreadable?: unknown }[] };
  chmodSync(join(home, "shut"), 0o755);
  chmodSync(join(folder, "projects", "-closed"), 0o755);
  expect(stdout).toMatch(new RegExp(`^ {2}claude-code +0 sessions +${folder}/projects `, "m"));
  expect(stdout).toMatch(new RegExp(`^ {2}codex +cannot be read +${home}/shut/sessions `, "m"));
  expect(stdout).toMatch(new RegExp(`^ {2}pi +not there +${home}/none/sessions `, "m"));
  expect(stdout).toContain(`  ${folder}/projects/-closed: expected a folder that can be read, found EACCES.`);
  expect(folders.find(({ path }) => path === join(home, "shut/sessions"))?.unreadable).toEqual([{ path: join(home, "shut/sessions"), code: "EACCES" }]);
  expect(folders.find(({ path }) => path === join(home, "none/sessions"))).not.toHaveProperty("unreadable");
});

test("it says what would be sent where, and neither a key nor what else may be secret", () => {
  writeFileSync(own, "{}");
  expect(doctor([]).out).toMatch(/^language models\n {2}none is named: summaries are extracts, and nothing is sent anywhere$/m);
  const anthropic = { headers: { "x-team": "tell-nobody" }, extras: { user: "tell-nobody" }, keyCommand: ["print-key", "tell-nobody"] };
  const providers = { anthropic, remote: { baseUrl: "http://127.0.0.1.evil.example.com/v1", keyVariable: "ANTHROPIC_API_KEY" } };
  const set = [
    "--set",
    "models.model=anthropic/claude-haiku-4-5",
    "--set",
    "models.fallback=ollama/qwen3:8b",
    "--set",
    `models.providers=${JSON.stringify(providers)}`,
  ];
  const variables = { ANTHROPIC_API_KEY: "tell-nobody" };
  const { out } = doctor(set, variables);
  expect(out).toMatch(/^ {2}model +anthropic\/claude-haiku-4-5 +https:\/\/api\.anthropic\.com\/v1 +key: the command print-key/m);
  expect(out).toMatch(/^ {2}fallback +ollama\/qwen3:8b +http:\/\/127\.0\.0\.1:11434\/v1, on this machine +key: none needed/m);
  const asJson = doctor([...set, "--json"], variables).out;
  expect(JSON.parse(asJson).sends).toMatchObject([
    { use: "model", local: false },
    { use: "fallback", local: true },
  ]);
  expect(JSON.parse(asJson).configuration.values.find(({ key }: { key: string }) => key === "models.providers").value.anthropic.keyCommand).toEqual([
    "print-key",
    "…",
  ]);
  expect(out + asJson).not.toContain("tell-nobody");
  const elsewhere = doctor([...set, "--set", "models.model=remote/x"], variables).out;
  expect(elsewhere).toMatch(
    /^ {2}model +remote\/x +http:\/\/127\.0\.0\.1\.evil\.example\.com\/v1 +key: the variable ANTHROPIC_API_KEY; the key is sent unencrypted/m,
  );
  for (const text of [
    '{"mine":{"apiKey":"tell-nobody"}}',
    '{"mine":{"baseUrl":"https://me:tell-nobody@a.example"}}',
    '{"mine":{"headers":{"a":"tell-nobody"}',
  ]) {
    for (const { code, out } of [doctor([], { PALIMPSEST_MODELS_PROVIDERS: text }), doctor(["--json", "--set", `models.providers=${text}`])]) {
      expect(code).toBe(1);
      expect(out).toContain("models.providers");
      expect(out).not.toContain("tell-nobody");
    }
  }
  expect(doctor(["--set", "models.model=nowhere/x"]).out).toContain('found "nowhere"');
});
