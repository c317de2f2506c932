// npm run docs: writes docs/cli.md from the command definitions. With --check: fails where the file says something else.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { program } from "../src/cli/program.ts";

const target = new URL("../docs/cli.md", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

function section(command: Command, name: string): string {
  return `## ${name}\n\n\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\`\n`;
}

const root = program(version);
const text = [
  '# The command line\n\nMade from the command definitions by `npm run docs`: change those, not this file.\n\nEvery command takes `--json` and then prints one object with `"version": 1`. Results go to stdout, progress and errors to stderr.\nExit codes: 0 done, 1 usage or configuration, 2 an input failed, 4 verification failed, 130 cancelled.\n',
  section(root, "palimpsest"),
  ...root.commands.map((command) => section(command, `palimpsest ${command.name()}`)),
].join("\n");

if (process.argv.includes("--check")) {
  let found = "";
  try {
    found = readFileSync(target, "utf8");
  } catch {
    // A missing file is the most out-of-date one.
  }
  if (found !== text) {
    process.stderr.write("docs/cli.md does not say what the commands say: run npm run docs and commit it.\n");
    process.exit(1);
  }
} else writeFileSync(target, text);
