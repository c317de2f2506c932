// The real `pi` command in a home folder of its own: no network, no model, nothing of the user's.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer } from "./scripted-provider.ts";

const CLI = fileURLToPath(new URL("../../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js", import.meta.url));
const PROVIDER = fileURLToPath(new URL("./scripted-provider.ts", import.meta.url));

/** A policy under which a few reads are enough for an epoch. */
export const SMALL_POLICY: NodeJS.ProcessEnv = {
  PALIMPSEST_CONDENSE_KEEP_NEWEST: "1",
  PALIMPSEST_CONDENSE_TRIGGERS_EVERY_REQUESTS: "3",
  PALIMPSEST_CONDENSE_TRIGGERS_FINAL_REPLY: "1",
  PALIMPSEST_CONDENSE_TRIGGERS_MIN_SAVING: "0",
  PALIMPSEST_CONDENSE_TRIGGERS_MIN_CONTEXT: "0",
};

/** The environment of a `pi` process in a sandbox, with a model that answers so. */
export function environmentOf({ home, agentDir }: Pick<Sandbox, "home" | "agentDir">, answers: readonly Answer[]): NodeJS.ProcessEnv {
  return {
    ...SMALL_POLICY,
    PATH: process.env.PATH,
    HOME: home,
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    SCRIPTED_ANSWERS: JSON.stringify(answers),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What tests look at in a line of a session file. */
export interface SessionRecord {
  readonly type: string;
  readonly customType?: string;
  readonly data?: { readonly kind?: string };
}

/** What tests look at in a message that the model received. */
export interface SentMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

export interface Sandbox {
  readonly home: string;
  readonly agentDir: string;
  /** The folder that Pi works in. */
  readonly project: string;
  /** Runs `pi` with these arguments until it ends. */
  pi(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  /** A print run in which the model answers so. */
  run(answers: readonly Answer[], args: readonly string[]): Promise<Ended>;
  /** The records of the only session there is. */
  records(): readonly SessionRecord[];
  /** The messages of each request of all runs, in order. */
  requests(): readonly (readonly SentMessage[])[];
  remove(): void;
}

export function sandbox(settings: object = {}): Sandbox {
  const home = mkdtempSync(join(tmpdir(), "palimpsest-home-"));
  const agentDir = join(home, "agent");
  const project = join(home, "project");
  for (const folder of [agentDir, project]) mkdirSync(folder);
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ defaultProvider: "scripted", defaultModel: "scripted-1", ...settings }));
  for (let file = 0; file < 8; file++) writeFileSync(join(project, `file${file}.ts`), source(file));
  const pi: Sandbox["pi"] = (args, env = {}) => ended(args, project, { ...quiet(home, agentDir), ...env });
  const log = join(home, "requests.jsonl");
  const sessionFile = () => {
    const files = globSync("sessions/**/*.jsonl", { cwd: agentDir });
    if (files.length !== 1) throw new Error(`expected one session, found ${files.length}`);
    return join(agentDir, files[0] as string);
  };
  return {
    home,
    agentDir,
    project,
    pi,
    run: (answers, args) =>
      pi(["-p", "-e", PROVIDER, "--model", "scripted/scripted-1", ...args], {
        ...SMALL_POLICY,
        SCRIPTED_ANSWERS: JSON.stringify(answers),
        SCRIPTED_LOG: log,
      }),
    records: () => jsonLines(sessionFile()),
    requests: () => jsonLines(log),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function jsonLines<T>(path: string): readonly T[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** Nothing of this process's environment but where programs are. */
function quiet(home: string, agentDir: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
  };
}

function ended(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run npm ci`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (piece: Buffer) => {
      stdout += piece;
    });
    child.stderr.on("data", (piece: Buffer) => {
      stderr += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function source(file: number): string {
  return Array.from(
    { length: 150 },
    (_, line) => `export function handler${file}_${line}(request: Request): Response { return reply(${file}, ${line}); }`,
  ).join("\n");
}
