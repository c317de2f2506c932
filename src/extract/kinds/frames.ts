// Frames of stack traces as Node.js, browsers, Java, .NET, Python, Go and Rust write them.
import type { Line } from "../normalise.ts";

/** One frame: the lines that say where, and what ran there. */
interface Frame {
  readonly at: number;
  /** A second line of it: the code in Python, the place in Go and Rust. */
  readonly second?: number;
  /** Of a runtime or a dependency. */
  readonly foreign: boolean;
}

type Style = "at" | "python" | "go" | "rust";

export interface Trace {
  readonly style: Style;
  /** Indices of the first line, and of the first behind the last. */
  readonly start: number;
  readonly end: number;
  readonly frames: readonly Frame[];
  /** `... 12 more`: frames that the runtime itself left out. */
  readonly omissions: readonly number[];
}

/** Looked at of each line. */
export const LOOKED_AT = 500;
/** Lines of a frame besides its own that are passed over: code, and marks under it. */
const GAP = 3;

const AT = /^\s+at \S|^\s*\S{1,200}@(?:file|https?):\/\/\S+:\d+:\d+$/;
const PYTHON = /^\s+File "[^"]{1,300}", line \d+/;
const GO_PLACE = /^\t\S.{0,400}\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$/;
const GO_CALL = /^\S.{0,400}\)$|^created by \S/;
const RUST = /^ {1,4}\d{1,4}: +(?:0x[0-9a-f]+ - )?\S/;
const RUST_PLACE = /^\s+at \S/;
const OMISSION = /^\s+\.\.\. \d+ (?:more|common frames omitted|frames? (?:omitted|elided))/;

const FOREIGN =
  /node_modules|\bnode:|\(internal\/|site-packages|dist-packages|\/lib\/python|\/importlib\/|\bjava\.|\bjavax\.|\bjdk\.|\bsun\.|org\.junit|org\.springframework|org\.apache|\bkotlin\.|\bscala\.|\bSystem\.|Microsoft\.|<anonymous>\)?$|\(native\)|\(Native Method\)|<frozen |\/go\/src\/|\/pkg\/mod\/|^runtime\.|^panic\(|\/rustc\/|\.cargo\/registry|\/library\/(?:std|core|alloc)\/|: +(?:0x[0-9a-f]+ - )?<?(?:std|core|alloc)::|rust_begin_unwind|__libc_start|\b_start$/;

/** Runs of two frames or more; one frame of Python or Go is a trace, too, where a head stands above it. */
export function tracesOf(lines: readonly Line[]): readonly Trace[] {
  const traces: Trace[] = [];
  for (let at = 0; at < lines.length; at++) {
    const style = styleAt(lines, at);
    if (!style) continue;
    const trace = traceFrom(lines, at, style);
    if (trace.frames.length >= 2 || ((style === "python" || style === "go") && isHead(lines[at - 1]?.text ?? ""))) traces.push(trace);
    at = trace.end - 1;
  }
  return traces;
}

function isHead(text: string): boolean {
  return /^\s*Traceback \(most recent|^goroutine \d+/.test(text.slice(0, LOOKED_AT));
}

function traceFrom(lines: readonly Line[], start: number, style: Style): Trace {
  const frames: Frame[] = [];
  const omissions: number[] = [];
  let end = start;
  for (let at = start, gap = 0; at < lines.length && gap <= GAP; at++) {
    const text = headOf(lines, at);
    if (styleAt(lines, at) === style) {
      const frame = frameAt(lines, at, style);
      frames.push(frame);
      at = frame.second ?? at;
      gap = 0;
      end = at + 1;
    } else if (OMISSION.test(text)) {
      omissions.push(at);
      end = at + 1;
    } else if (style !== "go" && /^(?: {4,}|\t+ *)\S/.test(text)) {
      gap += 1;
      if (style === "python" && gap < GAP) end = at + 1;
    } else break;
  }
  return { style, start, end, frames, omissions };
}

function styleAt(lines: readonly Line[], at: number): Style | undefined {
  const { text } = lines[at] as Line;
  const first = text.charCodeAt(0);
  if (first !== 32 && first !== 9) {
    const next = lines[at + 1]?.text;
    if (next?.charCodeAt(0) === 9 && GO_PLACE.test(next.slice(0, LOOKED_AT)) && GO_CALL.test(text.slice(0, LOOKED_AT))) return "go";
    return text.includes("@") && AT.test(text.slice(0, LOOKED_AT)) ? "at" : undefined;
  }
  const head = headOf(lines, at);
  if (RUST.test(head)) return "rust";
  if (PYTHON.test(head)) return "python";
  return AT.test(head) ? "at" : undefined;
}

function frameAt(lines: readonly Line[], at: number, style: Style): Frame {
  const next = at + 1 < lines.length ? headOf(lines, at + 1) : "";
  const hasSecond =
    style === "go" ||
    (style === "rust" && RUST_PLACE.test(next)) ||
    (style === "python" && /^\s{4,}\S/.test(next) && !PYTHON.test(next) && !/^[\s~^]+$/.test(next));
  const said = `${headOf(lines, at)}${hasSecond && style !== "python" ? `\n${next}` : ""}`;
  const foreign = said.split("\n").some((text) => FOREIGN.test(text));
  return { at, foreign, ...(hasSecond && { second: at + 1 }) };
}

function headOf(lines: readonly Line[], at: number): string {
  return (lines[at] as Line).text.slice(0, LOOKED_AT);
}
