// The command as people and scripts run it: exit codes, output, errors, pipes.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
const example = fileURLToPath(new URL("../../examples/pi-session.jsonl", import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function palimpsest(args: readonly string[], options: { readonly input?: string | Buffer; readonly cwd?: string; readonly home?: string } = {}): Ran {
  const env = { PATH: process.env.PATH, HOME: options.home ?? folder };
  const ran = spawnSync(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? folder,
    env,
    input: options.input ?? "",
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("condense", () => {
  test("says what it saves and that every original comes back", () => {
    const { code, out, err } = palimpsest(["condense", example]);
    expect(code).toBe(0);
    expect(err).toBe("");
    expect(out).toMatch(/^pi session [-0-9a-f]+: [\d,]+ entries, [\d,]+ requests, [\d,]+ results\n/);
    const [, exact, checked] = /recall +(\d+) of (\d+) hidden originals recalled/.exec(out) ?? [];
    expect(exact).toBe(checked);
    expect(Number(checked)).toBeGreaterThan(10);
  });

  test("--json holds the figures of the contract", () => {
    const { code, out } = palimpsest(["condense", example, "--json"]);
    const report = JSON.parse(out);
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(1);
    expect(report).toMatchObject({
      version: 1,
      session: { format: "pi", id: expect.any(String), entries: expect.any(Number), requests: expect.any(Number) },
      tokens: { before: expect.any(Number), after: expect.any(Number) },
      context: { averageFull: expect.any(Number), averageCondensed: expect.any(Number), floor: expect.any(Number) },
      diagnostics: [],
    });
    const { total, condensed, spilled, duplicates, protected: kept, kept: rest } = report.results;
    expect(condensed + spilled + duplicates + kept + rest).toBe(total);
    expect(report.recall).toEqual({ checked: condensed + spilled + duplicates, exact: condensed + spilled + duplicates });
    expect(report.tokens.after).toBeLessThan(report.tokens.before);
  });

  test("only reads the session, and takes it from standard input as well", () => {
    const before = readFileSync(example);
    const named = JSON.parse(palimpsest(["condense", example, "--json"]).out);
    const piped = JSON.parse(palimpsest(["condense", "-", "--json"], { input: before }).out);
    expect(piped).toEqual(named);
    expect(readFileSync(example).equals(before)).toBe(true);
  });

  test("--save writes a log that view and recall read when the source is gone", () => {
    const copy = file("source.jsonl", readFileSync(example));
    const saved = join(folder, "saved.jsonl");
    const { out } = palimpsest(["condense", copy, "--save", join(folder, "saved")]);
    expect(out).toContain(`saved as ${saved}`);
    const ref = /palimpsest\S* recall \S+ (t\d+)/.exec(out)?.[1] as string;
    const original = palimpsest(["recall", copy, ref]).out;
    rmSync(copy);
    expect(palimpsest(["recall", saved, ref]).out).toBe(original);
    expect(palimpsest(["view", saved]).out).toContain(`── stub ${ref} `);
    const again = palimpsest(["condense", saved, "--save", join(folder, "saved")]);
    expect(again.code).not.toBe(0);
    expect(again.err).toContain("saved.jsonl");
  });

  test("--policy takes a file; a wrong key in it is named", () => {
    const none = JSON.parse(
      palimpsest([
        "condense",
        example,
        "--json",
        "--policy",
        file("none.json", '{"condense":{"protectedTools":["read","bash","grep","find","ls","edit","write"]}}'),
      ]).out,
    );
    expect(none.results.condensed).toBe(0);
    const wrong = palimpsest(["condense", example, "--policy", file("wrong.json", '{"condense":{"keepNewst":3}}')]);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain("condense.keepNewst");
    expect(palimpsest(["condense", example, "--policy", join(folder, "missing.json")])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no such file"),
    });
  });

  test("--latest takes the newest session of the folder's project", () => {
    const home = mkdtempSync(join(folder, "home-"));
    const project = join(folder, "project");
    mkdirSync(project, { recursive: true });
    const sessions = join(home, ".pi/agent/sessions", `--${project.slice(1).replace(/[/\\:]/g, "-")}--`);
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, "2026-03-02T09-00-00-000Z_one.jsonl"), readFileSync(example));
    expect(palimpsest(["condense", "--latest"], { cwd: project, home }).out).toMatch(/^pi session /);
    expect(palimpsest(["sessions"], { home }).out).toContain("_one.jsonl");
    expect(palimpsest(["recall", "--latest", "t1"], { cwd: project, home }).out).toBe(palimpsest(["recall", example, "t1"]).out);
    expect(palimpsest(["condense", "--latest"], { home })).toMatchObject({ code: 2, err: expect.stringContaining("no session of") });
  });
});

describe("recall", () => {
  test("gives the original to stdout and nothing else, byte for byte", () => {
    const { code, out, err } = palimpsest(["recall", example, "t1"]);
    expect([code, err]).toEqual([0, ""]);
    const lines = readFileSync(example, "utf8").split("\n");
    const first = lines.map((line) => (line ? JSON.parse(line) : {})).find((record) => record.message?.role === "toolResult");
    expect(out).toBe(first.message.content.map((block: { text: string }) => block.text).join("\n"));
  });

  test("--raw gives the record's own bytes", () => {
    const { out } = palimpsest(["recall", example, "t1", "--raw"]);
    expect(readFileSync(example, "utf8")).toContain(out.trimEnd());
    const { records } = JSON.parse(palimpsest(["recall", example, "t1", "--json"]).out).found[0];
    expect(createHash("sha256").update(out.trimEnd()).digest("hex")).toBe(records[0].sha256);
  });

  test("pages say the total and the next offset on stderr", () => {
    const whole = palimpsest(["recall", example, "t1"]).out;
    const first = palimpsest(["recall", example, "t1", "--limit", "2"]);
    expect(first.err).toMatch(/^lines from 1 of \d+; next: --offset 3\n$/);
    const rest = palimpsest(["recall", example, "t1", "--offset", "3"]);
    expect(first.out + rest.out).toBe(whole);
    const total = Number(/ of (\d+);/.exec(first.err)?.[1]);
    const behind = palimpsest(["recall", example, "t1", "--offset", `${total + 1}`]);
    expect(behind).toMatchObject({ code: 0, out: "", err: `nothing there: the original has ${total} lines\n` });
    const beyond = {
      code: 2,
      out: "",
      err: `palimpsest: beyond-end: --offset: expected at most ${total}, as the original has ${total} lines, found ${total + 2}.\n`,
    };
    for (const more of [[], ["--json"]]) expect(palimpsest(["recall", example, "t1", "--offset", `${total + 2}`, ...more])).toMatchObject(beyond);
    const bytes = Buffer.byteLength(whole);
    expect(palimpsest(["recall", example, "t1", "--unit", "bytes", "--offset", `${bytes}`])).toMatchObject({ code: 0, out: "" });
    expect(palimpsest(["recall", example, "t1", "--unit", "bytes", "--offset", `${bytes + 1}`])).toMatchObject({ code: 2, out: "" });
  });

  test("--search finds lines in one original, and without a ref in the whole session", () => {
    const word = "test";
    const all = palimpsest(["recall", example, "--search", word]).out.trim().split("\n");
    expect(all.length).toBeGreaterThan(3);
    const ref = all.map((line) => /^(t\d+)\t/.exec(line)?.[1]).find(Boolean) as string;
    for (const line of palimpsest(["recall", example, ref, "--search", word]).out.trim().split("\n")) expect(line).toMatch(/^\d+: .*test/);
  });

  test("--search without a match is no error: it is said on stderr, and by --json as no matches", () => {
    const none = "no such text";
    expect(palimpsest(["recall", example, "--search", none])).toEqual({ code: 0, out: "", err: `nothing holds "${none}" on this branch\n` });
    expect(palimpsest(["recall", example, "t1", "--search", none])).toEqual({ code: 0, out: "", err: `no line of t1 holds "${none}"\n` });
    expect(JSON.parse(palimpsest(["recall", example, "--search", none, "--json"]).out)).toMatchObject({ matches: [] });
    expect(JSON.parse(palimpsest(["recall", example, "t1", "--search", none, "--json"]).out)).toMatchObject({ found: [{ ref: "t1", matches: [] }] });
    const [line = ""] = palimpsest(["recall", example, "t1"]).out.split("\n");
    const { found } = JSON.parse(palimpsest(["recall", example, "t1", "--search", line.slice(0, 40), "--json"]).out);
    expect(found[0].matches[0]).toMatchObject({ line: 1 });
    expect(found[0]).not.toHaveProperty("text");
  });

  test("what cannot be asked for together is refused, not ignored", () => {
    for (const args of [
      ["--raw", "--json"],
      ["--raw", "--limit", "2"],
      ["--search", "x", "--offset", "2"],
      ["--image", "1", "--json"],
      ["--limit", "0"],
    ])
      expect(palimpsest(["recall", example, "t1", ...args])).toMatchObject({ code: 1, out: "" });
    const page = JSON.parse(palimpsest(["recall", example, "t1", "--json", "--limit", "2"]).out).found[0];
    expect(page.text.trimEnd().split("\n").length).toBe(2);
    expect(page.page).toMatchObject({ unit: "lines", offset: 1, next: 3 });
    expect(palimpsest(["recall", "t3"])).toMatchObject({ code: 1, err: expect.stringContaining("expected FILE before REF") });
  });

  test("what is unknown says what there is", () => {
    expect(palimpsest(["recall", example, "t99999"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/unknown-ref: .*found "t99999".*t1 to t\d+/),
    });
    expect(palimpsest(["recall", example, "t1", "--at", "nowhere"])).toMatchObject({ code: 2, err: expect.stringContaining("unknown-entry") });
    expect(palimpsest(["recall", example])).toMatchObject({ code: 1, err: expect.stringContaining("expected a REF") });
    expect(palimpsest(["recall", example, "t1", "--limit", "many"])).toMatchObject({ code: 1, err: expect.stringContaining("whole number") });
    expect(palimpsest(["recall", example, "t1", "--image", "1"])).toMatchObject({ code: 2, err: expect.stringContaining("no-image") });
  });

  test("a closed pipe is no error", async () => {
    const child = spawn("sh", ["-c", `"${process.execPath}" "${bin}" view "${example}" --full | head -n 1; exit "$\{PIPESTATUS:-0}"`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (chunk) => (err += chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("view", () => {
  test("shows any request, and tokens by category", () => {
    const { out } = palimpsest(["view", example, "--request", "3"]);
    expect(out).toMatch(/tokens \(estimated\) +[\d,]+/);
    const one = JSON.parse(palimpsest(["view", example, "--request", "3", "--json"]).out);
    expect(one.pairs.faults).toEqual([]);
    expect(one.items.filter((item: { role: string; kind: string }) => item.role === "assistant" && item.kind === "message")).toHaveLength(2);
    expect(palimpsest(["view", example, "--request", "99999"])).toMatchObject({ code: 2, err: expect.stringContaining("unknown-request") });
    expect(palimpsest(["view", example, "--request", "3", "--at", "x"])).toMatchObject({ code: 1 });
  });

  test("text of a session cannot move the cursor", () => {
    const evil = file(
      "evil.jsonl",
      `${JSON.stringify({ type: "session", version: 3, id: "s", cwd: "/" })}\n${JSON.stringify({ type: "message", id: "a", parentId: null, message: { role: "user", content: "\u001b[2J\u001b]0;owned\u0007\u202ehello" } })}\n`,
    );
    const { out } = palimpsest(["view", evil]);
    expect(out).toContain("hello");
    for (const control of ["\u001b", "\u0007", "\u202e"]) expect(out).not.toContain(control);
  });

  test("shows what the model thought", () => {
    expect(palimpsest(["view", example, "--full"]).out).toContain("(thinking) ");
    const { items } = JSON.parse(palimpsest(["view", example, "--json"]).out);
    expect(items.some((item: { thinking?: string[] }) => (item.thinking?.[0]?.length ?? 0) > 10)).toBe(true);
  });

  test("branches are shown by the entry they end in", () => {
    const { heads } = JSON.parse(palimpsest(["view", example, "--json"]).out);
    expect(heads.length).toBeGreaterThan(1);
    const hashes = heads.map((head: string) => JSON.parse(palimpsest(["view", example, "--at", head, "--json"]).out).hash);
    expect(new Set(hashes).size).toBe(heads.length);
  });
});

describe("inputs that are none", () => {
  test.each([
    ["a missing file", () => join(folder, "nowhere.jsonl"), "not-found"],
    ["a folder", () => folder, "is-folder"],
    ["an empty file", () => file("empty.jsonl", ""), "empty"],
    ["a binary file", () => file("binary.jsonl", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0xff, 0xfe])), "binary"],
    ["another JSON file", () => file("package.json", '{"name":"x"}'), "not-a-session"],
    ["prose", () => file("notes.md", "# Notes\n\nnothing here\n"), "not-a-session"],
  ])("%s is named in one line, with exit code 2", (_, path, code) => {
    const ran = palimpsest(["condense", path()]);
    expect(ran.code).toBe(2);
    expect(ran.out).toBe("");
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(ran.err).toMatch(new RegExp(`^palimpsest: ${code}: .*(${path().split("/").at(-1)}|expected)`));
    expect(ran.err).not.toMatch(/\bat .*\.ts:/);
  });

  test("nothing on standard input", () => {
    expect(palimpsest(["condense", "-"], { input: "" })).toMatchObject({ code: 2, err: expect.stringContaining("empty") });
  });

  test("a file that may not be read", () => {
    const path = file("secret.jsonl", "{}");
    chmodSync(path, 0);
    chmodSync(folder, 0o755);
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const ran = spawnSync(process.execPath, [bin, "condense", path], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      encoding: "utf8",
      ...nobody,
    });
    expect([ran.status, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toMatch(/^palimpsest: permission: .*secret\.jsonl/);
  });

  test("a damaged file is read as far as it goes, and says what it passed over", () => {
    const lines = readFileSync(example, "utf8").split("\n");
    lines.splice(5, 0, '{"type":"message","id":"torn","parentId":nul');
    const report = JSON.parse(palimpsest(["condense", file("torn.jsonl", lines.join("\n")), "--json"]).out);
    expect(report.diagnostics).toEqual([expect.objectContaining({ code: "bad-line", line: 6 })]);
    expect(report.recall.exact).toBe(report.recall.checked);
    expect(palimpsest(["view", join(folder, "torn.jsonl")]).err).toMatch(/^note: .*torn\.jsonl, line 6: bad-line: /);
  });

  test.each(["[", "[1,2", "[{", '{"a":', '"', "]"])("a stray %s on a line of its own loses nothing behind it", (stray) => {
    const lines = readFileSync(example, "utf8").split("\n");
    const whole = JSON.parse(palimpsest(["condense", example, "--json"]).out);
    lines.splice(50, 0, stray);
    const report = JSON.parse(palimpsest(["condense", file("stray.jsonl", lines.join("\n")), "--json"]).out);
    expect(report.session.entries).toBe(whole.session.entries);
    expect(report.diagnostics).toEqual([expect.objectContaining({ code: "bad-line", line: 51 })]);
  });

  test("a saved log without its bodies is an error, not an empty session", () => {
    const log = join(folder, "bodiless");
    palimpsest(["condense", example, "--save", log]);
    rmSync(`${log}.bodies`);
    expect(palimpsest(["view", `${log}.jsonl`])).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/bodies-missing: .*bodiless\.bodies/) });
  });

  test("a place that cannot be saved to is named, and the report is there all the same", () => {
    const ran = palimpsest(["condense", example, "--save", join(folder, "no/such/folder/x")]);
    expect(ran).toMatchObject({ code: 2, out: expect.stringContaining("recall "), err: expect.stringMatching(/^palimpsest: not-saved: .*no such folder/) });
    for (const name of ["", "-", `${folder}/`])
      expect(palimpsest(["condense", example, "--save", name])).toMatchObject({ code: 1, err: expect.stringContaining("expected a file to save to") });
  });

  test("an output that cannot be written to is said", () => {
    const ran = spawnSync("sh", ["-c", `"${process.execPath}" "${bin}" condense "${example}" > /dev/full`], { encoding: "utf8" });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining("ENOSPC") });
  });
});

describe("usage", () => {
  test("help, version, and what is wrong with a command line", () => {
    expect(palimpsest(["--help"])).toMatchObject({ code: 0, out: expect.stringContaining("Commands:") });
    expect(palimpsest(["--version"]).out.trim()).toBe(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version);
    expect(palimpsest([])).toMatchObject({ code: 1, out: "", err: expect.stringContaining("Commands:") });
    expect(palimpsest(["condens"])).toMatchObject({ code: 1, err: expect.stringContaining("condense") });
    expect(palimpsest(["condense"])).toMatchObject({ code: 1, err: expect.stringContaining("expected a session FILE") });
    expect(palimpsest(["condense", example, "--latest"])).toMatchObject({ code: 1, err: expect.stringContaining("found both") });
  });

  test("doctor says versions and where sessions are looked for", () => {
    const { node, folders } = JSON.parse(palimpsest(["doctor", "--json"]).out);
    expect(node).toBe(process.versions.node);
    expect(folders.map((each: { agent: string }) => each.agent)).toEqual(expect.arrayContaining(["pi", "claude-code"]));
    expect(palimpsest(["sessions"])).toMatchObject({ code: 0, out: "", err: expect.stringContaining("doctor") });
  });

  test("an interrupt ends it with 130", async () => {
    const child = spawn(process.execPath, [bin, "condense", "-"], { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env.PATH, HOME: folder } });
    // More than a pipe holds: once it is taken, the command is at work.
    const record = JSON.stringify({ type: "session", version: 3, id: "s", cwd: "/", filling: "x".repeat(1 << 20) });
    await new Promise((resolve) => child.stdin.write(`${record}\n`, resolve));
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(130);
  });
});

test("the example is there", () => {
  expect(existsSync(example)).toBe(true);
});
