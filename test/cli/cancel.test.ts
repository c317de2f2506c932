// Long work that is cancelled: the command ends with 130, leaves no draft and has not touched its source.
//
// The command itself watches for the moment and sends the signal, by a timer and by its own progress: neither would get its turn if the work
// did not pause. Clocks that run fast make it pause at each step and show all progress, so that small sessions do.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { answers, assistant, calls, lines, said, user } from "../build/claude-records.ts";
import { desk } from "../build/command.ts";
import { piSession, resultText } from "../build/pi-records.ts";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
const { home, file, folder, clear } = desk("cancel");
afterAll(clear);

const watcher = file(
  "watcher.mjs",
  `import { readdirSync } from "node:fs";
let now = 0;
performance.now = () => (now += 60_000);
Date.now = () => (now += 60_000);
const { SIGNAL, LABEL, FOLDER } = process.env;
const cancel = () => process.kill(process.pid, SIGNAL);
process.stderr.isTTY = true;
const write = process.stderr.write.bind(process.stderr);
process.stderr.write = (text, ...more) => {
  if (LABEL && text.includes(LABEL)) cancel();
  return write(text, ...more);
};
if (FOLDER) setInterval(() => readdirSync(FOLDER).some((name) => name.endsWith(".tmp")) && cancel(), 1).unref();
`,
);

interface Cancelled {
  readonly signal?: "SIGINT" | "SIGTERM" | "SIGHUP";
  /** How the progress begins at which the command is cancelled. */
  readonly label?: string;
  /** The folder in which a draft is waited for. */
  readonly drafts?: string;
}

function cancelled(args: readonly string[], { signal = "SIGINT", label = "", drafts = "" }: Cancelled) {
  const env = { PATH: process.env.PATH, HOME: home, SIGNAL: signal, LABEL: label, FOLDER: drafts };
  const ran = spawnSync(process.execPath, ["--import", pathToFileURL(watcher).href, bin, ...args], { env, encoding: "utf8" });
  return { code: ran.status, signal: ran.signal, out: ran.stdout };
}

const ENDED = { code: 130, signal: null, out: "" };
const RESULTS = 30;

function claudeSession(): string {
  const turns = Array.from({ length: RESULTS }, (_, index) => {
    const n = index + 1;
    const call = assistant(`a${n}`, n === 1 ? "u" : `r${n - 1}`, `m${n}/q${n}`, [calls(`c${n}`, "Read", { file_path: `/srv/app/${n}.ts` })]);
    return [call, user(`r${n}`, `a${n}`, [answers(`c${n}`, resultText(n))])];
  });
  return lines([user("u", null, "go"), ...turns.flat(), assistant("e", `r${RESULTS}`, "m/q", [said("done")])]);
}

describe("work in steps", () => {
  const session = file("steps/session.jsonl", piSession(RESULTS));
  test.each([
    ["condensing", "SIGINT", ["condense"]],
    ["recalling", "SIGTERM", ["condense"]],
    ["replaying", "SIGHUP", ["condense", "--json"]],
    ["replaying", "SIGINT", ["replay"]],
    ["replaying masked", "SIGINT", ["replay", "--mask"]],
  ] as const)("%s ends at %s: %j", (label, signal, [command, ...options]) => {
    expect(cancelled([command, session, ...options], { signal, label })).toEqual(ENDED);
  });
});

describe("drafts", () => {
  test.each([
    ["pi", piSession(RESULTS), ["--copy", "NEW/"]],
    ["claude-code", claudeSession(), ["--copy", "NEW/"]],
    ["pi", piSession(RESULTS), ["--save", "NEW/log"]],
  ] as const)("none stays of a session of %s: %#", (format, content, [option, target]) => {
    const session = file(`drafts/${format}${option}/session.jsonl`, content);
    const into = folder(`drafts/${format}${option}/new`);
    expect(cancelled(["condense", session, option, target.replace("NEW", into)], { drafts: into })).toMatchObject({ code: 130, signal: null });
    expect(readdirSync(into)).toEqual([]);
    expect(readFileSync(session, "utf8")).toBe(content);
    expect(readdirSync(dirname(session)).sort()).toEqual(["new", "session.jsonl"]);
  });
});
