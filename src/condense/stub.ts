// What stands in place of a hidden result: one header line that says what it was, then its extract.
import type { Extract } from "../extract/index.ts";
import { lineCount } from "../recall/index.ts";
import type { Block, Ref, Status } from "../session/index.ts";

/** What a stub's header needs to know of a result. */
export interface StubHead {
  readonly ref: Ref;
  readonly tool: string;
  /** What the call was about, such as its command or path; empty where there is none. */
  readonly about: string;
  readonly text: string;
  readonly status: Status;
  readonly exitCode?: number;
  readonly blocks: readonly Block[];
}

/** `[t17 bash "npm test" · 312 lines, 16,384 bytes, error, exit 1 · recall t17 for all]` */
export function stubHeader(head: StubHead, note = ""): string {
  const about = head.about === "" ? "" : ` ${JSON.stringify(oneLine(head.about, 120))}`;
  const images = head.blocks.filter((block) => block.type === "image").length;
  const facts = [
    `${count(lineCount(head.text))} ${lineCount(head.text) === 1 ? "line" : "lines"}`,
    `${count(Buffer.byteLength(head.text))} bytes`,
    ...(images > 0 ? [`${images} ${images === 1 ? "image" : "images"}`] : []),
    ...(head.status === "error" ? ["error"] : []),
    ...(head.exitCode === undefined ? [] : [`exit ${head.exitCode}`]),
  ];
  return `[${head.ref} ${oneLine(head.tool, 60)}${about} · ${facts.join(", ")}${note === "" ? "" : ` · ${note}`} · recall ${head.ref} for all]`;
}

/** Header and extract. */
export function extractStub(head: StubHead, extract: Extract): string {
  return `${stubHeader(head)}\n${escaped(extract.text)}`;
}

/** A result that says the same as an earlier one. */
export function duplicateStub(head: StubHead, of: Ref): string {
  return stubHeader(head, `the same as ${of}`);
}

/** A result too large to be shown whole even once: its head, then its extract. */
export function spillStub(head: StubHead, preview: string, extract: Extract): string {
  return `${stubHeader(head, "too large to show whole")}\n${escaped(preview)}\n…\n${escaped(extract.text)}`;
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
