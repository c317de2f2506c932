// Sessions in homes made for the purpose: what is found, what it is called, and which one a folder means.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { unprivileged } from "../../../test/build/unprivileged.ts";
import { type FoundSession, findSessions, newestSession, sessionFolders } from "../index.ts";
import { folderLister, folderName, namesPath, projectPath } from "./project-folder.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "locate-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const MINUTE = 60;

/** Writes a file below the home; `age`: minutes before 2026-01-01. */
function file(path: string, age = 0, content = "not even JSON"): string {
  const whole = join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  const time = Date.UTC(2026, 0, 1) / 1000 - age * MINUTE;
  utimesSync(whole, time, time);
  return whole;
}

function folder(path: string): string {
  const whole = join(home, path);
  mkdirSync(whole, { recursive: true });
  return whole;
}

function pathsBelowHome(found: readonly FoundSession[]): string[] {
  return found.map(({ path }) => path.slice(home.length + 1));
}

function find(env: NodeJS.ProcessEnv = {}): Promise<FoundSession[]> {
  return findSessions({ env, home });
}

function newest(cwd: string, env: NodeJS.ProcessEnv = {}): Promise<FoundSession | undefined> {
  return newestSession({ cwd, env, home });
}

/** A session of each agent for a folder, at its default place. */
function piSession(cwd: string, age: number, name = "2026_a.jsonl"): string {
  return file(`.pi/agent/sessions/${folderName("pi", cwd)}/${name}`, age);
}
function claudeSession(cwd: string, age: number, name = "a.jsonl"): string {
  return file(`.claude/projects/${folderName("claude-code", cwd)}/${name}`, age);
}

describe("folder names", () => {
  test.each([
    ["/srv/app", "--srv-app--", "-srv-app"],
    ["/home/u/.config/my_app v2", "--home-u-.config-my_app v2--", "-home-u--config-my-app-v2"],
    ["/srv/a:b", "--srv-a-b--", "-srv-a-b"],
    ["/srv/é😀", "--srv-é😀--", "-srv----"],
    ["/", "----", "-"],
    ["C:\\srv\\my app", "--C--srv-my app--", "C--srv-my-app"],
    ["\\\\host\\share\\app", "---host-share-app--", "--host-share-app"],
    ["D:/srv", "--D--srv--", "D--srv"],
  ])("%s", (path, pi, claude) => {
    expect(folderName("pi", path)).toBe(pi);
    expect(folderName("claude-code", path)).toBe(claude);
  });

  test.each(["app", "my-app", ".hidden/a b", "a:b", "é"])("Pi itself gives the same for %s", (name) => {
    vi.stubEnv("PI_CODING_AGENT_DIR", join(home, "agent"));
    const cwd = folder(name);
    expect(basename(SessionManager.create(cwd).getSessionDir())).toBe(folderName("pi", cwd));
  });

  test("a name that Claude Code cut is known by its first 200 characters", () => {
    const path = `/srv/${"x".repeat(250)}`;
    const cut = folderName("claude-code", path).slice(0, 200);
    expect(namesPath("claude-code", `${cut}-1k2j3h`, path)).toBe(true);
    expect(namesPath("claude-code", cut, path)).toBe(false);
    expect(namesPath("claude-code", `${cut.slice(0, 199)}y-1k2j3h`, path)).toBe(false);
    expect(namesPath("claude-code", "-srv-app-1k2j3h", "/srv/app")).toBe(false);
    expect(namesPath("claude-code", `-srv-${"x".repeat(195)}`, `/srv/${"x".repeat(195)}`)).toBe(true);
  });
});

describe("projects from folder names", () => {
  const nothing = async () => [];
  test.each([
    ["pi", "--srv-app--", "/srv/app"],
    ["pi", "----", "/"],
    ["pi", "--srv--x--", "/srv/-x"],
    ["pi", "--C--srv-app--", "C:\\srv\\app"],
    ["pi", "notes", "notes"],
    ["claude-code", "-srv-app", "/srv/app"],
    ["claude-code", "-", "/"],
    ["claude-code", "-home-u--config", "/home/u/.config"],
    ["claude-code", "--config", "/.config"],
    ["claude-code", "C--srv-app", "C:\\srv\\app"],
    ["claude-code", "notes", "notes"],
  ] as const)("%s %s", async (agent, name, path) => {
    expect(await projectPath(agent, name, nothing)).toBe(path);
  });

  test("the one path that exists wins over a guess", async () => {
    const path = folder("my-app/.dot_a b");
    expect(await projectPath("pi", folderName("pi", path), folderLister())).toBe(path);
    expect(await projectPath("claude-code", folderName("claude-code", path), folderLister())).toBe(path);
  });

  test("of two that exist none is chosen", async () => {
    const tree: Record<string, readonly string[]> = { "/": ["srv"], "/srv": ["my-app", "my_app"] };
    const list = async (path: string) => tree[path] ?? [];
    expect(await projectPath("claude-code", "-srv-my-app", list)).toBe("/srv/my/app");
    expect(await projectPath("pi", "--srv-my-app--", list)).toBe("/srv/my-app");
  });
});

describe("findSessions", () => {
  test("both agents, newest first, subagents marked, nothing else", async () => {
    file(".pi/agent/sessions/--srv-app--/2026_p.jsonl", 3);
    file(".pi/agent/sessions/--srv-app--/notes.txt");
    file(".pi/agent/sessions/--srv-app--/deeper/2026_q.jsonl");
    file(".pi/agent/sessions/stray.jsonl");
    file(".claude/projects/-srv-app/s.jsonl", 1, "12345");
    file(".claude/projects/-srv-app/agent-old.jsonl", 4);
    file(".claude/projects/-srv-app/s/subagents/agent-a.jsonl", 2);
    file(".claude/projects/-srv-app/s/subagents/workflows/w/agent-b.jsonl", 5);
    file(".claude/projects/-srv-app/s/subagents/journal.jsonl");
    file(".claude/projects/-srv-app/s/tool-results/agent-x.jsonl");
    file(".claude/history.jsonl");
    file(".config/claude/projects/-srv-web/t.jsonl", 0);
    const found = await find();
    expect(found.map(({ path, agent, subagent, project }) => [path.slice(home.length + 1), agent, subagent, project])).toEqual([
      [".config/claude/projects/-srv-web/t.jsonl", "claude-code", false, "/srv/web"],
      [".claude/projects/-srv-app/s.jsonl", "claude-code", false, "/srv/app"],
      [".claude/projects/-srv-app/s/subagents/agent-a.jsonl", "claude-code", true, "/srv/app"],
      [".pi/agent/sessions/--srv-app--/2026_p.jsonl", "pi", false, "/srv/app"],
      [".claude/projects/-srv-app/agent-old.jsonl", "claude-code", true, "/srv/app"],
      [".claude/projects/-srv-app/s/subagents/workflows/w/agent-b.jsonl", "claude-code", true, "/srv/app"],
    ]);
    expect(found[1]).toMatchObject({ bytes: 5, modified: Date.UTC(2026, 0, 1) - MINUTE * 1000 });
  });

  test("a home without any gives none", async () => {
    expect(await find()).toEqual([]);
  });

  test("variables take the place of the defaults, each in the forms it may have", async () => {
    file(".pi/agent/sessions/--d--/default.jsonl");
    file(".claude/projects/-d/default.jsonl");
    file("one/sessions/--a--/1.jsonl", 1);
    file("two/sessions/--a--/2.jsonl", 2);
    file("three/--a--/3.jsonl", 3);
    file("c1/projects/-a/4.jsonl", 4);
    file("c2/projects/-a/5.jsonl", 5);
    const env = {
      PI_CODING_AGENT_DIR: "~/one",
      PI_DIR: join(home, "two"),
      PI_AGENT_DIR: join(home, "three"),
      CLAUDE_CONFIG_DIR: `${home}/c1, ${home}/c2/projects,`,
    };
    expect(pathsBelowHome(await find(env))).toEqual([
      "one/sessions/--a--/1.jsonl",
      "two/sessions/--a--/2.jsonl",
      "three/--a--/3.jsonl",
      "c1/projects/-a/4.jsonl",
      "c2/projects/-a/5.jsonl",
    ]);
  });

  test("Pi's own variable means the sessions in it, never the folder itself", async () => {
    file("one/--a--/1.jsonl");
    expect(await find({ PI_CODING_AGENT_DIR: join(home, "one") })).toEqual([]);
  });

  test("an empty variable is none, and XDG_CONFIG_HOME moves one of two defaults", async () => {
    file(".pi/agent/sessions/--a--/1.jsonl", 1);
    file("xdg/claude/projects/-a/2.jsonl", 2);
    file(".claude/projects/-a/3.jsonl", 3);
    file(".config/claude/projects/-a/4.jsonl", 4);
    expect(pathsBelowHome(await find({ PI_DIR: "", CLAUDE_CONFIG_DIR: " ", XDG_CONFIG_HOME: join(home, "xdg") }))).toEqual([
      ".pi/agent/sessions/--a--/1.jsonl",
      "xdg/claude/projects/-a/2.jsonl",
      ".claude/projects/-a/3.jsonl",
    ]);
  });

  test("a folder under two names is searched once; links to sessions and projects are followed, dead ones passed over", async () => {
    file(".claude/projects/-a/1.jsonl");
    folder(".config");
    symlinkSync(join(home, ".claude"), join(home, ".config/claude"));
    file("elsewhere/2.jsonl", 1);
    symlinkSync(join(home, "elsewhere"), join(home, ".claude/projects/-b"));
    symlinkSync(join(home, "elsewhere/2.jsonl"), join(home, ".claude/projects/-a/3.jsonl"));
    symlinkSync(join(home, "nowhere"), join(home, ".claude/projects/-a/4.jsonl"));
    folder(".claude/projects/-a/5.jsonl");
    symlinkSync(join(home, "elsewhere"), join(home, ".claude/projects/-a/6.jsonl"));
    expect(pathsBelowHome(await find())).toEqual([
      ".config/claude/projects/-a/1.jsonl",
      ".config/claude/projects/-a/3.jsonl",
      ".config/claude/projects/-b/2.jsonl",
    ]);
  });

  test("a folder that cannot be read is passed over", async () => {
    file(".claude/projects/-a/1.jsonl");
    file(".claude/projects/-b/2.jsonl");
    chmodSync(join(home, ".claude/projects/-b"), 0);
    const found = await unprivileged(home, find);
    chmodSync(join(home, ".claude/projects/-b"), 0o700);
    expect(found.map(({ path }) => basename(path))).toEqual(["1.jsonl"]);
  });

  test("a file where a folder is expected is passed over", async () => {
    file(".pi/agent/sessions");
    file(".claude/projects/-a/s/subagents");
    file(".claude/projects/-a/1.jsonl");
    expect((await find()).map(({ path }) => basename(path))).toEqual(["1.jsonl"]);
  });
});

describe("newestSession", () => {
  test("whichever agent wrote it", async () => {
    const cwd = folder("my.app");
    claudeSession(cwd, 2);
    const pi = piSession(cwd, 1);
    expect(await newest(cwd)).toMatchObject({ path: pi, agent: "pi", project: cwd });
    const claude = claudeSession(cwd, 0, "b.jsonl");
    expect(await newest(cwd)).toMatchObject({ path: claude, agent: "claude-code", project: cwd });
  });

  test("no subagent's and no empty file", async () => {
    const cwd = folder("app");
    const session = claudeSession(cwd, 9);
    claudeSession(cwd, 1, "agent-x.jsonl");
    claudeSession(cwd, 1, "a/subagents/agent-y.jsonl");
    file(`.claude/projects/${folderName("claude-code", cwd)}/empty.jsonl`, 0, "");
    expect((await newest(cwd))?.path).toBe(session);
  });

  test("no file without a conversation, whichever agent left it, while another one holds some", async () => {
    folder("repo/.git");
    const cwd = folder("repo/app");
    const pi = (name: string) => `.pi/agent/sessions/${folderName("pi", cwd)}/${name}`;
    const claude = (name: string) => `.claude/projects/${folderName("claude-code", cwd)}/${name}`;
    const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd };
    const model = { type: "model_change", id: "m", parentId: null, timestamp: header.timestamp, provider: "anthropic", modelId: "claude" };
    const said = { type: "message", id: "u", parentId: null, timestamp: header.timestamp, message: { role: "user", content: "go", timestamp: 1 } };
    const lines = (...records: readonly object[]) => records.map((each) => `${JSON.stringify(each)}\n`).join("");
    const rollout = { timestamp: header.timestamp, type: "session_meta", payload: { id: "r", cwd, originator: "codex", cli_version: "1" } };
    const spoken = file(pi("spoken.jsonl"), 9, lines(header, model, said));
    file(pi("left.jsonl"), 4, lines(header, model));
    file(claude("snapshot.jsonl"), 3, lines({ type: "file-history-snapshot", messageId: "a", snapshot: {}, isSnapshotUpdate: false }));
    file(claude("summary.jsonl"), 2, lines({ type: "summary", summary: "x", leafUuid: "b" }));
    file(".codex/sessions/2026/01/01/rollout-1.jsonl", 1, lines(rollout));
    const newestFile = file(pi("header.jsonl"), 0, lines(header));
    expect((await newest(cwd))?.path).toBe(spoken);
    rmSync(spoken);
    expect((await newest(cwd))?.path).toBe(newestFile);
    const above = file(`.pi/agent/sessions/${folderName("pi", join(home, "repo"))}/above.jsonl`, 50, lines({ ...header, cwd: join(home, "repo") }, said));
    expect((await newest(cwd))?.path).toBe(above);
  });

  test("the nearest folder wins, however old, up to the git root and not beyond", async () => {
    folder("repo/.git");
    const cwd = folder("repo/packages/a");
    piSession(home, 0);
    expect(await newest(cwd)).toBeUndefined();
    const root = claudeSession(join(home, "repo"), 5);
    expect(await newest(cwd)).toMatchObject({ path: root, project: join(home, "repo") });
    const nearer = piSession(join(home, "repo/packages"), 50);
    expect((await newest(cwd))?.path).toBe(nearer);
    const own = claudeSession(cwd, 500);
    expect((await newest(cwd))?.path).toBe(own);
  });

  test("a `.git` file, as a worktree has, is a root too", async () => {
    folder("repo/.git");
    file("repo/tree/.git");
    claudeSession(join(home, "repo"), 0);
    expect(await newest(folder("repo/tree/src"))).toBeUndefined();
    const tree = claudeSession(join(home, "repo/tree"), 5);
    expect((await newest(join(home, "repo/tree/src")))?.path).toBe(tree);
  });

  test("outside a repository only the folder itself", async () => {
    claudeSession(home, 0);
    expect(await newest(folder("a"))).toBeUndefined();
  });

  test("through a link, under either name", async () => {
    const real = folder("real/sub");
    folder("real/.git");
    symlinkSync(join(home, "real"), join(home, "link"));
    const session = claudeSession(real, 5);
    expect((await newest(join(home, "link/sub")))?.path).toBe(session);
    const linked = piSession(join(home, "link/sub"), 1);
    expect((await newest(join(home, "link/sub")))?.path).toBe(linked);
    symlinkSync(real, join(home, "shortcut"));
    claudeSession(join(home, "real"), 0);
    expect((await newest(join(home, "shortcut")))?.path).toBe(session);
  });

  test("in a folder whose name Claude Code cut", async () => {
    const cwd = folder(`${"x".repeat(120)}/${"y".repeat(120)}`);
    const session = file(`.claude/projects/${folderName("claude-code", cwd).slice(0, 200)}-abc123/a.jsonl`);
    expect((await newest(cwd))?.path).toBe(session);
  });
});

describe("sessionFolders", () => {
  test("says where it looks, why, and how many sessions are there", async () => {
    file(".claude/projects/-a/1.jsonl");
    file(".claude/projects/-a/agent-1.jsonl");
    file(".claude/projects/-b/2.jsonl");
    file(".claude/projects/-b/2/subagents/agent-2.jsonl");
    expect(await sessionFolders({ env: {}, home })).toEqual([
      { agent: "pi", path: join(home, ".pi/agent/sessions"), from: "default", exists: false, sessions: 0 },
      { agent: "claude-code", path: join(home, ".config/claude/projects"), from: "default", exists: false, sessions: 0 },
      { agent: "claude-code", path: join(home, ".claude/projects"), from: "default", exists: true, sessions: 2 },
      { agent: "gemini", path: join(home, ".gemini/tmp"), from: "default", exists: false, sessions: 0 },
      { agent: "codex", path: join(home, ".codex/sessions"), from: "default", exists: false, sessions: 0 },
      { agent: "codex", path: join(home, ".codex/archived_sessions"), from: "default", exists: false, sessions: 0 },
    ]);
  });

  test("names the variable that a folder comes from", async () => {
    const env = { PI_AGENT_DIR: join(home, "gone"), CLAUDE_CONFIG_DIR: join(home, "c"), XDG_CONFIG_HOME: join(home, "x"), CODEX_HOME: "~/k" };
    expect((await sessionFolders({ env, home })).map(({ path, from }) => [path, from])).toEqual([
      [join(home, "gone/sessions"), "PI_AGENT_DIR"],
      [join(home, "c/projects"), "CLAUDE_CONFIG_DIR"],
      [join(home, ".gemini/tmp"), "default"],
      [join(home, "k/sessions"), "CODEX_HOME"],
      [join(home, "k/archived_sessions"), "CODEX_HOME"],
    ]);
    expect((await sessionFolders({ env: { XDG_CONFIG_HOME: join(home, "x") }, home })).map(({ from }) => from)).toEqual([
      "default",
      "XDG_CONFIG_HOME",
      "default",
      "default",
      "default",
      "default",
    ]);
  });
});

describe("Gemini CLI", () => {
  const hashOf = (path: string) => createHash("sha256").update(path).digest("hex");

  test("sessions in folders by slug, by hash and by the root in them; subagents marked, half-written files none", async () => {
    file(".gemini/projects.json", 0, JSON.stringify({ projects: { "/srv/app": "app-1", "/srv/old": "old" } }));
    file(".gemini/tmp/app-1/chats/session-2026-a.jsonl", 1);
    file(".gemini/tmp/app-1/chats/p1/s1.jsonl", 2);
    file(`.gemini/tmp/${hashOf("/srv/old")}/chats/session-2025-b.json`, 3);
    file(".gemini/tmp/web/.project_root", 0, "/srv/web\n");
    file(".gemini/tmp/web/chats/session-c.jsonl", 4);
    file(".gemini/tmp/nameless/chats/session-d.jsonl", 5);
    file(".gemini/tmp/app-1/chats/session-a.jsonl.tmp-123");
    file(".gemini/tmp/app-1/chats/session-a.tmp-123.jsonl");
    file(".gemini/tmp/app-1/chats/session-a.unreadable-9.jsonl");
    file(".gemini/tmp/app-1/chats/other.jsonl");
    file(".gemini/tmp/app-1/logs.json");
    expect((await find()).map(({ path, agent, project, subagent }) => [path.slice(home.length + 13), agent, project, subagent])).toEqual([
      ["app-1/chats/session-2026-a.jsonl", "gemini", "/srv/app", false],
      ["app-1/chats/p1/s1.jsonl", "gemini", "/srv/app", true],
      [`${hashOf("/srv/old")}/chats/session-2025-b.json`, "gemini", "/srv/old", false],
      ["web/chats/session-c.jsonl", "gemini", "/srv/web", false],
      ["nameless/chats/session-d.jsonl", "gemini", "nameless", false],
    ]);
    expect((await sessionFolders({ env: {}, home })).find(({ agent }) => agent === "gemini")).toMatchObject({ exists: true, sessions: 4 });
  });

  test("a broken list of projects hides none", async () => {
    file(".gemini/projects.json", 0, "{torn");
    file(".gemini/tmp/a/chats/session-1.jsonl");
    expect((await find()).map(({ project }) => project)).toEqual(["a"]);
  });

  test("the newest of a folder, whichever way its project is known; its variable names the home", async () => {
    const cwd = folder("app");
    const hashed = file(`other/.gemini/tmp/${hashOf(cwd)}/chats/session-1.json`, 5);
    file(`other/.gemini/tmp/${hashOf(cwd)}/chats/p/s.jsonl`, 1);
    file("other/.gemini/tmp/elsewhere/chats/session-9.jsonl", 0);
    const env = { GEMINI_CLI_HOME: join(home, "other") };
    expect(await newest(cwd, env)).toMatchObject({ path: hashed, agent: "gemini", project: cwd });
    file("other/.gemini/tmp/slug/.project_root", 0, cwd);
    const slugged = file("other/.gemini/tmp/slug/chats/session-2.jsonl", 4);
    expect((await newest(cwd, env))?.path).toBe(slugged);
    expect(await newest(cwd)).toBeUndefined();
  });
});

describe("Codex", () => {
  /** A session's first record; the system prompt in it is long. */
  function header(cwd: string | undefined, more: object = {}): string {
    const payload = {
      id: "s",
      timestamp: "t",
      ...(cwd !== undefined && { cwd }),
      ...more,
      base_instructions: { text: `say "cwd": "/wrong" ${"x".repeat(30_000)}` },
    };
    return `${JSON.stringify({ timestamp: "t", type: "session_meta", payload })}\n{"type":"turn_context","payload":{"cwd":"/later"}}\n`;
  }
  function rollout(place: string, cwd: string | undefined, age: number, more: object = {}): string {
    return file(`.codex/${place}.jsonl`, age, header(cwd, more));
  }
  const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } };

  test("sessions of every day are found, those put away too, each with the folder in its first record", async () => {
    const one = rollout("sessions/2026/01/02/rollout-2026-01-02T00-00-00-a", "/srv/app", 3);
    const two = rollout("sessions/2025/12/31/rollout-2025-12-31T00-00-00-b", "C:\\src\\app", 2);
    const three = rollout("archived_sessions/rollout-2025-01-01T00-00-00-c", '/srv/é "q"', 1);
    const four = rollout("sessions/2026/01/03/rollout-2026-01-03T00-00-00-d", "/srv/sub", 0, spawned);
    file(".codex/sessions/2026/01/02/notes.jsonl");
    file(".codex/history.jsonl");
    expect((await find()).map(({ path, agent, project, subagent }) => [path, agent, project, subagent])).toEqual([
      [four, "codex", "/srv/sub", true],
      [three, "codex", '/srv/é "q"', false],
      [two, "codex", "C:\\src\\app", false],
      [one, "codex", "/srv/app", false],
    ]);
    expect((await sessionFolders({ env: {}, home })).slice(-2).map(({ sessions }) => sessions)).toEqual([2, 1]);
  });

  test("of a session that is there twice the one that goes on counts", async () => {
    const place = "2026/01/02/rollout-2026-01-02T00-00-00-a";
    const active = rollout(`sessions/${place}`, "/srv/app", 5);
    rollout(`archived_sessions/${place}`, "/srv/app", 1);
    const other = rollout("archived_sessions/2026/01/03/rollout-2026-01-02T00-00-00-a", "/srv/app", 9);
    expect((await find()).map(({ path }) => path)).toEqual([active, other]);
  });

  test.each([
    [
      "in the first message of an old file",
      '{"id":"o","timestamp":"t","instructions":"see <b>\\"cwd\\": \\"/no\\""}\n{"type":"message","content":[{"text":"<environment_context>\\n  <cwd>C:\\\\old</cwd>"}]}\n',
      "C:\\old",
    ],
    ["behind a long system prompt", `{"type":"session_meta","payload":{"base_instructions":{"text":"${"x".repeat(40_000)}"},"cwd":"/far"}}\n`, "/far"],
    ["in records over several lines", '{\n  "type": "session_meta",\n  "payload": {\n    "cwd" : "/pretty"\n  }\n}\n', "/pretty"],
    ["nowhere", '{"type":"session_meta","payload":{"id":"x"}}\n', "unknown"],
    ["in no record at all", "", "unknown"],
  ])("the folder stands %s", async (_, content, project) => {
    file(".codex/sessions/2026/01/02/rollout-a.jsonl", 0, content);
    expect((await find()).map((each) => each.project)).toEqual([project]);
  });

  test("the newest of a folder's project, whichever agent wrote it", async () => {
    const cwd = folder("app");
    folder("app/.git");
    const old = rollout("sessions/2026/01/02/rollout-a", cwd, 9);
    rollout("sessions/2026/01/02/rollout-sub", cwd, 1, spawned);
    rollout("sessions/2026/01/02/rollout-other", folder("other"), 2);
    file(".codex/sessions/2026/01/02/rollout-empty.jsonl", 0, "");
    expect(await newest(cwd)).toMatchObject({ path: old, agent: "codex", project: cwd });
    expect((await newest(folder("app/deep")))?.path).toBe(old);
    const claude = claudeSession(cwd, 5);
    expect((await newest(cwd))?.path).toBe(claude);
    const put = rollout("archived_sessions/rollout-z", cwd, 4);
    expect((await newest(cwd))?.path).toBe(put);
    expect(await newest(folder("elsewhere"))).toBeUndefined();
  });

  test("a folder that cannot be read and a file that is gone say nothing", async () => {
    file(".codex/sessions", 0);
    expect(await find()).toEqual([]);
    expect((await sessionFolders({ env: {}, home })).slice(-2).map(({ exists }) => exists)).toEqual([false, false]);
  });
});
