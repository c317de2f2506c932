// The command line as data: what the help, the documentation and the parser are made from.
import { Command } from "commander";
import { condenseCommand } from "./commands/condense.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { recallCommand } from "./commands/recall.ts";
import { replayCommand } from "./commands/replay.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { viewCommand } from "./commands/view.ts";

/** All commands, without anything run. */
export function program(version: string): Command {
  const command = new Command("palimpsest")
    .description("Keeps the context of a coding agent small and loses nothing.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .configureOutput({ outputError: (text, write) => write(`palimpsest: usage: ${usageProblem(text)} --help shows how the command is used.\n`) })
    .configureHelp({ helpWidth: 110 })
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 usage or configuration, 2 an input failed, 3 partial (the budget did not last, or the model could not be asked), 4 verification failed, 130 cancelled.",
    );
  for (const add of [condenseCommand, viewCommand, recallCommand, replayCommand, mcpCommand, sessionsCommand, doctorCommand])
    command.addCommand(add().copyInheritedSettings(command));
  return command;
}

/** What is wrong with a command line, in our words where the parser's are known. */
function usageProblem(text: string): string {
  const [first = "", ...more] = text
    .replace(/^error: /, "")
    .trim()
    .split("\n");
  const hints = more.map((line) => line.replace(/^\((.*)\)$/, " $1")).join("");
  const known = WORDINGS.find(([pattern]) => pattern.test(first));
  return `${known ? first.replace(...known) : first.replace(/\.?$/, ".")}${hints}`;
}

const WORDINGS: readonly (readonly [RegExp, string])[] = [
  [/^unknown option '(.*)'$/s, "expected an option of this command, found $1."],
  [/^unknown command '(.*)'$/s, "expected a command, found $1."],
  [/^option '(.*)' argument missing$/s, "$1: expected a value, found none."],
  [/^too many arguments for '.*'\. Expected (\d+) arguments? but got (\d+): /s, "expected at most $1, found $2 arguments: "],
];
