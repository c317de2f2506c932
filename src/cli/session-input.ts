// The session that a command works on: FILE, `-`, `--latest`, or the one picked from a list.
import { isatty } from "node:tty";
import type { Command } from "commander";
import type { Opened } from "../formats/index.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { progress } from "./progress.ts";
import { sessionCells, sessionHeadings } from "./session-rows.ts";
import { byteSize, printable, table } from "./table.ts";

/** Adds what every command takes that reads a session. */
export function sessionArgument(command: Command): Command {
  return command
    .argument("[file]", "a session file of any agent that is read, or - for standard input")
    .option("--latest", "the newest session of this folder's project");
}

/** Opens the session that the arguments name; without any, a terminal is offered a list. */
export async function openNamed(file: string | undefined, options: { readonly latest?: boolean | undefined }): Promise<Opened & { readonly path: string }> {
  const path = await namedPath(file, options.latest === true);
  const { openSession } = await import("../formats/index.ts");
  const bar = progress(`reading ${path === "-" ? "standard input" : path}`);
  const opened = await openSession(path, { onProgress: (read, total) => bar.update(total ? `${byteSize(read)} of ${byteSize(total)}` : byteSize(read)) });
  bar.done();
  note(opened);
  return { ...opened, path };
}

async function namedPath(file: string | undefined, latest: boolean): Promise<string> {
  if (file !== undefined && latest) throw new Failure("usage", `expected a FILE or --latest, found both: leave one out.`, EXIT.usage);
  if (file !== undefined) return file;
  if (latest) return newest();
  if (isatty(0) && isatty(2)) return picked();
  throw new Failure("usage", "expected a session FILE, - or --latest, found none. `palimpsest sessions` lists what is on this machine.", EXIT.usage);
}

async function newest(): Promise<string> {
  const { newestSession } = await import("../formats/index.ts");
  const found = await newestSession({ cwd: process.cwd() });
  if (found) return found.path;
  throw new Failure(
    "no-session",
    `no session of ${process.cwd()} was found for any agent that is read. \`palimpsest sessions\` lists all on this machine; name one as FILE.`,
    EXIT.input,
  );
}

/** Characters of a line that the picker takes for itself. */
const PICKER_MARGIN = 6;
/** The newest sessions, from which a person chooses. */
const OFFERED = 50;

async function picked(): Promise<string> {
  const { findSessions } = await import("../formats/index.ts");
  const { isCancel, select } = await import("@clack/prompts");
  const sessions = (await findSessions()).filter((each) => !each.subagent).slice(0, OFFERED);
  if (sessions.length === 0)
    throw new Failure("no-session", "no session of Pi, Claude Code, Codex or Gemini CLI was found on this machine: name a FILE.", EXIT.input);
  const headings = await sessionHeadings(sessions);
  const labels = table(
    sessions.map((each, index) => sessionCells(each, headings[index] ?? "")),
    new Set([0, 2, 3, 4]),
  ).split("\n");
  const room = Math.max(40, (process.stderr.columns || 80) - PICKER_MARGIN);
  const choice = await select({
    message: "Which session?",
    output: process.stderr,
    options: sessions.map(({ path }, index) => ({ value: path, label: [...(labels[index] ?? path)].slice(0, room).join("") })),
  });
  if (isCancel(choice)) process.exit(EXIT.cancelled);
  return choice;
}

const SHOWN_NOTES = 3;

/** What was passed over in the file, on stderr: nobody should take a part for the whole. */
function note({ diagnostics, tail }: Opened): void {
  const notes = diagnostics.map(({ file, line, code, message }) => `${file}, line ${line}: ${code}: ${message}`);
  if (tail) notes.push(`line ${tail.line}: the last line is unfinished (${tail.end - tail.start} bytes): it is left out until it is whole.`);
  for (const each of notes.slice(0, SHOWN_NOTES)) process.stderr.write(`note: ${printable(each)}\n`);
  if (notes.length > SHOWN_NOTES) process.stderr.write(`note: ${notes.length - SHOWN_NOTES} more; \`palimpsest condense FILE --json\` lists all\n`);
}
