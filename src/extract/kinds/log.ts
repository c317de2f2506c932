// Logs: each template once with its first line, how often and how far it comes; errors and far values as they stand.
import { estimate } from "../../tokens/index.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { isErrorLine } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { outliers, type Template, templatesOf, written } from "./templates.ts";

/** Lines by which a log is recognized, at the start, in the middle and at the end. */
const SNIFFED = 40;
/** Fewer lines are shown better by themselves. */
const FEWEST = 12;
/** Looked at of a line. */
const LOOKED_AT = 300;
/** A time of day, a date or a level in front, or a record of a structured log. */
const STAMPED =
  /^[[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d|\d\d:\d\d:\d\d\b|\d{1,2}[-/ ][A-Z][a-z]{2}[-/ ]\d{4}|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{10}(?:\d{3})?(?:\.\d{1,9})?[\] ]|\s{0,6}\d{1,6}\.\d{6}\])/;
const LEVELLED = /^[[<(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|[VDIWEF]\d{4}|[VDIWEF]\/\w{1,40})[\]>):]?[\s:|-]/;
const STRUCTURED = /^\{.{0,250}"(?:level|severity|lvl|loglevel|log\.level)"\s{0,2}:|^(?:\w{1,20}=\S{1,60} ){0,4}(?:level|lvl|severity)=/i;
const SERVICE = /^\S{1,40} +\| /;
/** Lines that tell of something grave by their level, in whatever way the level is written. */
const GRAVE =
  /(?:\b(?:level|lvl|severity)"?\s{0,2}[=:]\s{0,2}"?(?:err|error|fatal|crit|critical|alert|emerg|panic|[5-6]0)\b|[[<(](?:err|error|fatal|crit|critical|alert|emerg)[\]>)]|^(?:E|F)(?:\d{4} |\/)|\b(?:CRITICAL|SEVERE|EMERGENCY)\b)/i;
const WARNING = /\bwarn(?:ing)?\b|level"?[=:]"?40\b/i;
/** Frames of a trace below a line. */
const FRAME = /^\s+(?:at \S|File "|\.\.\. \d+ more)/;

const FOREIGN = /node_modules|\bnode:|site-packages|\/lib\/python|\bjava\.|\bjdk\.|\bsun\.|<frozen /;
/** Frames below an error among which one of one's own is looked for. */
const FRAMES = 40;
/** Tokens of a line's number and the marks around it. */
const OVERHEAD = 6;

/** Errors are the same when they differ in numbers only; where that makes too many, when this share of their words is equal. */
const SAME = 1;
const ALIKE_ERRORS = 0.75;
const DISTINCT_ERRORS = 12;
/** Of the whole budget, for templates; anchors take the rest. */
const SHARE = 0.5;
/** Lines of far values, templates that come most often, and rare ones. */
const FAR_LINES = 4;
const FREQUENT = 10;
const RARE = 2;

export function log(document: Document): Proposal | undefined {
  if (document.lines.length < FEWEST || !isLog(document.lines)) return undefined;
  return summary("log", document);
}

/** A document by its templates: what is grave, what is far from the rest, what comes most and what comes seldom. */
export function summary(kind: string, { lines, status, budget }: Document): Proposal {
  const frames = framesOf(lines);
  const failed = status === "error";
  const isError = new Uint8Array(lines.length);
  for (let at = 0; at < lines.length; at++) if (!frames.has(at) && isErrorLine((lines[at] as Line).text, failed)) isError[at] = 1;
  const plainOnes = templatesOf(lines, (at) => isError[at] === 0 && !frames.has(at));
  const grave = plainOnes.filter(({ first }) => GRAVE.test(head(lines, first)));
  const errors = [...errorTemplates(lines, isError), ...grave].sort((a, b) => a.first - b.first);
  const required = errors.flatMap((template): readonly Piece[] => [
    { ...piece(template, lines), what: "distinct errors" },
    ...frameBelow(lines, frames, template.first),
  ]);
  const templates = plainOnes.filter((template) => !grave.includes(template));
  const far = outliers(templates, FAR_LINES).map((at) => ({ at, note: "a number here is far from the others like it" }));
  const rest = ordered(templates, lines);
  const { shown, templatesLeft, linesLeft } = fitting(rest, lines, budget * SHARE);
  const preferred: Piece[] = [...far, ...shown];
  const last = lines.length - 1;
  if (frames.size > 0) preferred.push({ at: Math.min(...[...frames].slice(0, 1)), made: `${frames.size} lines of traces left out` });
  if (templatesLeft > 0) preferred.push({ at: last, made: `${templatesLeft} more kinds of lines, ${linesLeft} lines, not shown` });
  return { kind, required, preferred, share: 1, ends: true, fill: false, holds: [] };
}

function isLog(lines: readonly Line[]): boolean {
  if (hasColumns(lines)) return false;
  const middle = Math.floor(lines.length / 2);
  const sample = lines.length <= SNIFFED * 3 ? lines : [...lines.slice(0, SNIFFED), ...lines.slice(middle, middle + SNIFFED), ...lines.slice(-SNIFFED)];
  let marked = 0;
  let counted = 0;
  for (const { text } of sample) {
    if (text.trim() === "" || FRAME.test(text)) continue;
    counted += 1;
    const start = text.slice(0, LOOKED_AT).replace(SERVICE, "");
    if (STAMPED.test(start) || LEVELLED.test(start) || STRUCTURED.test(start)) marked += 1;
  }
  return counted >= 5 && marked * 5 >= counted * 3;
}

function errorTemplates(lines: readonly Line[], isError: Uint8Array): readonly Template[] {
  const strict = templatesOf(lines, (at) => isError[at] === 1, SAME);
  return strict.length <= DISTINCT_ERRORS ? strict : templatesOf(lines, (at) => isError[at] === 1, ALIKE_ERRORS);
}

/** A line of names above lines with as many separators: a table, be its first column a time. */
function hasColumns(lines: readonly Line[]): boolean {
  const [first = "", second = ""] = lines.slice(0, 2).map(({ text }) => text.slice(0, LOOKED_AT));
  if (STAMPED.test(first) || /\d/.test(first)) return false;
  return [",", ";", "\t", "|"].some((sign) => first.split(sign).length >= 3 && first.split(sign).length === second.split(sign).length);
}

/** Indexes of the frames of traces. */
function framesOf(lines: readonly Line[]): ReadonlySet<number> {
  const frames = new Set<number>();
  for (let at = 0; at < lines.length; at++) {
    const { text } = lines[at] as Line;
    const first = text.charCodeAt(0);
    if ((first === 32 || first === 9) && FRAME.test(text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text)) frames.add(at);
  }
  return frames;
}

/** The first frame of one's own below an error. */
function frameBelow(lines: readonly Line[], frames: ReadonlySet<number>, error: number): readonly Piece[] {
  for (let at = error + 1; frames.has(at) && at <= error + FRAMES; at++)
    if (!FOREIGN.test((lines[at] as Line).text.slice(0, LOOKED_AT))) return [{ at, what: "frames" }];
  return [];
}

function head(lines: readonly Line[], at: number): string {
  return (lines[at] as Line).text.slice(0, LOOKED_AT);
}

/** Warnings, then what comes most often, then what is rare, then the rest; each in the order of the text. */
function ordered(templates: readonly Template[], lines: readonly Line[]): readonly Template[] {
  const often = new Set([...templates].sort((a, b) => b.count - a.count).slice(0, FREQUENT));
  const rank = (template: Template) => (WARNING.test(head(lines, template.first)) ? 0 : often.has(template) ? 1 : template.count <= RARE ? 2 : 3);
  return templates
    .map((template) => ({ template, rank: rank(template) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ template }) => template);
}

function piece(template: Template, lines: readonly Line[]): Piece {
  const line = lines[template.first] as Line;
  if (template.count === line.last - line.number + 1) return { at: template.first };
  return { at: template.first, note: `${template.count} lines like this up to line ${template.last}: ${written(template, lines)}` };
}

/** The templates that fit, and what the others stand for. */
function fitting(
  templates: readonly Template[],
  lines: readonly Line[],
  budget: number,
): { readonly shown: readonly Piece[]; readonly templatesLeft: number; readonly linesLeft: number } {
  const shown: Piece[] = [];
  let spent = 0;
  let templatesLeft = 0;
  let linesLeft = 0;
  for (const template of templates) {
    const made = spent < budget ? piece(template, lines) : undefined;
    const cost = made === undefined ? 0 : estimate(`${head(lines, template.first)}\n${made.note ?? ""}`) + OVERHEAD;
    if (made === undefined || spent + cost > budget) {
      templatesLeft += 1;
      linesLeft += template.count;
      continue;
    }
    spent += cost;
    shown.push(made);
  }
  return { shown, templatesLeft, linesLeft };
}
