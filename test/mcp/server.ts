// The MCP server as its clients start it, and session files for it to read.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export const BIN = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));

interface Place {
  readonly cwd: string;
  readonly home: string;
}

export interface Answer {
  readonly isError: boolean;
  /** What the server says of it. */
  readonly title: string;
  /** The texts behind the title. */
  readonly texts: readonly string[];
  readonly images: readonly { readonly data: string; readonly mimeType: string }[];
}

export interface Running {
  readonly client: Client;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>;
  recall(args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** What the server wrote to its log so far. */
  log(): string;
  stop(): Promise<void>;
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home };
}

/** Starts the server through its command, as a child on stdio, and shakes hands. */
export async function started(args: readonly string[], { cwd, home }: Place): Promise<Running> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp", ...args], cwd, env: environment(home), stderr: "pipe" });
  let log = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}) => answerOf(await client.callTool({ name, arguments: args }));
  return { client, call, recall: (args) => call("context_tree_query", args), log: () => log, stop: () => client.close() };
}

function answerOf(result: Awaited<ReturnType<Client["callTool"]>>): Answer {
  const content = result.content as readonly { readonly type: string; readonly text?: string; readonly data?: string; readonly mimeType?: string }[];
  const [title = "", ...texts] = content.flatMap((each) => (each.type === "text" ? [each.text ?? ""] : []));
  const images = content.flatMap((each) => (each.type === "image" ? [{ data: each.data ?? "", mimeType: each.mimeType ?? "" }] : []));
  return { isError: result.isError === true, title, texts, images };
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command with what comes in on standard input, then closed; `whenRunning` gets the child at its first output. */
export function run(
  args: readonly string[],
  input: string,
  { cwd, home }: Place,
  whenRunning?: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: environment(home) });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    if (out === "") whenRunning?.((signal) => child.kill(signal));
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin.write(input);
  if (!whenRunning) child.stdin.end();
  return new Promise((done) => child.on("close", (code) => done({ code, out, err })));
}

/** What a whole original is asked for next, as the title of a page says it. */
export function nextOf({ title }: Answer): Readonly<Record<string, unknown>> | undefined {
  const next = /next: (\{[^}]*\})/.exec(title)?.[1];
  return next === undefined ? undefined : JSON.parse(next);
}

/** The pages of an original joined, each asked for as the one before says. */
export async function pagesOf({ recall }: Running, args: Readonly<Record<string, unknown>>): Promise<{ readonly text: string; readonly pages: number }> {
  let text = "";
  let pages = 0;
  for (let next: Readonly<Record<string, unknown>> | undefined = {}; next; ) {
    const answer: Answer = await recall({ ...args, ...next });
    if (answer.isError) throw new Error(answer.title);
    const asJson = /^as JSON: (.*)$/m.exec(answer.title)?.[1];
    text += asJson === undefined ? answer.texts.join("") : JSON.parse(asJson);
    pages += 1;
    next = nextOf(answer);
  }
  return { text, pages };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

type Line = Readonly<Record<string, unknown>>;

/** A Pi session in one branch: each step is a call of `bash` with what it gives back. */
export function piSession(
  id: string,
  steps: readonly { readonly content: readonly Line[]; readonly isError?: boolean; readonly tool?: string; readonly input?: Line }[],
): string {
  const at = "2026-03-02T09:00:00.000Z";
  const lines: Line[] = [{ type: "session", version: 3, id, timestamp: at, cwd: "/srv/app" }];
  const add = (message: Line) => {
    const parentId = lines.length === 1 ? null : `m${lines.length - 1}`;
    lines.push({ type: "message", id: `m${lines.length}`, parentId, timestamp: at, message });
  };
  add({ role: "user", content: [{ type: "text", text: "look around" }] });
  for (const [index, { content, isError = false, tool = "bash", input = { command: `step ${index + 1}` } }] of steps.entries()) {
    add({ role: "assistant", content: [{ type: "toolCall", id: `call_${index + 1}`, name: tool, arguments: input }], stopReason: "toolUse" });
    add({ role: "toolResult", toolCallId: `call_${index + 1}`, toolName: tool, content, isError });
  }
  add({ role: "assistant", content: [{ type: "text", text: "done" }], stopReason: "stop" });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

interface Original {
  readonly text: string;
  readonly callId: string;
  /** Of its record. */
  readonly id: string;
  readonly isError: boolean;
}

/** The tool results of a Pi session file on the branch of its last record, oldest first: read without anything of the project's. */
export function piResults(file: string): Original[] {
  const records = file
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byId = new Map(records.map((record) => [record.id, record]));
  const results: Original[] = [];
  for (let at = records.at(-1); at; at = byId.get(at.parentId)) {
    const { id, message } = at;
    if (message?.role !== "toolResult") continue;
    const text = message.content.map((block: { readonly text: string }) => block.text).join("\n");
    results.unshift({ text, callId: message.toolCallId, id, isError: message.isError === true });
  }
  return results;
}
