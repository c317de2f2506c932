// sessions and --latest over homes with every agent's sessions: what is listed, what it is about, and what could not be read.
import { chmodSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assistant, lines, said, user } from "../build/claude-records.ts";
import { desk } from "../build/command.ts";
import { piSession } from "../build/pi-records.ts";

const { home, file, folder, run, json, clear } = desk("sessions");
afterAll(clear);

const project = folder("app");
const [piName, claudeName] = [`--${project.slice(1).replaceAll("/", "-")}--`, project.replace(/[^A-Za-z0-9]/g, "-")];

const codex = [
  {
    timestamp: "t",
    type: "session_meta",
    payload: { id: "22222222-2222-4222-8222-222222222222", cwd: project, base_instructions: { text: "x".repeat(60_000) } },
  },
  {
    timestamp: "t",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "# AGENTS.md instructions\nBe kind." }] },
  },
  { timestamp: "t", type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Rename the\n\tmodule." }] } },
];
const gemini = {
  sessionId: "33333333-3333-4333-8333-333333333333",
  projectHash: "0",
  startTime: "2026-01-15T20:51:48.582Z",
  lastUpdated: "2026-01-15T20:53:16.245Z",
  messages: [{ id: "m", timestamp: "2026-01-15T20:51:48.582Z", type: "user", content: "Paint it\u001b[31m blue" }],
};
const claude = [user("u", null, "<command-name>/review</command-name>\n<command-args>all of it</command-args>"), assistant("a", "u", "m/q", [said("ok")])];

const AGENTS = [
  ["pi", `.pi/agent/sessions/${piName}/2026_a.jsonl`, piSession(1), "Find the rounding error."],
  ["claude-code", `.claude/projects/${claudeName}/11111111-1111-4111-8111-111111111111.jsonl`, lines(claude), "/review all of it"],
  ["codex", ".codex/sessions/2026/01/02/rollout-a.jsonl", lines(codex), "Rename the module."],
  ["gemini", ".gemini/tmp/app/chats/session-1.json", JSON.stringify(gemini, null, 2), "Paint it·[31m blue"],
] as const;

/** Written the later the further behind. */
function touch(path: string, minute: number): void {
  const time = Date.UTC(2026, 0, 1, 12, minute) / 1000;
  utimesSync(path, time, time);
}

beforeAll(() => {
  file(".gemini/tmp/app/.project_root", project);
  for (const [index, [, path, content]] of AGENTS.entries()) touch(file(path, content), index);
  const subagent = file(`.claude/projects/${claudeName}/11111111-1111-4111-8111-111111111111/subagents/agent-x.jsonl`, lines([user("u", null, "look")]));
  touch(subagent, 59);
});

test("lists the sessions of every agent, newest first, each with what it is about", () => {
  const { code, out, err } = run(["sessions"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const [head, ...rows] = out.trimEnd().split("\n");
  expect(head).toMatch(/^modified +size +agent +about +project +file$/);
  expect(rows).toHaveLength(AGENTS.length);
  for (const [index, [agent, path, , about]] of [...AGENTS.entries()].reverse()) {
    const row = rows[AGENTS.length - 1 - index];
    expect(row).toMatch(new RegExp(`^2026-01-01 12:0${index} +[\\d.]+ k?B +${agent} `));
    expect(row).toContain(`  ${about}  `);
    expect(row).toMatch(new RegExp(` ${project} +${join(home, path)}$`));
  }
  expect(run(["sessions", "--all"]).out).toContain("agent-x.jsonl");
  const { sessions, unreadable } = json(["sessions"]) as unknown as { sessions: { heading: string; modified: string }[]; unreadable: unknown[] };
  expect(sessions[1]).toMatchObject({ agent: "codex", heading: "Rename the module.", modified: "2026-01-01T12:02:00.000Z", project });
  expect(unreadable).toEqual([]);
});

test.each(AGENTS)("--latest takes the newest of the folder's project: %s", (agent, path) => {
  const whole = join(home, path);
  touch(whole, 30);
  const { session } = json(["view", "--latest"], { cwd: project }) as unknown as { session: { format: string } };
  expect(session.format).toBe(agent);
  touch(whole, 0);
});

test("a folder that cannot be read is named, and the others are listed", () => {
  const locked = [folder(".claude/projects/-locked"), folder(".codex/sessions/2025"), folder(".gemini/tmp/locked/chats")];
  chmodSync(home, 0o755);
  for (const each of locked) chmodSync(each, 0);
  try {
    const { code, out, err } = run(["sessions"], { unprivileged: true });
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(AGENTS.length + 1);
    const notes = err.trimEnd().split("\n").sort();
    expect(notes).toEqual(locked.map((each) => `note: ${each}: expected a folder that can be read, found EACCES. What is in it is not listed.`).sort());
  } finally {
    for (const each of locked) chmodSync(each, 0o700);
  }
});
