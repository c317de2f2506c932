// palimpsest sessions: what is on this machine.
import { Command } from "commander";
import { json, print } from "../output.ts";
import { sessionCells, sessionHeadings } from "../session-rows.ts";
import { printable, table } from "../table.ts";

export function sessionsCommand(): Command {
  return new Command("sessions")
    .summary("sessions found on this machine")
    .description(
      "Lists the sessions of Pi, Claude Code, Codex and Gemini CLI on this machine, newest first, each with its title or what was typed first where the head of its file tells.",
    )
    .option("--all", "subagents' sessions too")
    .option("--json", "one JSON object")
    .action(run);
}

async function run(options: { readonly all?: boolean; readonly json?: boolean }): Promise<void> {
  const { findSessions } = await import("../../formats/index.ts");
  const unreadable: { readonly path: string; readonly code: string }[] = [];
  const found = await findSessions({ unreadable: (path, code) => unreadable.push({ path, code }) });
  const sessions = found.filter((each) => options.all === true || !each.subagent);
  const headings = await sessionHeadings(sessions);
  if (options.json)
    return json({
      sessions: sessions.map((each, index) => ({ ...each, modified: new Date(each.modified).toISOString(), heading: headings[index] || null })),
      unreadable,
    });
  for (const { path, code } of unreadable)
    process.stderr.write(`note: ${printable(path)}: expected a folder that can be read, found ${code}. What is in it is not listed.\n`);
  if (sessions.length === 0) {
    process.stderr.write("No session of Pi, Claude Code, Codex or Gemini CLI was found. `palimpsest doctor` says where they are looked for.\n");
    return;
  }
  const rows = sessions.map((each, index) => [...sessionCells(each, headings[index] ?? ""), printable(each.path)]);
  print(`${table([["modified", "size", "agent", "about", "project", "file"], ...rows], new Set([0, 2, 3, 4, 5]))}\n`);
}
