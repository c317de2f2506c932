// Labels that lead from a line of a summary to the result it speaks of: written before each block a model reads, turned into refs in what it writes.
import { fencedLines, keepingFences } from "./fences.ts";

/** A tool's name as it stands in a label: what would close or break the label is `_`. */
export function labelName(tool: string): string {
  const name = tool.replace(/\r\n|[\]\r\n\u2028\u2029]/g, "_");
  return name.trim() === "" ? "_" : name;
}

/**
 * The label of the `n`-th result of a batch, from 1.
 *
 * ```ts
 * label(1, "read"); // "[[1:read]]"
 * ```
 */
export function label(n: number, tool: string): string {
  return `[[${n}:${labelName(tool)}]]`;
}

/** A label at the start of a line, behind blanks and at most one bullet, with the blanks that follow it. */
const LEADING = /^(\s*(?:[-*]\s+)?)\[\[(\d+):([^\]]+)\]\][^\S\r]*/;

/** The label that leads a line, as `substituteInlineRefs` would find it; undefined where none does. */
export function labelOf(line: string): { readonly n: number; readonly name: string; readonly isOf: (tool: string) => boolean } | undefined {
  const match = LEADING.exec(line);
  if (!match) return undefined;
  const name = match[3] as string;
  return { n: Number(match[2]), name, isOf: (tool) => comparable(name) === comparable(tool) };
}

/** Whether a line holds a label anywhere. */
export function holdsLabel(line: string): boolean {
  return /\[\[\d+:[^\]\n]+\]\]/.test(line);
}

/**
 * Turns the labels that lead a line of a model's summary into refs: `refs[i]` and `tools[i]` belong to label `i + 1`.
 * A label with another number or name, or in any other place, is removed; fenced code is left alone. What wrapped a
 * removed label stays. Linear in the text.
 *
 * ```ts
 * substituteInlineRefs("- [[1:read]] Read a.ts", ["t12"], ["read"]); // "- `t12` Read a.ts"
 * ```
 */
export function substituteInlineRefs(text: string, refs: readonly string[], tools: readonly string[]): string {
  if (!text.includes("]]")) return text;
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.map((line, at) => (fenced[at] || !line.includes("]]") ? line : keepingFences(line, substituted(line, refs, tools)))).join("\n");
}

function substituted(line: string, refs: readonly string[], tools: readonly string[]): string {
  const match = LEADING.exec(line);
  if (!match) return withoutLabels(line);
  const [whole, prefix, digits, name] = match as unknown as [string, string, string, string];
  const rest = withoutLabels(line.slice(whole.length));
  const at = Number(digits) - 1;
  const ref = refs[at];
  const tool = tools[at];
  if (ref === undefined || tool === undefined || comparable(name) !== comparable(tool)) return prefix + rest;
  return `${prefix}\`${ref}\`${rest.trim() === "" ? rest : ` ${rest}`}`;
}

function comparable(tool: string): string {
  return labelName(tool).trim().toLowerCase();
}

/**
 * Takes every label out of a line, with the blanks behind it, until none is left, also where taking one out makes another.
 * One pass: `made` is what is left of the line so far, and `from[i]` says where a label could start that the character
 * `made[i]` continues: at a `]`, the one whose name it ended; at any other, the first since the last `]`; -1 where none.
 */
function withoutLabels(line: string): string {
  if (!line.includes("]]")) return line;
  const made = new Uint16Array(line.length);
  const from = new Int32Array(line.length);
  let length = 0;
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    const afterBracket = length > 0 && made[length - 1] === CLOSE;
    if (unit === CLOSE && afterBracket && (from[length - 1] as number) >= 0) {
      length = from[length - 1] as number;
      while (isBlank(line.charCodeAt(at + 1))) at++;
      continue;
    }
    const open = length === 0 || afterBracket ? -1 : (from[length - 1] as number);
    made[length] = unit;
    if (unit === CLOSE) from[length] = open >= 0 && !isHeadOnly(made, open, length) ? open : -1;
    else from[length] = open < 0 && unit === COLON ? headStart(made, length) : open;
    length += 1;
  }
  return Buffer.from(made.buffer, 0, length * 2).toString("utf16le");
}

const OPEN = 91;
const CLOSE = 93;
const COLON = 58;

function isDigit(unit: number | undefined): boolean {
  return unit !== undefined && unit >= 48 && unit <= 57;
}

function isBlank(unit: number): boolean {
  return unit !== 13 && /\s/.test(String.fromCharCode(unit));
}

/** Where `[[digits` starts that ends right before the colon at `colon`; -1 where there is none. */
function headStart(made: Uint16Array, colon: number): number {
  let at = colon - 1;
  while (isDigit(made[at])) at--;
  return at < colon - 1 && made[at] === OPEN && made[at - 1] === OPEN ? at - 1 : -1;
}

/** Whether nothing but `[[digits:` stands between `start` and `end`: a name that is empty makes no label. */
function isHeadOnly(made: Uint16Array, start: number, end: number): boolean {
  return made[end - 1] === COLON && headStart(made, end - 1) === start;
}

/** What stands below a summary: the refs of all results that it stands for. */
export function footer(refs: readonly string[]): string {
  return `\n\n---\n**Summarized tool refs**: ${refs.map((ref) => `\`${ref}\``).join(", ")}\nUse \`context_tree_query\` with these refs to retrieve the original full outputs.`;
}
