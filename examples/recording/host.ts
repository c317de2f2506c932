// Pi itself, headless, with its built-in tools and a model that answers from a list of turns.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import {
  type AssistantMessage,
  type FauxResponseStep,
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxThinking,
  fauxToolCall,
  type TranscriptContext,
} from "@earendil-works/pi-ai";
import { createAgentSession, DefaultResourceLoader, ModelRuntime, SessionManager, SettingsManager } from "@earendil-works/pi-coding-agent";
import type { Turn } from "./turn.ts";
import type { Workspace } from "./workspace.ts";

const TOOLS = ["read", "grep", "find", "ls", "bash", "edit", "write"];

export interface Host {
  /** Sends a prompt and answers with `turns`, one a request. @throws if a turn speaks of what no result holds */
  readonly prompt: (text: string, turns: readonly Turn[]) => Promise<void>;
  /** Goes back to the entry and leaves a summary of what is left behind. */
  readonly goBack: (entryId: string, summary: string) => Promise<void>;
  /** The entry that is the newest now. */
  readonly leaf: () => string;
  /** Ends the session. @returns the path of its file */
  readonly close: () => string;
}

export async function startHost({ root, base, agentDir }: Workspace): Promise<Host> {
  for (const [tool, ...names] of [
    ["ripgrep", "rg"],
    ["fd", "fd", "fdfind"],
  ]) {
    if (names.every((name) => spawnSync(name, ["--version"]).error))
      throw new Error(`Pi's search tools need ${tool}: install it, so that ${names.join(" or ")} is on the PATH`);
  }
  const faux = fauxProvider({
    provider: "scripted",
    api: "scripted",
    models: [{ id: "scripted-1", reasoning: true, contextWindow: 400_000, maxTokens: 16_000 }],
  });
  const modelRuntime = await ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: join(agentDir, "models.json") });
  const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false }, retry: { enabled: false } });
  const resourceLoader = new DefaultResourceLoader({
    cwd: root,
    agentDir,
    settingsManager,
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
    extensionFactories: [(pi) => pi.registerProvider(faux.provider)],
  });
  await resourceLoader.reload();
  const sessionManager = SessionManager.create(root, join(base, "sessions"));
  const model = faux.getModel();
  const { session } = await createAgentSession({
    cwd: root,
    agentDir,
    modelRuntime,
    settingsManager,
    resourceLoader,
    model,
    thinkingLevel: "medium",
    sessionManager,
    tools: TOOLS,
  });
  await session.bindExtensions({});
  let calls = 0;
  const nextId = (): string => `call_${String(++calls).padStart(3, "0")}`;
  const answered = (): void => {
    const open = faux.getPendingResponseCount();
    if (open > 0) throw new Error(`${open} turns were never asked for`);
  };

  return {
    async prompt(text, turns) {
      const missing: string[] = [];
      faux.setResponses(
        turns.map(
          (turn): FauxResponseStep =>
            (context) =>
              answer(turn, context, nextId, missing),
        ),
      );
      await session.prompt(text);
      if (missing.length > 0) throw new Error(`the model speaks of what it has not seen:\n${missing.join("\n")}`);
      answered();
    },
    async goBack(entryId, summary) {
      faux.setResponses([fauxAssistantMessage(summary)]);
      const { cancelled } = await session.navigateTree(entryId, { summarize: true });
      if (cancelled) throw new Error(`Pi did not go back to ${entryId}`);
      answered();
    },
    leaf: () => sessionManager.getLeafId() ?? fail("the session is empty"),
    close() {
      session.dispose();
      return sessionManager.getSessionFile() ?? fail("the session has no file");
    },
  };
}

function answer({ sees = [], thinks, says, calls = [] }: Turn, context: TranscriptContext, nextId: () => string, missing: string[]): AssistantMessage {
  const results = textOfLastResults(context);
  missing.push(...sees.filter((text) => !results.includes(text)).map((text) => `${JSON.stringify(text)} before ${JSON.stringify(says ?? thinks ?? calls)}`));
  return fauxAssistantMessage(
    [
      ...(thinks ? [fauxThinking(thinks)] : []),
      ...(says ? [fauxText(says)] : []),
      ...calls.map(({ tool, input, id }) => fauxToolCall(tool, input, { id: id ?? nextId() })),
    ],
    { stopReason: calls.length > 0 ? "toolUse" : "stop" },
  );
}

function textOfLastResults({ messages }: TranscriptContext): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .flatMap((message) => (message.role === "toolResult" ? message.content : []))
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
}

function fail(message: string): never {
  throw new Error(message);
}
