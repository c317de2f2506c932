// The answer to a call that looks for a text in all that a session held: line after line, with the ref that leads there.
import type { Session } from "../../session/index.ts";
import { type Found, searchSession } from "../search.ts";
import { PAGE } from "./fit.ts";
import { type Asking, type Content, said } from "./original.ts";
import { quoted } from "./problem.ts";
import { count, counted, oneLine } from "./words.ts";

/** Matching lines in one answer, where the call does not say how many. */
export const FOUND_LINES = 50;

export interface AskedSearch {
  readonly text: string;
  /** Matches to pass over. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Tools that only repeat what stands elsewhere: their calls would always be found. */
  readonly isOwn: (tool: string) => boolean;
}

/** Every line that holds the text, oldest first, as many as were asked for and fit. */
export function answerSearch({ session, head, said: which }: Pick<Asking, "session" | "head" | "said">, asked: AskedSearch): readonly Content[] {
  const { text: needle, offset = 0, limit = FOUND_LINES, isOwn } = asked;
  const lines: string[] = [];
  const originals = new Set<string>();
  let bytes = 0;
  let total = 0;
  let isFull = false;
  for (const found of searchSession(session, needle, head)) {
    if (isOwn(toolOf(session, found))) continue;
    originals.add(found.entry);
    total += 1;
    if (total <= offset || isFull) continue;
    const line = `${found.ref ?? found.entry} line ${found.line}, ${oneLine(found.where, 60)}: ${found.text}`;
    bytes += Buffer.byteLength(line) + 1;
    isFull = lines.length === limit || bytes > PAGE.bytes;
    if (!isFull) lines.push(line);
  }
  const shown = offset + lines.length;
  const part = lines.length < total ? `; ${lines.length === 0 ? "none" : `${count(offset + 1)} to ${count(shown)}`} here` : "";
  const next = shown < total && lines.length > 0 ? `, next: {"offset":${shown}} with the same text` : "";
  const title =
    total === 0
      ? `no line holds ${quoted(needle)}`
      : `${counted(total, "line")} in ${counted(originals.size, "original")} ${total === 1 ? "holds" : "hold"} ${quoted(needle)}${part}${next}`;
  return [said(title, which), ...(lines.length > 0 ? [said(...lines)] : [])];
}

function toolOf(session: Session, { entry }: Found): string {
  const data = session.find(entry)?.entry.data;
  return data?.kind === "call" || data?.kind === "result" ? data.tool : "";
}
