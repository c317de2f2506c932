// Stack traces: the message, the first and the last frame of one's own code, and the causes.
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces } from "../errors.ts";
import type { Line } from "../normalise.ts";

/** A frame as Node.js, browsers, Java or .NET write it, or as Python does. */
const FRAME = /^\s+at \S|^\s*\S{1,200}@(?:file|https?):\/\/\S+:\d+:\d+$|^\s+File "[^"]{1,300}", line \d+/;
/** A frame of a runtime or a dependency. */
const FOREIGN = /node_modules|\bnode:|\(internal\/|site-packages|\/lib\/python|\bjava\.base|\bjdk\.|\bsun\.|org\.junit|<anonymous>\)?$|\(native\)|<frozen /;
const CAUSE = /^\s*(?:\[cause\]:|Caused by:|The above exception|During handling)/;
/** Lines above a trace that may belong to its message. */
const MESSAGE = 3;
/** Looked at of each line. */
const LOOKED_AT = 500;

interface Trace {
  readonly start: number;
  readonly end: number;
}

/** A document with traces; each distinct one is shown once. */
export function stack(document: Document): Proposal | undefined {
  const traces = tracesOf(document.lines);
  if (traces.length === 0) return undefined;
  const messages: Piece[] = [];
  const frames: Piece[] = [];
  const times = new Map<string, number>();
  const told = new Set<number>();
  for (const trace of traces) {
    const key = `${document.lines[trace.start - 1]?.text.trim() ?? ""}\n${document.lines[trace.start]?.text.trim() ?? ""}`;
    times.set(key, (times.get(key) ?? 0) + 1);
    for (let at = trace.start; at < trace.end; at++) told.add(at);
    if (times.get(key) !== 1) continue;
    messages.push(...messageOf(document.lines, trace).map((at) => ({ at, what: "lines of messages" })));
    frames.push(...framePieces(document.lines, trace));
  }
  const repeated = [...times.values()].reduce((sum, count) => sum + count - 1, 0);
  if (repeated > 0) frames.push({ at: (traces.at(-1) as Trace).start, made: `${repeated} more traces are repeats of those shown` });
  return {
    kind: "trace",
    required: [...messages, ...frames, ...errorPieces(document.lines, document.status === "error")],
    preferred: [],
    share: 0,
    ends: true,
    fill: true,
    told,
  };
}

/** Runs of two or more frames, the source lines between those of Python included. */
function tracesOf(lines: readonly Line[]): readonly Trace[] {
  const traces: Trace[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!isFrame(lines[at] as Line)) continue;
    const start = at;
    let frames = 0;
    for (let gap = 0; at < lines.length && gap <= 2; at++) {
      const line = lines[at] as Line;
      if (isFrame(line)) {
        frames += 1;
        gap = 0;
      } else if (/^\s{4,}\S/.test(line.text)) gap += 1;
      else break;
    }
    if (frames >= 2) traces.push({ start, end: at });
    at -= 1;
  }
  return traces;
}

function isFrame(line: Line): boolean {
  const { text } = line;
  let at = 0;
  while (at < text.length && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at += 1;
  if (at === 0 ? !text.includes("@") : text.charAt(at) !== "a" && text.charAt(at) !== "F") return false;
  return FRAME.test(text.slice(0, LOOKED_AT));
}

function framePieces(lines: readonly Line[], trace: Trace): readonly Piece[] {
  const { start, end } = trace;
  const pieces: Piece[] = [];
  const frames = range(start, end).filter((at) => isFrame(lines[at] as Line));
  const own = frames.filter((at) => !FOREIGN.test((lines[at] as Line).text.slice(0, LOOKED_AT)));
  const shown = new Set([own[0] ?? frames[0], own.at(-1) ?? frames.at(-1)].filter((at) => at !== undefined));
  for (const at of shown) {
    pieces.push({ at, what: "frames" });
    if (isPython(lines, trace) && at + 1 < end && !isFrame(lines[at + 1] as Line)) pieces.push({ at: at + 1, what: "frames" });
  }
  const left = frames.length - shown.size;
  const foreign = frames.length - own.length - [...shown].filter((at) => !own.includes(at)).length;
  if (left > 0) pieces.push({ at: end - 1, made: `${left} frames left out${foreign > 0 ? `, ${foreign} of them of dependencies and the runtime` : ""}` });
  for (const at of range(start, end)) if (CAUSE.test((lines[at] as Line).text.slice(0, LOOKED_AT))) pieces.push({ at, what: "causes" });
  return pieces;
}

/** The message stands above the frames, in Python below them. */
function messageOf(lines: readonly Line[], trace: Trace): readonly number[] {
  const { start, end } = trace;
  if (isPython(lines, trace)) return end < lines.length ? [end] : [];
  const message: number[] = [];
  for (let at = start - 1; at >= 0 && at >= start - MESSAGE; at--) {
    const text = (lines[at] as Line).text;
    if (text.trim() === "" || isFrame(lines[at] as Line)) break;
    message.unshift(at);
    if (/(?:Error|Exception|Caused by|\[cause\])\b.*:/.test(text.slice(0, LOOKED_AT))) break;
  }
  return message;
}

function isPython(lines: readonly Line[], { start }: Trace): boolean {
  return (lines[start] as Line).text.trimStart().startsWith("File ");
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}
