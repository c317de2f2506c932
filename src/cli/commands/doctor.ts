// palimpsest doctor: versions, paths and the effective configuration, for a person who wonders why something is not found or not done.
import { Command } from "commander";
import type { Config, inspectConfig } from "../../config/index.ts";
import type { sessionFolders } from "../../formats/index.ts";
import type { Destination } from "../../models/index.ts";
import { EXIT } from "../exit.ts";
import { json, print } from "../output.ts";
import { addPolicyOptions, configInput, type PolicyOptions } from "../policy-input.ts";
import { printableName, shortName, table } from "../table.ts";

interface Options extends PolicyOptions {
  readonly json?: boolean;
}

interface Findings {
  readonly version: string;
  readonly platform: string;
  readonly folders: Awaited<ReturnType<typeof sessionFolders>>;
  readonly config: Awaited<ReturnType<typeof inspectConfig>>;
}

export function doctorCommand(): Command {
  return addPolicyOptions(new Command("doctor"))
    .summary("versions, paths, and the configuration with the origin of each value")
    .description(
      "Prints the versions that run, the folders that are searched for sessions, the configuration files that are read, and every value of the configuration with its origin. Where the configuration is faulty, all faults are printed with the rest, and the exit code is 1.",
    )
    .option("--json", "one JSON object")
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { readFileSync } = await import("node:fs");
  const { sessionFolders } = await import("../../formats/index.ts");
  const { inspectConfig } = await import("../../config/index.ts");
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string };
  const config = await inspectConfig(configInput(options));
  const findings = { version, platform: `${process.platform} ${process.arch}`, folders: await sessionFolders(), config };
  if (options.json) json(await report(findings));
  else await printReport(findings);
  if (config.faults.length > 0) process.exitCode = EXIT.usage;
}

/** Where sessions would be sent; what keeps that from being known stands in its place. */
async function sentTo({ config }: Findings): Promise<readonly Destination[] | string> {
  const { destinations, ModelError } = await import("../../models/index.ts");
  try {
    return destinations(config.policy.models);
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
}

async function report(findings: Findings): Promise<object> {
  const { version, platform, folders, config } = findings;
  const { configKeys, originText } = await import("../../config/index.ts");
  return {
    palimpsest: version,
    node: process.versions.node,
    platform,
    folders,
    sends: await sentTo(findings),
    configuration: {
      files: config.files,
      values: [...configKeys().values()].map(({ path, default: usual, variable }) => {
        const effective = config.origins.get(path);
        return {
          key: path,
          value: withoutSecrets(path, effective?.value),
          default: usual,
          origin: effective?.origin.kind,
          from: effective && originText(effective.origin),
          variable,
        };
      }),
      faults: config.faults,
    },
  };
}

/** Providers as they may be shown: what headers and extras hold may be secret, and so may the arguments of a key command. */
function withoutSecrets(path: string, value: unknown): unknown {
  if (path !== "models.providers" || typeof value !== "object" || value === null) return value;
  const hidden = (of: object) => Object.fromEntries(Object.keys(of).map((key) => [key, "…"]));
  return Object.fromEntries(
    Object.entries(value as Record<string, Partial<Config["policy"]["models"]["providers"][string]>>).map(
      ([name, { headers, extras, keyCommand, ...rest }]) => [
        name,
        {
          ...rest,
          ...(keyCommand && { keyCommand: keyCommand.map((word, at) => (at === 0 ? word : "…")) }),
          ...(headers && { headers: hidden(headers) }),
          ...(extras && { extras: hidden(extras) }),
        },
      ],
    ),
  );
}

async function printReport(findings: Findings): Promise<void> {
  const { version, platform, folders, config } = findings;
  const { faultLine, originText } = await import("../../config/index.ts");
  section([
    ["palimpsest", version],
    ["node", process.versions.node],
    ["platform", platform],
  ]);
  print("\nsession folders\n");
  section(folders.map((each) => [`  ${each.agent}`, folderState(each), each.path, each.from]));
  for (const { path, code } of folders.flatMap(({ unreadable = [] }) => unreadable))
    print(`  ${printableName(path)}: expected a folder that can be read, found ${code}. What is in it is not found.\n`);
  print("\nlanguage models\n");
  const sends = await sentTo(findings);
  if (typeof sends === "string") print(`  ${sends}\n`);
  else if (sends.length === 0) print("  none is named: summaries are extracts, and nothing is sent anywhere\n");
  else
    section(
      sends.map(({ use, model, baseUrl, local, key, remark }) => [
        `  ${use}`,
        printableName(model),
        `${printableName(baseUrl)}${local ? ", on this machine" : ""}`,
        `key: ${key}${remark ? `; ${remark}` : ""}`,
        use === "model" ? "condense sends it the results that it condenses" : "the same, while the model cannot be reached",
      ]),
    );
  print("\nconfiguration files\n");
  const unread = new Set(config.faults.flatMap(({ code, place }) => (code === "config-unreadable" ? [place] : [])));
  section(config.files.map(({ kind, path, exists }) => [`  ${kind}`, !exists ? "not there" : unread.has(path) ? "cannot be read" : "read", path]));
  print("\nconfiguration\n");
  section(
    [...config.origins].map(([key, { value, origin }]) => [
      `  ${key}`,
      shortName(JSON.stringify(withoutSecrets(key, value))),
      printableName(origin.kind === "file" ? origin.path : originText(origin)),
    ]),
  );
  if (config.faults.length === 0) return;
  print(`\nfaults of the configuration: what they are about is left out above\n`);
  for (const fault of config.faults) print(`  ${fault.code}: ${printableName(faultLine(fault, "configuration"))}\n`);
}

function folderState({ path, exists, sessions, unreadable = [] }: Findings["folders"][number]): string {
  if (unreadable.some((each) => each.path === path)) return "cannot be read";
  return exists ? `${sessions} sessions` : "not there";
}

function section(rows: readonly (readonly string[])[]): void {
  print(`${table(rows, new Set([0, 1, 2, 3]))}\n`);
}
