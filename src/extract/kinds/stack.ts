// Stack traces: each message and cause, the first and the last frame of one's own code, the others counted.
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces, template } from "../errors.ts";
import { Marks } from "../marks.ts";
import type { Line } from "../normalise.ts";
import { LOOKED_AT, type Trace, tracesOf } from "./frames.ts";

/** Lines above a trace that may belong to its message; in Go and Rust more stand between. */
const MESSAGE = 3;
const LONG_MESSAGE = 8;
/** Lines below a trace of Python that belong to its message. */
const BELOW = 3;

const CAUSE = /^\s*(?:\[cause\]:|Caused by:|Suppressed:|The above exception was|During handling of)/;
/** The line that a message begins with. */
const OPENING = /(?:Error|Exception|Caused by|Suppressed|\[cause\])\b.*:|^Exception in thread|\bpanicked at\b|^(?:panic|fatal error): |^Unhandled exception/;
const SIGNAL = /^\[signal |^goroutine \d+ |^stack backtrace:|^note: /;

/** A document with traces; each distinct one is shown once. */
export function stack(document: Document): Proposal | undefined {
  const { lines } = document;
  const traces = tracesOf(lines);
  if (traces.length === 0) return undefined;
  const messages: Piece[] = [];
  const frames: Piece[] = [];
  const seen = new Set<string>();
  const told = new Marks(lines.length);
  let repeated = 0;
  for (const trace of traces) {
    for (let at = trace.start; at < trace.end; at++) told.add(at);
    const key = keyOf(lines, trace);
    if (seen.has(key)) {
      repeated += 1;
      continue;
    }
    seen.add(key);
    messages.push(...messageOf(lines, trace).map((at) => ({ at, what: "lines of messages" })));
    for (const piece of framePieces(trace)) frames.push(piece);
  }
  if (repeated > 0)
    frames.push({ at: (traces.at(-1) as Trace).start, made: `${repeated} more ${repeated === 1 ? "trace repeats" : "traces are repeats of"} those shown` });
  return {
    kind: "trace",
    required: [...messages, ...frames, ...errorPieces(lines, document.status === "error")],
    preferred: [],
    share: 0,
    ends: true,
    fill: true,
    told,
  };
}

/** What makes two traces the same: what stands above and the first frame, addresses and counts aside. */
function keyOf(lines: readonly Line[], { start, frames, style }: Trace): string {
  const above = lines[start - 1]?.text ?? "";
  const first = frames[0]?.at ?? start;
  // A goroutine's head has its number, which tells nothing.
  return `${style === "go" ? template(above.slice(0, LOOKED_AT)) : above.trim()}\n${((lines[first] as Line).text.replace(/0x[0-9a-f]+/g, "*")).trim()}`;
}

/** The first and the last frame of one's own code, and how many are left out. */
function framePieces({ frames, omissions, end }: Trace): readonly Piece[] {
  const own = frames.filter(({ foreign }) => !foreign);
  const shown = new Set([own[0] ?? frames[0], own.at(-1) ?? frames.at(-1)].filter((frame) => frame !== undefined));
  const pieces: Piece[] = [...shown].flatMap(({ at, second }) => [{ at, what: "frames" }, ...(second === undefined ? [] : [{ at: second, after: at }])]);
  for (const at of omissions) pieces.push({ at, what: "frames" });
  const hidden = frames.filter((frame) => !shown.has(frame));
  const foreign = hidden.filter((frame) => frame.foreign).length;
  const theirs = "of dependencies and the runtime";
  const others = foreign === 0 ? "" : foreign === hidden.length ? `, ${theirs}` : `, ${foreign} of them ${theirs}`;
  if (hidden.length > 0) pieces.push({ at: end - 1, made: `${hidden.length} ${hidden.length === 1 ? "frame" : "frames"} left out${others}` });
  return pieces;
}

/** The message stands above the frames, in Python below them. */
function messageOf(lines: readonly Line[], trace: Trace): readonly number[] {
  if (trace.style === "python") return pythonMessage(lines, trace);
  const long = trace.style === "go" || trace.style === "rust";
  const message: number[] = [];
  for (let at = trace.start - 1; at >= 0 && at >= trace.start - (long ? LONG_MESSAGE : MESSAGE); at--) {
    const text = (lines[at] as Line).text.slice(0, LOOKED_AT);
    if (text.trim() === "") {
      if (!long || message.length === 0) break;
      continue;
    }
    // Another goroutine's frames end what belongs to this one.
    if (/^\s+at \S|^\t/.test(text)) break;
    message.unshift(at);
    if (OPENING.test(text)) break;
    if (long && !SIGNAL.test(text) && message.length > 3 && !/^\s/.test(text)) break;
  }
  return trace.style === "go" && !message.some((at) => OPENING.test((lines[at] as Line).text.slice(0, LOOKED_AT))) ? message.slice(-1) : message;
}

/** What is said of the chain above, the error below, and its further lines. */
function pythonMessage(lines: readonly Line[], { start, end }: Trace): readonly number[] {
  const message: number[] = [];
  for (let at = Math.max(0, start - 4); at < start; at++) if (CAUSE.test((lines[at] as Line).text.slice(0, LOOKED_AT))) message.push(at);
  for (let at = end; at < Math.min(lines.length, end + BELOW); at++) {
    const text = (lines[at] as Line).text;
    if (text.trim() === "" || CAUSE.test(text.slice(0, LOOKED_AT))) break;
    if (at > end && !/^\s/.test(text) && !OPENING.test(text.slice(0, LOOKED_AT))) break;
    message.push(at);
  }
  return message;
}
