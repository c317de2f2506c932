// npm run docs: writes docs/cli.md from the command definitions and docs/configuration.md from the schema. With --check: fails where a file says something else.
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { program } from "../src/cli/program.ts";
import { type ConfigKey, configKeys, PROFILES } from "../src/config/index.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

function section(command: Command, name: string): string {
  return `## ${name}\n\n\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\`\n`;
}

function commandLine(): string {
  const root = program(version);
  return [
    '# The command line\n\nMade from the command definitions by `npm run docs`: change those, not this file.\n\nEvery command takes `--json` and then prints one object with `"version": 1`. Results go to stdout, progress and errors to stderr.\nExit codes: 0 done, 1 usage or configuration, 2 an input failed, 3 partial (the budget did not last, or the model could not be asked), 4 verification failed, 130 cancelled.\n',
    section(root, "palimpsest"),
    ...root.commands.map((command) => section(command, `palimpsest ${command.name()}`)),
  ].join("\n");
}

const CONFIGURATION = `# Configuration

Made from the schema by \`npm run docs\`: change that, not this file.

Nothing has to be configured. What is can stand in several places; each stands above the one before, key by key, and arrays are replaced:

1. the defaults below, and the profile that is named
2. the user's file: \`~/.config/palimpsest/config.json\` (\`$XDG_CONFIG_HOME\`; on Windows \`%APPDATA%\\palimpsest\\config.json\`), or the file that \`PALIMPSEST_CONFIG\` names
3. the project's file: \`.palimpsest.json\` in the folder or in one above it, up to the root of its git repository
4. variables of the environment, such as \`PALIMPSEST_CONDENSE_KEEP_NEWEST=4\`
5. \`--policy FILE\`, \`--profile NAME\`, and \`--set KEY=VALUE\`, as often as needed

A file is one JSON object: \`{ "profile": "safe", "condense": { "keepNewest": 12, "protectedPaths": ["**/AGENTS.md"] } }\`. \`palimpsest doctor\` shows every value in effect and where it comes from. An unknown key, a wrong type, a value out of range and a key that was removed are errors, all of them at once, each with its place and what to do.
`;

function configuration(): string {
  const rows = [...configKeys().values()].map((key) => `| \`${key.path}\` | ${typeOf(key)} | \`${JSON.stringify(key.default)}\` | ${key.description} |`);
  const table = ["| key | type | default | what it says |", "|---|---|---|---|", ...rows].join("\n");
  const profiles = Object.entries(PROFILES).map(([name, values]) => `- \`${name}\`: ${name === "default" ? "the defaults" : `\`${JSON.stringify(values)}\``}`);
  return `${CONFIGURATION}\n## Keys\n\nThe variable of a key is its path in capitals: \`condense.stub.share\` is \`PALIMPSEST_CONDENSE_STUB_SHARE\`.\n\n${table}\n\n## Profiles\n\n${profiles.join("\n")}\n`;
}

function typeOf({ type, choices, nullable }: ConfigKey): string {
  const name = choices ? choices.map((choice) => `\`${choice}\``).join(" or ") : type;
  return nullable ? `${name}, or null` : name;
}

for (const [name, text] of [
  ["docs/cli.md", commandLine()],
  ["docs/configuration.md", configuration()],
] as const) {
  const target = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (textOf(target) !== text) {
    process.stderr.write(`${name} does not say what the code says: run npm run docs and commit it.\n`);
    process.exitCode = 1;
  }
}

/** A missing file is the most out-of-date one. */
function textOf(target: URL): string {
  try {
    return readFileSync(target, "utf8");
  } catch {
    return "";
  }
}
