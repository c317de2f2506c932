// The command: results on stdout, progress and errors on stderr.
import { readFileSync } from "node:fs";
import { EXIT } from "./exit.ts";
import { explained } from "./failure.ts";
import { program } from "./program.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

// A reader that has seen enough closes the pipe: that is no error of the command.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(
    `palimpsest: output: expected to write to standard output, found ${error.code ?? error.message}. Nothing is lost: run the command again with another output.\n`,
  );
  process.exit(2);
});
process.stderr.on("error", () => {});
// Work in steps pauses for these; drafts go when the process ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(EXIT.cancelled));

const command = program(version);
for (const each of [command, ...command.commands]) each.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 1));
try {
  if (process.argv.length <= 2) command.help({ error: true });
  await command.parseAsync();
} catch (error) {
  const { line, exitCode } = explained(error);
  process.stderr.write(`${line}\n`);
  process.exitCode = exitCode;
}
