// A scripted model that does what it is asked: it reads the whole prompt and writes labelled bullets, as long as those of a real one.
import { extract } from "../../src/extract/index.ts";
import type { Model, ModelReply, ModelRequest } from "../../src/models/index.ts";
import { estimate } from "../../src/tokens/index.ts";

export interface HonestOptions {
  readonly name?: string;
  readonly window?: number;
  /** Changes each answer before it is given. */
  readonly spoil?: (answer: string, prompt: string, call: number) => string | Partial<ModelReply> | Promise<never>;
}

/** Requests that the model got, newest last. */
export interface HonestModel extends Model {
  readonly requests: ModelRequest[];
  /** Estimated, of all answers. */
  readonly outputTokens: number;
}

export function honestModel({ name = "scripted/honest", window, spoil = (answer) => answer }: HonestOptions = {}): HonestModel {
  const requests: ModelRequest[] = [];
  let outputTokens = 0;
  return {
    name,
    ...(window !== undefined && { window }),
    requests,
    get outputTokens() {
      return outputTokens;
    },
    async generate(request, { signal } = {}) {
      requests.push(request);
      const prompt = request.messages[0]?.text ?? "";
      signal?.throwIfAborted();
      const made = await spoil(honestAnswer(prompt), prompt, requests.length);
      const text = typeof made === "string" ? made : (made.text ?? "");
      outputTokens += estimate(text);
      const input = request.messages.reduce((sum, message) => sum + estimate(message.text), 0);
      const usage = { input, cacheRead: 0, output: estimate(text) };
      return { text, finish: "stop", usage, ...(typeof made === "object" && made) };
    },
  };
}

/** Bullets between the two words of a prompt. */
export function honestAnswer(prompt: string): string {
  const lines = prompt.split("\n");
  const head = lines[0] ?? "";
  const tail = lines.at(-1) ?? "";
  const word = /<<<([0-9a-f]+)/.exec(prompt)?.[1] ?? "";
  const results = resultsIn(prompt, word);
  const labelled = prompt.includes("Start the first bullet of a call with the label");
  const fused = prompt.includes("Make one summary of them");
  const bullets = fused
    ? fencedTexts(prompt, word).map((text) => `- ${text.replace(/\s+/g, " ").slice(0, Math.floor(text.length / 2) - 3)}${refsIn(text)}`)
    : results.map(({ label, ...result }) => (labelled ? `- ${label} ` : "- ") + telling(result).join("\n- "));
  return [head, ...bullets, tail].join("\n");
}

function refsIn(text: string): string {
  const refs = [...new Set(text.match(/`[tb]\d+`/g) ?? [])];
  return refs.length > 0 ? ` ${refs.join(" ")}` : "";
}

interface ReadResult {
  readonly label: string;
  readonly text: string;
  readonly status: "ok" | "error";
}

function fencedTexts(prompt: string, word: string): string[] {
  return [...prompt.matchAll(new RegExp(`^<<<${word}\\n([^]*?)^${word}>>>$`, "gm"))].map((match) => match[1] ?? "");
}

function resultsIn(prompt: string, word: string): ReadResult[] {
  const each = new RegExp(
    `^(\\[\\[\\d+:[^\\]\\n]+\\]\\]) Tool: .*\\nArguments:\\n<<<${word}\\n[^]*?^${word}>>>\\nResult \\((OK|ERROR)\\):\\n<<<${word}\\n([^]*?)^${word}>>>$`,
    "gm",
  );
  return [...prompt.matchAll(each)].map(([, label = "", status, text = ""]) => ({ label, text, status: status === "ERROR" ? "error" : "ok" }));
}

/** What it says of one result: the failing lines first, then what stands out; two bullets of some thirty words. */
function telling({ text, status }: Omit<ReadResult, "label">): string[] {
  const lines = text.split("\n");
  const failures = lines.filter((line) => /\b(?:error|fail(?:ed|ure)?|exception|not found|denied)\b/i.test(line)).slice(-2);
  const shown = extract({ tool: "", args: undefined, text, status }, { budget: 60, lines: 1, short: 0 }).text;
  const others = shown
    .split("\n")
    .map((line) => line.replace(/^\s*\d+\|\s?/, "").trim())
    .filter((line) => /\w/.test(line) && !line.startsWith("~"));
  const words = (line: string) => line.trim().split(/\s+/).slice(0, 30).join(" ").slice(0, 240);
  const said = [...new Set([...failures, ...others].map(words))].slice(0, 2).filter((line) => line !== "");
  const state = status === "error" ? "failed: " : "";
  return said.length > 0 ? said.map((line, at) => (at === 0 ? state : "") + line) : [status === "error" ? "failed with no output" : "no output"];
}
