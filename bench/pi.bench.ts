// B12: the extension inside the real Pi: its start in a fresh process, and each of its hooks in a session of 10,000 entries.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import {
  type AgentSession,
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionAPI,
  type ExtensionFactory,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { build } from "vite";
import { type Benchmark, median, ms, quantile, type Row, timed } from "./harness.ts";

const ENTRIES = 10_000;
/** Prompts of the measured run, and calls of the model in each. */
const PROMPTS = 20;
const CALLS = 4;
const LIMIT = "≤ 2 ms p95";

export const b12: Benchmark = {
  id: "B12",
  title: `the Pi extension: its start, and its hooks in a session of ${ENTRIES.toLocaleString("en-US")} entries in the real Pi`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-b12-"));
    try {
      const root = fileURLToPath(new URL("../", import.meta.url));
      await build({ root, logLevel: "warn", build: { outDir: join(folder, "pi") } });
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const entry = join(folder, "pi/palimpsest.js");
      return [...starts(folder, entry), ...(await hooks(folder, entry))];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** From the import of the entry to the first request that it has seen, each in a process of its own. */
function starts(folder: string, entry: string): Row[] {
  const script = join(folder, "start.mjs");
  writeFileSync(script, START);
  // As Pi does, Node keeps compiled code from one start to the next.
  const env = { ...process.env, HOME: folder, NODE_COMPILE_CACHE: join(folder, "compiled") };
  const run = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder, env });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  const times = (work: () => number) => Array.from({ length: 9 }, work).sort((a, b) => a - b);
  const first = Number(run(script, pathToFileURL(entry).href));
  const ours = times(() => Number(run(script, pathToFileURL(entry).href)));
  const cli = fileURLToPath(new URL("../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js", import.meta.url));
  const bare = times(() => {
    const start = performance.now();
    run(cli, "--version");
    return performance.now() - start;
  });
  return [
    {
      what: "start, a new session",
      ours: `${ms(median(ours))} (p95 ${ms(quantile(ours, 0.95))})`,
      baseline: `${ms(median(bare))} pi --version`,
      ratio: (median(ours) / median(bare)).toFixed(2),
      target: "≤ 150 ms",
    },
    { what: "the first start after an install", ours: ms(first), baseline: "", ratio: "", target: "" },
  ];
}

/** A host that only starts a session: prints the milliseconds that the extension took. */
const START = `import { enableCompileCache } from "node:module";
// What Pi has loaded long before.
import "node:crypto";
import "node:fs/promises";
import "node:perf_hooks";
import "node:stream";
enableCompileCache();
const start = performance.now();
const { default: palimpsest } = await import(process.argv[2]);
const hooks = new Map();
const nothing = { getAllTools: () => [], getActiveTools: () => [], getSettings: () => ({}) };
palimpsest(new Proxy(nothing, { get: (known, name) => name === "on" ? (event, hook) => hooks.set(event, hook) : known[name] ?? (() => undefined) }));
const header = { type: "session", version: 3, id: "a", timestamp: new Date(0).toISOString(), cwd: process.cwd() };
const sessionManager = { getEntries: () => [], getBranch: () => [], getHeader: () => header, getLeafId: () => null, getSessionId: () => "a", getSessionFile: () => undefined };
const ctx = { cwd: process.cwd(), sessionManager, mode: "print", hasUI: false, ui: new Proxy({}, { get: () => () => undefined }), isProjectTrusted: () => true };
await hooks.get("session_start")({ type: "session_start", reason: "startup" }, ctx);
await hooks.get("context")({ type: "context", messages: [] }, ctx);
process.stdout.write(String(performance.now() - start));
`;

/** What a hook took. */
interface Spent {
  readonly event: string;
  readonly ms: number;
  /** `proposes`: it proposed an epoch. `follows`: the first request behind one, where the epoch is read back and the status line made anew. */
  readonly kind: "quiet" | "proposes" | "follows";
}

async function hooks(folder: string, entry: string): Promise<Row[]> {
  const spent: Spent[] = [];
  const manager = filled(folder);
  const projection = timed(() => manager.buildSessionProjection(), 25);
  const { default: palimpsest } = (await import(pathToFileURL(entry).href)) as { readonly default: ExtensionFactory };
  const session = await runningPi(folder, manager, (api) => palimpsest(watched(api, spent)));
  for (let prompt = 0; prompt < PROMPTS; prompt++) await session.prompt(`Go on with part ${prompt}.`);
  session.dispose();
  // The first of each waits for the session's start, which has a row of its own.
  const quiet = (event: string) => spent.filter((each) => each.event === event && each.kind === "quiet").slice(1);
  const later = spent.filter(({ kind }) => kind !== "quiet").slice(2);
  const rows = ["turn_end", "context", "agent_before_settle", "agent_settled"].map((event) =>
    hookRow(`${event}, nothing to propose`, quiet(event), projection, LIMIT),
  );
  const first = (kind: Spent["kind"], event: string) => ms(spent.find((each) => each.event === event && each.kind === kind)?.ms ?? Number.NaN);
  const kind = (wanted: Spent["kind"]) => later.filter((each) => each.kind === wanted);
  return [
    { what: "start in a session of that size", ours: first("quiet", "context"), baseline: "", ratio: "", target: "" },
    ...rows,
    hookRow("a boundary that proposes an epoch", kind("proposes"), projection, ""),
    hookRow("the request behind it", kind("follows"), projection, ""),
    { what: "the very first epoch, of as much as one may hold", ours: first("proposes", "turn_end"), baseline: "", ratio: "", target: "" },
    { what: "the request behind that", ours: first("follows", "context"), baseline: "", ratio: "", target: "" },
  ];
}

function hookRow(what: string, spent: readonly Spent[], projection: readonly number[], target: string): Row {
  const sorted = spent.map((each) => each.ms).sort((a, b) => a - b);
  return {
    what: `${what} (${sorted.length} of them)`,
    ours: `${ms(median(sorted))} (p95 ${ms(quantile(sorted, 0.95))})`,
    baseline: `${ms(median(projection))} Pi's own projection`,
    ratio: (median(sorted) / median(projection)).toFixed(3),
    target,
  };
}

/** The interface that Pi gives an extension, with each of its hooks timed. */
function watched(api: ExtensionAPI, spent: Spent[]): ExtensionAPI {
  let isBehind = false;
  const on = (event: string, hook: (...given: readonly unknown[]) => unknown) =>
    (api.on as (event: string, hook: unknown) => unknown)(event, async (...given: readonly unknown[]) => {
      const start = performance.now();
      const result = await hook(...given);
      const proposes = typeof result === "object" && result !== null && "entries" in result;
      const kind = proposes ? "proposes" : isBehind && (event === "context" || event === "agent_settled") ? "follows" : "quiet";
      spent.push({ event, ms: performance.now() - start, kind });
      isBehind = proposes || (isBehind && event !== "context");
      return result;
    });
  return new Proxy(api, { get: (target, name) => (name === "on" ? on : Reflect.get(target, name)) });
}

/** A session of `ENTRIES` entries in Pi's own hands: prompts of twenty calls each. */
function filled(folder: string): SessionManager {
  const manager = SessionManager.inMemory(folder);
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  const assistant = { role: "assistant", api: "faux", provider: "faux", model: "faux-1", usage, stopReason: "toolUse" } as const;
  for (let at = 0; manager.getEntries().length < ENTRIES; at++) {
    const timestamp = at * 1000;
    if (at % 20 === 0) manager.appendMessage({ role: "user", content: `Look into module ${at}.`, timestamp });
    const call = { type: "toolCall", id: `old_${at}`, name: "dump", arguments: { n: at } } as const;
    manager.appendMessage({ ...assistant, content: [{ type: "text", text: `I will read number ${at}.` }, call], timestamp: timestamp + 1 });
    const content = [{ type: "text" as const, text: output(at) }];
    manager.appendMessage({ role: "toolResult", toolCallId: call.id, toolName: "dump", content, isError: false, timestamp: timestamp + 2 });
  }
  return manager;
}

function output(n: number): string {
  return Array.from({ length: 3 + (n % 40) }, (_, line) => `export function handler${n}_${line}(request: Request): Response { return reply(${n}); }`).join(
    "\n",
  );
}

const dump: ExtensionFactory = (api) => {
  api.registerTool({
    name: "dump",
    label: "dump",
    description: "gives a text",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as never,
    execute: async (_id: string, given: unknown) => ({ content: [{ type: "text", text: output((given as { n: number }).n) }], details: {} }),
  });
};

/** The real Pi in this process, with a model that calls the tool and then says that it is done, once a prompt. */
async function runningPi(folder: string, sessionManager: SessionManager, extension: ExtensionFactory): Promise<AgentSession> {
  const agentDir = join(folder, "agent");
  const faux = fauxProvider({ provider: "faux", models: [{ id: "faux-1", contextWindow: 100_000_000, maxTokens: 4096 }] });
  faux.setResponses(
    Array.from({ length: PROMPTS * (CALLS + 1) }, (_, at) =>
      at % (CALLS + 1) === CALLS
        ? fauxAssistantMessage("done")
        : fauxAssistantMessage([fauxText(`step ${at}`), fauxToolCall("dump", { n: ENTRIES + at }, { id: `new_${at}` })], { stopReason: "toolUse" }),
    ),
  );
  const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false } });
  const provider: ExtensionFactory = (api) => {
    api.registerProvider(faux.provider);
  };
  const quiet = { noSkills: true, noPromptTemplates: true, noThemes: true, noContextFiles: true };
  const resourceLoader = new DefaultResourceLoader({ cwd: folder, agentDir, settingsManager, ...quiet, extensionFactories: [provider, dump, extension] });
  await resourceLoader.reload();
  const modelRuntime = await ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: join(agentDir, "models.json") });
  const at = { cwd: folder, agentDir, modelRuntime, settingsManager, resourceLoader, sessionManager };
  const { session } = await createAgentSession({ ...at, model: faux.getModel(), thinkingLevel: "off" });
  await session.bindExtensions({});
  return session;
}
