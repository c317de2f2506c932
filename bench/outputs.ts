// Seeded outputs of tools, of any size: one generator of lines a kind, in the shapes that the programs print.
import type { ExtractInput } from "../src/extract/index.ts";
import { type Dice, seededText } from "./dice.ts";

interface Kind {
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  readonly status: ExtractInput["status"];
  readonly line: (at: number, dice: Dice) => string;
}

const NAMES = "parse read write open close merge split fetch store index query render update remove select session record request response handler".split(" ");
const LEVELS = ["INFO", "INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"];

function camel(dice: Dice): string {
  const second = dice.pick(NAMES);
  return `${dice.pick(NAMES)}${second.charAt(0).toUpperCase()}${second.slice(1)}${dice.below(40)}`;
}

function path(dice: Dice): string {
  return `src/${dice.pick(NAMES)}/${dice.pick(NAMES)}-${dice.below(60)}.ts`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function clock(at: number): string {
  return `${two(Math.floor(at / 36000) % 24)}:${two(Math.floor(at / 600) % 60)}:${two(Math.floor(at / 10) % 60)}`;
}

const KINDS: readonly Kind[] = [
  {
    name: "log",
    tool: "bash",
    args: { command: "tail -n 100000 server.log" },
    status: "ok",
    line: (at, dice) =>
      `2026-03-12T${clock(at)}.${100 + dice.below(900)}Z ${dice.pick(LEVELS)} ${dice.pick([
        `worker ${dice.below(16)} connected to queue jobs-${dice.pick(NAMES)}`,
        `job ${dice.below(1_000_000)} finished in ${dice.below(4000)} ms`,
        `job ${dice.below(1_000_000)} retried (attempt ${dice.below(5)} of 5)`,
        `cache ${camel(dice)} holds ${dice.below(100_000)} entries`,
        `GET /api/v1/${dice.pick(NAMES)}/${dice.below(9999)} from 10.0.${dice.below(255)}.${dice.below(255)}`,
      ])}`,
  },
  {
    name: "access log",
    tool: "bash",
    args: { command: "cat access.log" },
    status: "ok",
    line: (at, dice) =>
      `10.${dice.below(4)}.${dice.below(255)}.${dice.below(255)} - - [12/Mar/2026:${clock(at)} +0000] "${dice.pick(["GET", "GET", "GET", "POST"])} /${dice.pick(NAMES)}/${dice.pick(NAMES)}?id=${dice.below(5000)} HTTP/1.1" ${dice.pick(["200", "200", "200", "200", "304", "404", "500"])} ${dice.below(60_000)} "-" "curl/8.${dice.below(9)}.0"`,
  },
  {
    name: "compiler",
    tool: "bash",
    args: { command: "npx tsc -p ." },
    status: "error",
    line: (_, dice) =>
      `${path(dice)}(${dice.below(900) + 1},${dice.below(90) + 1}): error TS${dice.pick(["2322", "2339", "2345", "7006", "18048"])}: Property '${camel(dice)}' does not exist on type '${camel(dice)}'.`,
  },
  {
    name: "packages",
    tool: "bash",
    args: { command: "pip install -r requirements.txt" },
    status: "ok",
    line: (_, dice) =>
      dice.pick([
        `Collecting ${dice.pick(NAMES)}-${dice.pick(NAMES)}>=${dice.below(9)}.${dice.below(20)}`,
        `  Downloading ${dice.pick(NAMES)}_${dice.pick(NAMES)}-${dice.below(9)}.${dice.below(20)}.1-py3-none-any.whl (${dice.below(900)} kB)`,
        `Requirement already satisfied: ${dice.pick(NAMES)} in /usr/lib/python3/site-packages (${dice.below(9)}.1.0)`,
      ]),
  },
  {
    name: "tests",
    tool: "bash",
    args: { command: "npm test" },
    status: "error",
    line: (at, dice) =>
      dice.below(400) === 0 ? `not ok ${at + 1} - ${camel(dice)} returns ${dice.below(900)}` : `ok ${at + 1} - ${camel(dice)} of ${dice.pick(NAMES)}`,
  },
  {
    name: "search",
    tool: "grep",
    args: { pattern: "handler" },
    status: "ok",
    line: (_, dice) => `${path(dice)}:${dice.below(900) + 1}:  const ${camel(dice)} = await ${camel(dice)}(request, ${dice.below(5000)});`,
  },
  {
    name: "source",
    tool: "read",
    args: { path: "src/session/handlers.ts" },
    status: "ok",
    line: (at, dice) =>
      at % 8 === 0
        ? `export function ${camel(dice)}(${dice.pick(NAMES)}: string): number {`
        : `  const ${dice.pick(NAMES)} = ${camel(dice)}(${dice.pick(NAMES)}, ${dice.below(5000)}); // ${dice.pick(NAMES)} the ${dice.pick(NAMES)}`,
  },
  {
    name: "prose",
    tool: "fetch",
    args: { url: "https://example.org/guide" },
    status: "ok",
    line: (_, dice) => Array.from({ length: 18 }, () => (dice.below(30) === 0 ? camel(dice) : dice.pick(NAMES))).join(" "),
  },
];

/** The outputs of every kind, of about `size` characters; the same seed gives the same. */
export function* seededOutputs(size: number, seed = 7): IterableIterator<{ readonly name: string; readonly input: ExtractInput }> {
  for (const { name, tool, args, status, line } of KINDS) {
    yield { name, input: { tool, args, text: seededText(size, seed, line), status } };
  }
}
