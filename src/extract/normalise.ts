// A result's text as lines to choose from: no control sequences, overwritten text, frames of progress, repeats or encoded data.
import { sha256 } from "../session/index.ts";
import { isErrorLine } from "./errors.ts";
import { joinFrames, mayHoldFrames, overwritten } from "./frames.ts";
import type { Line } from "./line.ts";

export type { Line } from "./line.ts";

const HEX = /^[0-9a-fA-F]+$/;
/** Characters of base64 or hexadecimal from which on a run is data. */
const DATA_LENGTH = 256;
/** Lines of at least this many characters of data are joined when they follow each other. */
const DATA_LINE = 60;
/** Overwritten errors of one line that are kept, and characters of one. */
const ERRORS = 3;
const ERROR_LENGTH = 160;
/** How far the end of an operating system command is looked for. */
const COMMAND_LENGTH = 4096;

const ESCAPE = 27;
const BACKSPACE = 8;
const TAB = 9;
const RETURN = 13;

/** The lines of a text; a final line end opens none. */
export function normalise(text: string): readonly Line[] {
  const lines: Line[] = [];
  let number = 0;
  let previous: string | undefined;
  let controlled = false;
  let long = false;
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf("\n", start);
    const end = stop < 0 ? text.length : stop;
    const control = controlFrom(text, start, end);
    let errors: readonly string[] = [];
    let plain: string;
    if (control === end || (control === end - 1 && text.charCodeAt(control) === RETURN)) plain = text.slice(start, control);
    else {
      const raw = text.slice(start, end);
      plain = plainLine(raw);
      if (plain.length < raw.length - 1) errors = overwrittenErrors(raw, plain);
      const up = linesUp(raw);
      if (up > 0) {
        overwritten(lines, up);
        previous = undefined;
      }
      controlled = true;
    }
    start = end + 1;
    number += 1;
    if (plain === previous) {
      const top = lines.length - 1;
      lines[top] = { ...(lines[top] as Line), last: number };
      continue;
    }
    previous = plain;
    if (plain.length >= DATA_LINE) long = true;
    if (errors.length > 0) lines.push({ number, last: number, text: [...errors, plain].join(" ⏎ "), made: true });
    else lines.push(plain.length < DATA_LENGTH ? { number, last: number, text: plain, made: false } : withoutData(plain, number));
  }
  const joined = long ? joinDataLines(lines) : lines;
  return controlled || mayHoldFrames(text) ? joinFrames(joined) : joined;
}

/** Where the first control character of a line stands; its end where it has none. */
function controlFrom(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && !isControl(text.charCodeAt(at))) at += 1;
  return at;
}

/** How many lines the sequences in front of a line move the cursor up. */
function linesUp(raw: string): number {
  let up = 0;
  for (let at = 0; raw.charCodeAt(at) === ESCAPE && raw.charCodeAt(at + 1) === 91; ) {
    const end = parametersEnd(raw, at + 2);
    const final = raw.charCodeAt(end - 1);
    if (final === 65 || final === 70) up += Math.max(1, Number.parseInt(raw.slice(at + 2, end - 1), 10) || 1);
    at = end;
  }
  return up;
}

/** Texts that a carriage return or the like let others be written over, of which one tells of an error: they are not lost with it. */
function overwrittenErrors(raw: string, shown: string): readonly string[] {
  const errors = new Set<string>();
  const written = withoutSequences(raw);
  if (!written.includes("\r")) return [];
  for (const text of written.split("\r"))
    if (text !== shown && errors.size < ERRORS && isErrorLine(text, false)) errors.add(text.slice(0, ERROR_LENGTH).trim());
  return [...errors];
}

const CONTROL = controlTable();

function controlTable(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(1, 0, 32).fill(1, 127, 160);
  table[TAB] = 0;
  return table;
}

/** What a terminal shows of a line: the last text written over the others, without control sequences. */
export function plainLine(raw: string): string {
  const at = controlFrom(raw, 0, raw.length);
  if (at === raw.length) return raw;
  if (at === raw.length - 1 && raw.charCodeAt(at) === RETURN) return raw.slice(0, at);
  const shown = withoutSequences(raw);
  return shown.includes("\r") ? lastWritten(shown) : shown;
}

function isControl(code: number): boolean {
  return code < 256 && CONTROL[code] === 1;
}

/** Text after the last carriage return that anything follows. */
function lastWritten(line: string): string {
  let end = line.length;
  while (end > 0) {
    const from = line.lastIndexOf("\r", end - 1);
    if (line.slice(from + 1, end).trim() !== "") return line.slice(from + 1, end);
    if (from < 0) break;
    end = from;
  }
  return "";
}

/** Without control sequences and characters, but for carriage returns; a backspace takes the character before it. */
function withoutSequences(line: string): string {
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  while (at < line.length) {
    const code = line.charCodeAt(at);
    if (!isControl(code) || code === RETURN) {
      at += 1;
      continue;
    }
    const back = code === BACKSPACE && at > from ? 1 : 0;
    if (at > from) parts.push(line.slice(from, at - back));
    const sequence = at;
    at = sequenceEnd(line, at, code);
    if (isToFirstColumn(line, sequence, at)) parts.push("\r");
    from = at;
  }
  parts.push(line.slice(from));
  return parts.join("");
}

/** `ESC [ G` and `ESC [ 1 G` do what a carriage return does. */
function isToFirstColumn(line: string, start: number, end: number): boolean {
  if (end - start < 3 || end - start > 4 || line.charCodeAt(end - 1) !== 71 || line.charCodeAt(start + 1) !== 91) return false;
  return end - start === 3 || line.charCodeAt(start + 2) === 49;
}

/** Where the control sequence or character that starts at `at` ends. */
function sequenceEnd(line: string, at: number, code: number): number {
  if (code === 0x9b) return parametersEnd(line, at + 1);
  if (code !== ESCAPE) return at + 1;
  const next = line.charCodeAt(at + 1);
  if (next === 91) return parametersEnd(line, at + 2);
  if (next === 93) return commandEnd(line, at + 2);
  // Escape, intermediates (a character set is named by one), final character.
  let end = at + 1;
  while (end < line.length && end < at + 4 && line.charCodeAt(end) >= 0x20 && line.charCodeAt(end) <= 0x2f) end += 1;
  const final = line.charCodeAt(end);
  return final >= 0x30 && final <= 0x7e ? end + 1 : end;
}

function parametersEnd(line: string, from: number): number {
  let end = from;
  while (end < line.length && line.charCodeAt(end) >= 0x20 && line.charCodeAt(end) <= 0x3f) end += 1;
  const final = line.charCodeAt(end);
  return final >= 0x40 && final <= 0x7e ? end + 1 : end;
}

/** A title or a link: up to BEL or the string terminator; unterminated, only its opening is dropped. */
function commandEnd(line: string, from: number): number {
  const limit = Math.min(line.length, from + COMMAND_LENGTH);
  for (let end = from; end < limit; end++) {
    const code = line.charCodeAt(end);
    if (code === 7 || code === 0x9c) return end + 1;
    if (code === ESCAPE) return line.charCodeAt(end + 1) === 92 ? end + 2 : end;
  }
  return from;
}

function isDataCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43 || code === 61 || code === 45 || code === 95;
}

/** A long line with what stands for its data, and for long repeats of one character. */
function withoutData(line: string, number: number): Line {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < line.length; ) {
    const start = at;
    const first = line.charCodeAt(at);
    at += 1;
    while (at < line.length && line.charCodeAt(at) === first) at += 1;
    if (at - start >= DATA_LENGTH) {
      parts.push(line.slice(from, start), `<${JSON.stringify(line.slice(start, start + 1))} ${at - start} times>`);
      from = at;
      continue;
    }
    if (!isDataCode(first)) continue;
    while (at < line.length && isDataCode(line.charCodeAt(at))) at += 1;
    const run = at - start >= DATA_LENGTH ? line.slice(start, at) : "";
    if (run === "" || !isData(run)) continue;
    parts.push(line.slice(from, start), dataMark(run));
    from = at;
  }
  if (from === 0) return { number, last: number, text: line, made: false };
  parts.push(line.slice(from));
  return { number, last: number, text: parts.join(""), made: true };
}

/** Whether a run of such characters is encoded data: hexadecimal, or letters of both cases and digits mixed without words. */
function isData(run: string): boolean {
  if (HEX.test(run)) return /\d/.test(run) && /[a-f]/i.test(run);
  let changes = 0;
  let digits = 0;
  const sample = Math.min(run.length, 1024);
  let previous = 0;
  for (let at = 0; at < sample; at++) {
    const code = run.charCodeAt(at);
    const kind = code >= 97 ? 1 : code >= 65 ? 2 : 3;
    if (kind === 3) digits += 1;
    if (kind !== previous) changes += 1;
    previous = kind;
  }
  return digits > 0 && changes > sample * 0.25;
}

function dataMark(data: string): string {
  const kind = HEX.test(data) ? "hex" : "base64";
  const size = data.length < 1024 ? `${data.length} bytes` : `${Math.round(data.length / 1024)} KB`;
  return `<${kind} ${size} sha256:${sha256(data).slice(0, 8)}>`;
}

/** Data that is broken into lines becomes one line. */
function joinDataLines(lines: readonly Line[]): readonly Line[] {
  let joined: Line[] | undefined;
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isDataLine((lines[end] as Line).text, end > at)) end += 1;
    const data =
      end - at > 1
        ? lines
            .slice(at, end)
            .map((line) => line.text)
            .join("")
        : "";
    const first = lines[at] as Line;
    if (data.length >= DATA_LENGTH && isData(data)) {
      joined ??= lines.slice(0, at);
      joined.push({ number: first.number, last: (lines[end - 1] as Line).last, text: dataMark(data), made: true });
      at = end;
      continue;
    }
    joined?.push(first);
    at += 1;
    // Lines of one block that is no data are not tried again, each from its own start.
    for (; at < end; at++) joined?.push(lines[at] as Line);
  }
  return joined ?? lines;
}

function isDataLine(text: string, shortTail: boolean): boolean {
  if (text.length > DATA_LENGTH || text.length < (shortTail ? 1 : DATA_LINE) || text.startsWith("-")) return false;
  for (let at = 0; at < text.length; at++) if (!isDataCode(text.charCodeAt(at))) return false;
  return true;
}
