// What stands in place of a hidden result: one header line that says what it was, then its extract.
import type { Extract } from "../extract/index.ts";
import { lineCount } from "../recall/index.ts";
import type { Block, Ref, Status } from "../session/index.ts";

/** What a stub's header says of a result. What its call was about stands in the call itself, right above. */
export interface StubHead {
  readonly ref: Ref;
  readonly tool: string;
  readonly text: string;
  readonly status: Status;
  readonly exitCode?: number;
  readonly blocks: readonly Block[];
}

/** `[t17 bash: 312 lines, 16,384 bytes, error, exit 1]` */
export function stubHeader(head: StubHead, note = ""): string {
  const lines = lineCount(head.text);
  const images = head.blocks.filter((block) => block.type === "image").length;
  const facts = [
    `${count(lines)} ${lines === 1 ? "line" : "lines"}`,
    `${count(Buffer.byteLength(head.text))} bytes`,
    ...(images > 0 ? [`${images} ${images === 1 ? "image" : "images"}`] : []),
    ...(head.status === "error" ? ["error"] : []),
    ...(head.exitCode === undefined ? [] : [`exit ${head.exitCode}`]),
    ...(note === "" ? [] : [note]),
  ];
  return `[${head.ref} ${oneLine(head.tool, 60)}: ${facts.join(", ")}]`;
}

/** Header and extract. */
export function extractStub(head: StubHead, extract: Extract): string {
  return `${stubHeader(head)}\n${escaped(extract.text)}`;
}

/** A result that says the same as an earlier one. */
export function duplicateStub(head: StubHead, of: Ref): string {
  return stubHeader(head, `the same as ${of}`);
}

/** The ref in a stub that says that its result repeats another; undefined for any other stub. */
export function repeatedRef(stub: string): Ref | undefined {
  return /^\[t\d+ [^\]\n]*, the same as (t\d+)\]$/.exec(stub)?.[1] as Ref | undefined;
}

/** Whether a stub stands for a result that was too large to be shown whole. */
export function isSpillStub(stub: string): boolean {
  return /^\[(t\d+) [^\]\n]*, too large to show whole: recall \1 gives it in pages\]\n/.test(stub);
}

/** A result too large to be shown whole even once: its head, then its extract. */
export function spillStub(head: StubHead, preview: string, extract: Extract): string {
  return `${stubHeader(head, `too large to show whole: recall ${head.ref} gives it in pages`)}\n${escaped(preview)}\n…\n${escaped(extract.text)}`;
}

/** A successful edit or write: its first line. */
export function headerLineStub(head: StubHead, line: string): string {
  return `${stubHeader(head)}\n${escaped(oneLine(line, 240))}`;
}

function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A text of a tool's as it may stand in a header: one line, closed by no bracket of its own. */
function oneLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, " ").trim().replaceAll("]", ")");
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** Text of a tool's can never look like a line of ours: what begins like a ref or a label is moved by one space. */
function escaped(text: string): string {
  return text.replace(/^(?=\[(?:[tb]\d|\[))/gm, " ");
}
