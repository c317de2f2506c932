// Arguments of an old call, cut: short values stay, long ones leave their size, the lines that declare, and the names that nothing else holds.
import { extract } from "../extract/index.ts";
import { jsonText } from "../formats/index.ts";
import { lineCount } from "../recall/index.ts";
import { bodyText, type CallFact, type Ref, type Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { argumentsOf } from "./ledger.ts";

interface CutOptions {
  /** Of the decision that cuts: it leads to the whole arguments. */
  readonly ref: Ref;
  /** Part of a text that may stay. */
  readonly share: number;
  /** Whether the reader has an anchor already. */
  readonly known: (anchor: string) => boolean;
}

/** Texts up to this many UTF-16 units stay. */
const SHORT = 120;
/** What an edit replaces: the file held it before, so its lines are no news. */
const OLD_TEXT = /^(?:oldText|old_string|old_str|old_text|old|search)$/;
/** How deep values are looked for long texts. */
const DEEPEST = 8;

/**
 * The input of a call with its long texts cut: valid JSON where it was JSON, a text where it was one. Undefined where that is not smaller in bytes.
 *
 * ```ts
 * cutArguments(call, { ref: "b3", share: 0.25, known: () => false }); // '{"path":"src/a.ts","content":"[b3: 120 lines, 4,210 bytes]\nids: parseRange"}'
 * ```
 */
export function cutArguments(call: CallFact, options: CutOptions): string | undefined {
  const text = bodyText(call.input);
  const args = argumentsOf(call);
  const path = args === undefined ? "" : pathOf(args);
  const cut = args === undefined ? cutText(text, path, options) : jsonText(cutValue(args, "", path, options, 0));
  return Buffer.byteLength(cut) < call.input.bytes ? cut : undefined;
}

function cutValue(value: unknown, key: string, path: string, options: CutOptions, depth: number): unknown {
  if (typeof value === "string") return value.length <= SHORT ? value : OLD_TEXT.test(key) ? sizeLine(value, options.ref) : cutText(value, path, options);
  if (typeof value !== "object" || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((each) => cutValue(each, key, path, options, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutValue(each, name, path, options, depth + 1)]));
}

function cutText(text: string, path: string, { ref, share, known }: CutOptions): string {
  const budget: Tokens = Math.floor(estimate(text) * share);
  const head = sizeLine(text, ref);
  const made = extract({ tool: path === "" ? "" : "read", args: { path }, text, status: "ok" }, { budget, lines: LINES, short: 0, known });
  return made.whole ? text : `${head}\n${made.text}`;
}

/** Of the budget: what lines take, the rest lists anchors. */
const LINES = 0.3;

function sizeLine(text: string, ref: Ref): string {
  const lines = lineCount(text);
  return `[${ref}: ${lines} ${lines === 1 ? "line" : "lines"}, ${Buffer.byteLength(text)} bytes]`;
}

const PATHS = ["path", "file_path", "filePath", "absolute_path", "target_file", "notebook_path", "file"];

function pathOf(args: Readonly<Record<string, unknown>>): string {
  const path = PATHS.map((key) => args[key]).find((each) => typeof each === "string");
  return typeof path === "string" ? path : "";
}
