// palimpsest doctor: versions and paths, for a person who wonders why something is not found.
import { Command } from "commander";
import { json, print } from "../output.ts";
import { table } from "../table.ts";

export function doctorCommand(): Command {
  return new Command("doctor")
    .summary("versions and paths")
    .description("Prints the versions that run and the folders that are searched for sessions.")
    .option("--json", "one JSON object")
    .action(run);
}

async function run(options: { readonly json?: boolean }): Promise<void> {
  const { readFileSync } = await import("node:fs");
  const { sessionFolders } = await import("../../formats/index.ts");
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string };
  const folders = await sessionFolders();
  if (options.json) return json({ palimpsest: version, node: process.versions.node, platform: `${process.platform} ${process.arch}`, folders });
  print(
    `${table(
      [
        ["palimpsest", version],
        ["node", process.versions.node],
        ["platform", `${process.platform} ${process.arch}`],
      ],
      new Set([0, 1]),
    )}\n\nsession folders\n`,
  );
  print(
    `${table(
      folders.map((each) => [`  ${each.agent}`, each.exists ? `${each.sessions} sessions` : "not there", each.path, each.from]),
      new Set([0, 1, 2, 3]),
    )}\n`,
  );
}
