// The real Pi in this process, with a scripted provider: what the model receives at each request is recorded.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, type FauxResponseStep, fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import {
  type AgentSession,
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionFactory,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";
import palimpsest from "../../src/hosts/pi/extension.ts";
import type { Wire } from "./servers.ts";

/** A message as the provider got it. */
export type Sent = Context["messages"][number];

/** A normal turn's request: not one by which Pi summarizes. */
export interface Turn {
  /** The newest entry of the branch when it was sent. */
  readonly leaf: string | null;
  /** What the scripted provider got; empty over a socket. */
  readonly messages: readonly Sent[];
}

export interface PiRun {
  readonly session: AgentSession;
  /** The messages of each request, in order, without the system prompt. */
  readonly requests: readonly (readonly Sent[])[];
  readonly turns: readonly Turn[];
  /** What extensions threw, and what Pi had to say of drafts. */
  readonly errors: readonly string[];
  readonly folder: string;
  /** Where the session is on disk. */
  readonly file: string;
  /** Ends the session and removes its folder, unless another run goes on in it. */
  close(): Promise<void>;
}

export interface PiOptions {
  /** What the model answers; a call may be given by tool name and arguments. */
  readonly answers: readonly FauxResponseStep[];
  /** Extensions beside Palimpsest, before or after it. */
  readonly before?: readonly ExtensionFactory[];
  readonly after?: readonly ExtensionFactory[];
  /** Whether Palimpsest is there at all. */
  readonly with?: boolean;
  readonly folder?: string;
  readonly manager?: (folder: string) => SessionManager;
  readonly settings?: Parameters<typeof SettingsManager.inMemory>[0];
  readonly contextWindow?: number;
  /** A provider behind a socket in place of the scripted one. */
  readonly wire?: Wire;
  /** The project's policy. */
  readonly policy?: object;
  /** What Pi's interface is; none: as in print mode. */
  readonly bind?: Parameters<AgentSession["bindExtensions"]>[0];
}

/** A policy under which a few calls are enough for a batch. */
export const SOON = { condense: { keepNewest: 1, triggers: { everyRequests: 3, finalReply: 1, minSaving: 100, minContext: 100 } } };

/** Output of the test tool: long, and different for each number. */
export function output(n: number, lines = 120): string {
  return Array.from({ length: lines }, (_, line) => `export function handler${n}_${line}(request: Request): Response { return reply(${n}, ${line}); }`).join(
    "\n",
  );
}

/** A picture of one dot. */
export const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A tool that gives `output(n)`. */
export const dump: ExtensionFactory = (pi) => {
  pi.registerTool({
    name: "dump",
    label: "dump",
    description: "gives a long text",
    parameters: {
      type: "object",
      properties: {
        n: { type: "number" },
        lines: { type: "number" },
        fail: { type: "boolean" },
        picture: { type: "boolean" },
        wait: { type: "boolean" },
      },
      required: ["n"],
    } as never,
    execute: async (_id: string, given: unknown, signal?: AbortSignal) => {
      const { n, lines, fail, picture, wait } = given as { n: number; lines?: number; fail?: boolean; picture?: boolean; wait?: boolean };
      if (wait) await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("it was aborted"))));
      if (fail) throw new Error(`it failed: ${n}`);
      const text = { type: "text" as const, text: output(n, lines) };
      return { content: picture ? [text, { type: "image" as const, data: DOT, mimeType: "image/png" }] : [text], details: {} };
    },
  });
};

export const call = (n: number, more: object = {}, id = `call_${n}`): FauxResponseStep =>
  fauxAssistantMessage([fauxText(`step ${n}`), fauxToolCall("dump", { n, ...more }, { id })], { stopReason: "toolUse" });
/** Several calls in one message, by number and what else they are given. */
export const calls = (
  ...each: readonly { readonly n: number; readonly id?: string; readonly lines?: number; readonly wait?: boolean; readonly picture?: boolean }[]
): FauxResponseStep =>
  fauxAssistantMessage(
    each.map(({ id, ...given }) => fauxToolCall("dump", given, { id: id ?? `call_${given.n}` })),
    { stopReason: "toolUse" },
  );
export const say = (text: string): FauxResponseStep => fauxAssistantMessage(text);
export const fail = (errorMessage: string): FauxResponseStep => fauxAssistantMessage([fauxText("half an ans")], { stopReason: "error", errorMessage });

export async function pi(options: PiOptions): Promise<PiRun> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "palimpsest-pi-"));
  const agentDir = join(folder, "agent");
  mkdirSync(agentDir, { recursive: true });
  if (options.wire) writeFileSync(join(agentDir, "models.json"), JSON.stringify(options.wire.models));
  if (options.policy) writeFileSync(join(folder, ".palimpsest.json"), JSON.stringify(options.policy));
  const requests: (readonly Sent[])[] = [];
  const turns: Turn[] = [];
  const errors: string[] = [];
  let isTurn = false;
  const leaf = () => manager.getLeafId();
  const faux = fauxProvider({
    provider: "faux",
    models: [{ id: "faux-1", contextWindow: options.contextWindow ?? 200_000, maxTokens: 4096, input: ["text", "image"] }],
  });
  faux.setResponses(
    options.answers.map((answer) => (context, given, state, model) => {
      const messages = structuredClone(context.messages.filter((message) => (message.role as string) !== "system")) as Sent[];
      requests.push(messages);
      if (isTurn) turns.push({ leaf: leaf(), messages });
      isTurn = false;
      return typeof answer === "function" ? answer(context, given, state, model) : answer;
    }),
  );
  const settingsManager = SettingsManager.inMemory({
    compaction: { enabled: false },
    retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 },
    ...options.settings,
  });
  const provider: ExtensionFactory = (api) => {
    api.registerProvider(faux.provider);
  };
  const watcher: ExtensionFactory = (api) => {
    api.on("context_with_system", () => {
      isTurn = true;
    });
    if (options.wire)
      api.on("before_provider_request", () => {
        turns.push({ leaf: leaf(), messages: [] });
      });
  };
  const ours = options.with === false ? [] : [palimpsest as ExtensionFactory];
  const resourceLoader = new DefaultResourceLoader({
    cwd: folder,
    agentDir,
    settingsManager,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
    extensionFactories: [provider, dump, ...(options.before ?? []), ...ours, ...(options.after ?? []), watcher],
  });
  await resourceLoader.reload();
  const modelRuntime = await ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: join(agentDir, "models.json") });
  const model = options.wire ? modelRuntime.getModel(options.wire.api, "m1") : faux.getModel();
  if (!model) throw new Error(`Pi knows no model of ${options.wire?.api}`);
  const manager = options.manager?.(folder) ?? SessionManager.create(folder, join(folder, "sessions"));
  const { session } = await createAgentSession({
    cwd: folder,
    agentDir,
    modelRuntime,
    settingsManager,
    resourceLoader,
    model,
    thinkingLevel: "off",
    sessionManager: manager,
  });
  await session.bindExtensions({ ...options.bind, onError: ({ event, error }) => errors.push(`${event}: ${error}`) });
  return {
    session,
    requests,
    turns,
    errors,
    folder,
    get file() {
      return manager.getSessionFile() ?? "";
    },
    close: async () => {
      session.dispose();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The text of a message as the provider got it. */
export function textOf({ content }: Sent): string {
  if (typeof content === "string") return content;
  return content.map((block) => ("text" in block ? block.text : "")).join("\n");
}
