// palimpsest mcp: recall and search for an agent, as an MCP server on standard input and output.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { json, print } from "../output.ts";
import { printable } from "../table.ts";

interface Options {
  readonly printConfig?: boolean;
  readonly json?: boolean;
}

export function mcpCommand(): Command {
  return new Command("mcp")
    .summary("recall and search as an MCP server on stdio")
    .description(
      "Lets an agent read the originals behind the refs in its context, over the Model Context Protocol on standard input and output. Without FILE, the newest session of this folder's project is read as far as it goes at each call. The tools are context_tree_query (the original behind a ref), session_search (a text in all originals) and session_refs (what is hidden). Nothing is written.",
    )
    .argument("[file]", "the session file to read, and no other")
    .option("--print-config", "print the lines that add the server to Claude Code and Codex, and end")
    .option("--json", "with --print-config: one JSON object")
    .action(run);
}

async function run(file: string | undefined, options: Options, command: Command): Promise<void> {
  if (file === "-")
    throw new Failure("usage", "expected a session FILE, found -: standard input carries the protocol. Leave it out for the newest session.", EXIT.usage);
  const path = file === undefined ? undefined : resolve(file);
  if (options.printConfig) return printConfig(path, options.json === true);
  if (options.json) throw new Failure("usage", "expected --json beside --print-config, found it alone: the server speaks JSON-RPC.", EXIT.usage);
  if (path !== undefined) await noteMissing(path);
  if (process.stdin.isTTY) log("waiting for an MCP client on standard input; --print-config prints how to add the server to one");
  const { serve } = await import("../../hosts/mcp/index.ts");
  await serve({ ...(path !== undefined && { file: path }), cwd: process.cwd(), version: command.parent?.version() ?? "", log });
}

function log(line: string): void {
  process.stderr.write(`palimpsest mcp: ${printable(line)}\n`);
}

/** The server starts all the same: the file may come later. */
async function noteMissing(path: string): Promise<void> {
  await stat(path).catch((error: NodeJS.ErrnoException) => log(`${path} cannot be read now (${error.code}): calls are answered with an error until it can`));
}

async function printConfig(file: string | undefined, asJson: boolean): Promise<void> {
  const { shellWord } = await import("../../copies/index.ts");
  // By its own place: a name that npm would have to look up could be anybody's.
  const bin = fileURLToPath(new URL("../../../bin/palimpsest.js", import.meta.url));
  const args = [bin, "mcp", ...(file === undefined ? [] : [file])];
  const mcpJson = { mcpServers: { palimpsest: { command: "node", args } } };
  const claudeCode = `claude mcp add palimpsest -- node ${args.map(shellWord).join(" ")}`;
  const codex = `[mcp_servers.palimpsest]\ncommand = "node"\nargs = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`;
  if (asJson) return json({ claudeCode: { command: claudeCode, mcpJson }, codex: { configToml: codex } });
  print(
    `Claude Code, in the project's folder:\n\n${claudeCode}\n\nor in the project's .mcp.json, for everyone who works on it:\n\n${JSON.stringify(mcpJson, null, 2)}\n\nCodex, in ~/.codex/config.toml:\n\n${codex}\n\nPi needs no server.\n`,
  );
}
