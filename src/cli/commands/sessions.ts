// palimpsest sessions: what is on this machine.
import { Command } from "commander";
import { json, print } from "../output.ts";
import { byteSize, table } from "../table.ts";

export function sessionsCommand(): Command {
  return new Command("sessions")
    .summary("sessions found on this machine")
    .description("Lists the sessions of Pi and Claude Code on this machine, newest first.")
    .option("--all", "subagents' sessions too")
    .option("--json", "one JSON object")
    .action(run);
}

async function run(options: { readonly all?: boolean; readonly json?: boolean }): Promise<void> {
  const { findSessions } = await import("../../formats/index.ts");
  const sessions = (await findSessions()).filter((each) => options.all === true || !each.subagent);
  if (options.json) return json({ sessions: sessions.map((each) => ({ ...each, modified: new Date(each.modified).toISOString() })) });
  if (sessions.length === 0) {
    process.stderr.write("No session of Pi or Claude Code was found. `palimpsest doctor` says where they are looked for.\n");
    return;
  }
  print(
    `${table([["modified", "size", "agent", "project", "file"], ...sessions.map((each) => [new Date(each.modified).toISOString().slice(0, 16).replace("T", " "), byteSize(each.bytes), each.agent, each.project, each.path])], new Set([0, 2, 3, 4]))}\n`,
  );
}
