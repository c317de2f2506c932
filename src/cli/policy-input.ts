// The policy that a command works by: every source of the configuration, and what its options say.
import { homedir } from "node:os";
import type { Command } from "commander";
import type { ConfigInput, Policy } from "../config/index.ts";
import { gathered } from "./option-values.ts";

export interface PolicyOptions {
  /** A JSON file, above the user's and the project's. */
  readonly policy?: string;
  readonly profile?: string;
  /** `KEY=VALUE`, each above all else. */
  readonly set?: readonly string[];
}

/** Adds what every command takes that works by a policy. */
export function addPolicyOptions(command: Command): Command {
  return command
    .option("--policy <file>", "a JSON file with other values than the defaults and the configuration files")
    .option("--profile <name>", "a named set of values in place of the defaults: default or safe")
    .option("--set <key=value>", "one value, such as condense.keepNewest=4; may be given several times", gathered);
}

/**
 * The policy of the defaults, the configuration files, the environment and these options. `flags`: what other options say, as a part of a policy.
 *
 * @throws ConfigError with every fault of every source.
 */
export async function policyFor(options: PolicyOptions, flags: object = {}): Promise<Policy> {
  const { loadConfig } = await import("../config/index.ts");
  return (await loadConfig(configInput(options, flags))).policy;
}

/** What the configuration of this process is read from. */
export function configInput({ policy, profile, set }: PolicyOptions, flags: object = {}): ConfigInput {
  return {
    cwd: process.cwd(),
    env: process.env,
    home: homedir(),
    ...(policy !== undefined && { policyFile: policy }),
    flags: { ...flags, ...(profile !== undefined && { profile }) },
    ...(set !== undefined && { set }),
  };
}
