// Figures and texts of a session as they stand in a line of ours.
import type { Decision, Fact } from "../../session/index.ts";

/** `16,384` */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `1 line`, `312 lines` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A text on one line, cut to a length in UTF-16 units. */
export function oneLine(text: string, length: number): string {
  // A line is made from no more than could show in it.
  const start = text.slice(0, length * 4);
  const line = start.replace(/\s+/g, " ").trim();
  return line.length <= length && start.length === text.length ? line : `${line.slice(0, length - 1)}…`;
}

/** `compact by host`, `replace by extractive (arguments)` */
export function decisionWords(data: Fact | Decision): string {
  return `${data.kind}${"by" in data ? ` by ${data.by}` : ""}${data.kind === "replace" ? ` (${data.mode})` : ""}`;
}
