// The command line as data: what the help, the documentation and the parser are made from.
import { Command } from "commander";
import { condenseCommand } from "./commands/condense.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { recallCommand } from "./commands/recall.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { viewCommand } from "./commands/view.ts";

/** All commands, without anything run. */
export function program(version: string): Command {
  const command = new Command("palimpsest")
    .description("Keeps the context of a coding agent small and loses nothing.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .showHelpAfterError("Run the command with --help to see how it is used.")
    .configureHelp({ helpWidth: 110 })
    .addHelpText("after", "\nExit codes: 0 done, 1 usage or configuration, 2 an input failed, 4 verification failed, 130 cancelled.");
  for (const add of [condenseCommand, viewCommand, recallCommand, sessionsCommand, doctorCommand]) command.addCommand(add().copyInheritedSettings(command));
  return command;
}
