// The commands in each mode of the real `pi`: print, JSON, RPC, and a terminal.
import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { environmentOf, type Sandbox, sandbox } from "./sandbox.ts";
import type { Answer } from "./scripted-provider.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CLI = pathOf("../../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
const EXTENSIONS = ["-ne", "-e", pathOf("./scripted-provider.ts"), "-e", pathOf("../../src/hosts/pi/extension.ts"), "--model", "scripted/scripted-1"];
const READS: readonly Answer[] = [{ read: "file0.ts" }, { read: "file1.ts" }, { read: "file2.ts" }, { read: "file3.ts" }, { say: "all read" }];
const MINUTE = 60_000;

let box: Sandbox | undefined;
let socket: string | undefined;
afterEach(() => {
  if (socket !== undefined) tmux("kill-server");
  socket = undefined;
  box?.remove();
  box = undefined;
});

function made(): Sandbox {
  box = sandbox();
  return box;
}

test("print and JSON: what a command says goes to standard error, and standard output stays Pi's", { timeout: 3 * MINUTE }, async () => {
  const at = made();
  const run = (args: readonly string[], answers: readonly Answer[] = []) => at.pi([...EXTENSIONS, ...args], environmentOf(at, answers));
  expect(await run(["-p", "read them"], READS)).toEqual({ code: 0, stdout: "all read\n", stderr: "" });
  const status = await run(["-p", "-c", "/palimpsest status"]);
  expect(status.stderr).toMatch(/^Palimpsest is on; profile default\n2 condensed in 1 epoch: /);
  expect(status.stdout).not.toContain("Palimpsest");
  const now = await run(["-p", "-c", "/pal now"]);
  expect(now.stderr).toMatch(/^b2: 1 change, applies with the next message/);
  const tree = await run(["--mode", "json", "-c", "/pal tree"]);
  expect(tree.stderr).toMatch(/^b1: 2 changes, .*\n {2}t1 read: file0\.ts, .*\n {2}t2 read: file1\.ts, .*\nb2: 1 change, applied with the next message\n$/);
  for (const line of tree.stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  const recalled = await run(["-p", "-c", "/pal recall t1"]);
  expect(recalled.stderr).toMatch(/^export function handler0_0[\s\S]*reply\(0, 149\); }\n$/);
});

test("RPC: text as notifications, the status line as status, dialogs as requests", { timeout: 2 * MINUTE }, async () => {
  const at = made();
  const child = spawn(process.execPath, [CLI, ...EXTENSIONS, "--mode", "rpc"], { cwd: at.project, env: environmentOf(at, [...READS, { say: "more" }]) });
  const notes: string[] = [];
  const lines: (string | undefined)[] = [];
  const asked: string[] = [];
  const errors: string[] = [];
  const waiting = new Map<string, () => void>();
  const send = (what: object) => child.stdin.write(`${JSON.stringify(what)}\n`);
  let rest = "";
  child.stderr.on("data", (piece) => errors.push(String(piece)));
  child.stdout.on("data", (piece) => {
    rest += piece;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      take(JSON.parse(rest.slice(0, end)));
      rest = rest.slice(end + 1);
    }
  });
  // biome-ignore lint/suspicious/noExplicitAny: any message of the protocol
  function take(message: any): void {
    if (message.type === "extension_ui_request" && message.method === "notify") notes.push(message.message);
    if (message.type === "extension_ui_request" && message.method === "setStatus") lines.push(message.statusText);
    if (message.type === "extension_ui_request" && message.method === "select") {
      asked.push(message.title);
      const value = asked.length === 1 ? message.options.find((each: string) => each.startsWith("profile")) : asked.length === 2 ? "safe" : undefined;
      send({ type: "extension_ui_response", id: message.id, ...(value === undefined ? { cancelled: true } : { value }) });
    }
    if (message.type === "response") waiting.get(message.id)?.();
    if (message.type === "agent_settled") waiting.get("settled")?.();
  }
  const until = (id: string) => new Promise<void>((resolve) => waiting.set(id, resolve));
  const prompt = async (id: string, text: string, end = id) => {
    const done = until(end);
    send({ id, type: "prompt", message: text });
    await done;
  };
  await prompt("1", "read them", "settled");
  await prompt("2", "/palimpsest status");
  expect(notes.at(-1)).toMatch(/^Palimpsest is on; profile default\n3 condensed in 2 epochs: /);
  expect(lines.at(-1)).toMatch(/^palimpsest −[\d.]+k tokens$/);
  await prompt("3", "/pal tree");
  expect(notes.at(-1)).toMatch(/^b1: 2 changes, /);
  await prompt("4", "/pal settings");
  expect(asked).toEqual(["Palimpsest settings", expect.stringMatching(/^profile: /), "Palimpsest settings"]);
  await prompt("5", "/pal undo");
  expect(notes.at(-1)).toBe("undone: t3; applies with the next message");
  await prompt("6", "go on", "settled");
  await prompt("7", "/pal status");
  expect(notes.at(-1)).toMatch(/^Palimpsest is on; profile safe\n/);
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.stdin.end();
  await ended;
  expect(errors.join("")).toBe("");
});

const HAS_TMUX = (() => {
  try {
    return execFileSync("tmux", ["-V"], { encoding: "utf8" }).startsWith("tmux");
  } catch {
    return false;
  }
})();
if (!HAS_TMUX) console.warn("tmux is not installed: the interactive mode of Pi is not tested here");

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", ["-L", socket ?? "", "-f", "/dev/null", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** The screen once it holds a text. */
async function screenWith(text: RegExp): Promise<string> {
  let screen = "";
  for (let left = 300; left > 0; left--) {
    screen = tmux("capture-pane", "-p");
    if (text.test(screen)) return screen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`expected ${text} on the screen, found\n${screen}`);
}

/** A screen that holds a text no more. An escape that the next key reached before it was taken would be one key with it. */
function without(text: string): RegExp {
  return new RegExp(`^(?![\\s\\S]*${text})`);
}

test.skipIf(!HAS_TMUX)("a terminal: completion, status line, tree browser, original and settings dialog", { timeout: 3 * MINUTE }, async () => {
  const at = made();
  socket = `palimpsest-${process.pid}`;
  const variables = Object.entries(environmentOf(at, [...READS, { say: "more" }])).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  tmux("new-session", "-d", "-x", "120", "-y", "40", "-c", at.project, ...variables, process.execPath, CLI, ...EXTENSIONS);
  const type = (text: string) => tmux("send-keys", "-l", text);
  const press = (...keys: readonly string[]) => tmux("send-keys", ...keys);
  /** Types a command and gives it to Pi: behind a space no completion is open that Enter would take. */
  const command = async (text: string) => {
    type(`${text} `);
    await screenWith(new RegExp(text));
    press("Enter");
  };
  await screenWith(/scripted-1/);
  expect(await screenWith(/scripted-1/)).not.toContain("palimpsest −");
  type("read them");
  await screenWith(/read them/);
  press("Enter");
  await screenWith(/all read/);
  expect(await screenWith(/palimpsest −[\d.]+k tokens/)).not.toContain("automatic note");

  type("/pal un");
  await screenWith(/undo .*show a result, a cut argument or an epoch as it came/);
  press("Tab");
  await screenWith(/\/pal undo$/m);
  type("t");
  expect(await screenWith(/t2 +.*read: file1\.ts/)).toMatch(/t1 +.*read: file0\.ts/);
  for (const _ of "/pal undo t") press("BSpace");

  await command("/pal tree");
  const tree = await screenWith(/Palimpsest: what was condensed/);
  expect(tree).toMatch(/▸ b1: 2 changes, [\d.]+k → [\d.]+k? tokens\n> ▾ b2: 1 change, .*\n +t3 read: file2\.ts, [\d.]+k → [\d.]+k?/);
  press("Up", "Enter", "Down", "Down", "Enter");
  expect(await screenWith(/handler1_0/)).toMatch(/t2 read: file1\.ts[\s\S]*lines 1 to \d+ of 150/);
  press("PageDown");
  await screenWith(/lines [2-9]\d to \d+ of 150/);
  press("Escape");
  await screenWith(/Palimpsest: what was condensed/);
  press("Escape");
  await screenWith(without("Palimpsest: what was condensed"));

  await command("/pal settings");
  expect(await screenWith(/Palimpsest settings/)).toMatch(/condense\.keepNewest: 1 \(PALIMPSEST_CONDENSE_KEEP_NEWEST\)/);
  press("Escape");
  await screenWith(without("Palimpsest settings"));

  await command("/pal undo b2");
  await screenWith(/undone: t3; applies with the next message/);
  type("go on");
  await screenWith(/go on/);
  press("Enter");
  await screenWith(/more/);
  await command("/pal status");
  await screenWith(/Palimpsest is on[\s\S]*\n 2 condensed in 2 epochs: /);
});
