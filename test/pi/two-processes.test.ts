// Two real `pi` processes on one session file: all that both wrote is there, on branches of its own, and each goes on with its own.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { expectRecalled, recordsOf } from "./oracle.ts";
import { environmentOf, type Sandbox, type SentMessage, sandbox } from "./sandbox.ts";
import type { Answer } from "./scripted-provider.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CLI = pathOf("../../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
const EXTENSIONS = ["-ne", "-e", pathOf("./scripted-provider.ts"), "-e", pathOf("../../src/hosts/pi/extension.ts"), "--model", "scripted/scripted-1"];

let box: Sandbox | undefined;
const running: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  box?.remove();
  box = undefined;
});

interface Process {
  readonly pid: number | undefined;
  /** Says something to the agent, and waits until it has answered. */
  prompt(text: string): Promise<void>;
  /** What the model got, request by request. */
  requests(): readonly (readonly SentMessage[])[];
  /** Ends it, and gives what it wrote to standard error. */
  end(): Promise<string>;
}

/** `pi` in RPC mode, with a model that answers so. */
function started({ home, agentDir, project }: Sandbox, name: string, args: readonly string[], answers: readonly Answer[]): Process {
  const log = join(home, `${name}.jsonl`);
  const env = { ...environmentOf({ home, agentDir }, answers), SCRIPTED_LOG: log };
  const child = spawn(process.execPath, [CLI, ...EXTENSIONS, ...args, "--mode", "rpc"], { cwd: project, env });
  running.push(child);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let errors = "";
  let rest = "";
  let settled: (() => void) | undefined;
  child.stderr.on("data", (piece) => {
    errors += piece;
  });
  child.stdout.on("data", (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if ((JSON.parse(line) as { readonly type?: string }).type === "agent_settled") settled?.();
  });
  return {
    pid: child.pid,
    prompt: (text) => {
      const done = new Promise<void>((resolve) => {
        settled = resolve;
      });
      child.stdin.write(`${JSON.stringify({ id: text, type: "prompt", message: text })}\n`);
      return Promise.race([done, ended.then(() => Promise.reject(new Error(`pi ended: ${errors}`)))]);
    },
    requests: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    end: async () => {
      child.stdin.end();
      await ended;
      return errors;
    },
  };
}

function results(messages: readonly SentMessage[] | undefined): string[] {
  return (messages ?? []).filter(({ role }) => role === "toolResult").map(({ content }) => (typeof content === "string" ? content : (content[0]?.text ?? "")));
}

const stub = (ordinal: number, file: number) => expect.stringMatching(new RegExp(`^\\[t${ordinal} read: 150 lines[\\s\\S]*handler${file}_0`));
const whole = (file: number) => expect.stringMatching(new RegExp(`^export function handler${file}_0`));
const read = (file: number): Answer => ({ read: `file${file}.ts` });

test("two processes write to one file, in turn and at once: nothing is lost, and each model gets its own branch condensed", { timeout: 180_000 }, async () => {
  box = sandbox();
  const { agentDir, project } = box;
  const one = started(box, "one", [], [read(0), read(1), { say: "one" }, read(2), read(3), { say: "one again" }, { say: "one last" }]);
  await one.prompt("first");
  const [name] = globSync("sessions/**/*.jsonl", { cwd: agentDir });
  const file = join(agentDir, name as string);
  const two = started(box, "two", ["--session", file], [read(4), read(5), { say: "two" }, { say: "two again" }, { say: "two last" }]);
  expect(two.pid).not.toBe(one.pid);
  // At once: `two` opens the file while `one` writes to it, and both write.
  await Promise.all([one.prompt("second of one"), two.prompt("second of two")]);
  await one.prompt("third of one");
  // Where it came in upon a batch of `one`, its first boundary finishes that.
  await two.prompt("third of two");
  await two.prompt("fourth of two");
  expect([await one.end(), await two.end()]).toEqual(["", ""]);

  const sent = results(one.requests().at(-1));
  expect(sent).toEqual([stub(1, 0), stub(2, 1), stub(3, 2), whole(3)]);
  const mine = results(two.requests().at(-1));
  const taken = mine.length - 2;
  expect(mine.slice(-2)).toEqual([stub(taken + 1, 4), whole(5)]);

  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(recordsOf(file)).toHaveLength(lines.length);
  const text = (file: number) => readFileSync(join(project, `file${file}.ts`), "utf8");
  const end = (answer: string) => recordsOf(file).findLast(({ type, message }) => type === "message" && JSON.stringify(message).includes(answer))?.id;
  await expectRecalled(file, { t1: text(0), t2: text(1), t3: text(2), t4: text(3) }, end("one last"));
  await expectRecalled(file, { t1: text(0), t2: text(1), [`t${taken + 1}`]: text(4), [`t${taken + 2}`]: text(5) }, end("two last"));
  // Each batch that was begun has ended, whichever process wrote it.
  const ours = (kind: string) => recordsOf(file).flatMap(({ data }) => (data?.kind === kind ? [data.batch] : []));
  expect(ours("epoch").sort()).toEqual(ours("batch").sort());
});
