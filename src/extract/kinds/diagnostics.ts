// Output of compilers, type checkers and linters: each distinct message with its count and places, totals as they stand.
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces, template } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { arrowOf, type Diagnostic, diagnosticOf } from "./diagnostic.ts";
import { isSearch } from "./grep.ts";
import { isBarePath } from "./hits.ts";

/** Lines by which such output is recognized, at the start and at the end. */
const SNIFFED = 80;
const FIRST = 8;
/** Lines below a message in which its place is looked for. */
const BELOW = 4;
/** Places named of messages that are alike: of each group, and of all together. */
const PLACES = 12;
const ALL_PLACES = 20;
/** Messages of one group that are kept to be shown beside its first. */
const OTHERS = 200;
/** Messages from which on it is said where they come from; files and rules named. */
const MANY = 10;
const FILES = 6;
const RULES = 12;
/** Looked at of a line that may be a total. */
const LOOKED_AT = 300;

const TOTAL = new RegExp(
  [
    /^Found \d+ (?:\w+ )?(?:errors?|warnings?|problems?|issues?|diagnostics?|infos?)\b|^Found \d+ error/,
    /^\s*✖ \d+ problems?|^\s*\d+ errors? and \d+ warnings? potentially fixable/,
    /^\s*\d+ (?:errors?|warnings?|problems?|issues?)\b.{0,80}$/,
    /^(?:error|warning): (?:could not compile|aborting due to|\d+ warnings? emitted|build failed|`[^`]{1,100}` \(.{1,100}\) generated)/,
    /^\s*\d+ (?:Warning|Error)\(s\)|^Build (?:FAILED|succeeded|failed)|^BUILD (?:SUCCESS|FAIL)/,
    /^Checked \d+ (?:source )?files?|^Success: no issues|^All checks passed|^Your code has been rated|^The number of diagnostics exceeds/,
    /^(?:g?make|gmake)(?:\[\d+\])?: \*\*\*|^ninja: build stopped|^FAILED: |^FAILURE: |^\s*Finished .{1,60}target|^For more information about/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
/** Source text that a message quotes, and what a script runner says about where it ran, below its error. */
const SURROUNDING = /^\s*>?\s*\d{0,7}\s*[│|]|^npm (?:error|ERR!) (?:path|workspace|location|in workspace|at location|command sh|A complete log|\s*$)/;
const COMPILER =
  /^(?:tsc|tsgo|vue-tsc|eslint|oxlint|biome|stylelint|prettier|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|clang-tidy|rustc|javac|kotlinc|scalac|mypy|pyright|basedpyright|ruff|pylint|flake8|pycodestyle|shellcheck|rubocop|golangci-lint|staticcheck|swiftc|ghc|nim|zig|svelte-check|astro|ld|make|cmake|ninja|bazel|msbuild|xcodebuild)$/;
const BUILDS = /\b(?:build|check|clippy|vet|lint|typecheck|type-check|types|tsc|compile|eslint|run)\b/;
const BUILDERS = /^(?:npm|pnpm|yarn|bun|bunx|deno|cargo|go|mvn|mvnw|gradle|gradlew|dotnet|swift|node|python3?|uv|poetry|just|task|mage|pre-commit|next|vite)$/;

interface Found extends Diagnostic {
  readonly at: number;
  /** Index of the line that gives the place or the message, where it is another. */
  readonly placeAt: number;
}

/** Messages that differ in names and places only. */
interface Group {
  readonly first: Found;
  count: number;
  /** Others, in the order of the text, as many as could be shown. */
  readonly others: Found[];
}

/** What a document holds. */
interface Collected {
  messages: number;
  /** Messages with a place or a rule. */
  placed: number;
  /** Of these, those that are more than a note. */
  grave: number;
  readonly groups: Map<string, Group>;
  readonly bySeverity: Map<string, number>;
  readonly byRule: Map<string, number>;
  readonly byFile: Map<string, number>;
  readonly totals: number[];
  /** Which lines are accounted for. */
  readonly told: Uint8Array;
}

export function diagnostics(document: Document): Proposal | undefined {
  const { lines, status } = document;
  if (isSearch(document) || !isDiagnostics(document)) return undefined;
  const collected = collect(lines);
  if (collected.messages === 0) return undefined;
  const groups = [...collected.groups.values()];
  const of = (severity: Diagnostic["severity"]) => groups.filter(({ first }) => first.severity === severity);
  const often = (a: Group, b: Group) => b.count - a.count || a.first.at - b.first.at;
  const errors = of("error");
  const top = (groups[0] as Group).first.at;
  const most = Math.max(2, Math.min(PLACES, Math.floor(ALL_PLACES / Math.max(1, errors.length))));
  const required: Piece[] = [
    ...collected.totals.slice(-8).map((at) => ({ at, what: "totals" })),
    ...(collected.messages > 1 ? [{ at: top, made: counts(collected) }] : []),
    ...errors.flatMap((group) => pieces(group, "distinct errors")),
    ...errorPieces(lines, status === "error", (at) => collected.told[at] === 1),
    ...errors.flatMap((group) => elsewhere(group, most)),
    ...(collected.messages >= MANY ? [{ at: top, made: where(collected) }] : []),
  ];
  const preferred: Piece[] = [
    ...of("warning")
      .sort(often)
      .flatMap((group) => pieces(group)),
    ...rest(lines, errors),
    ...of("note")
      .sort(often)
      .flatMap((group) => pieces(group)),
  ];
  return { kind: "diagnostics", required, preferred, share: 0.7, ends: true, fill: errors.length > 0 || status === "error" };
}

/** The errors that are like others, once each, in the order of the text. */
function rest(lines: readonly Line[], errors: readonly Group[]): readonly Piece[] {
  const seen = new Set(errors.map(({ first }) => (lines[first.at] as Line).text));
  const left: Piece[] = [];
  for (const { at } of errors.flatMap((group) => group.others).sort((a, b) => a.at - b.at)) {
    const { text } = lines[at] as Line;
    if (!seen.has(text)) left.push({ at });
    seen.add(text);
  }
  return left;
}

function isDiagnostics({ lines, command, tool }: Document): boolean {
  const asked =
    /lint|diagnostic|typecheck|compile/.test(tool) ||
    programs(command).some(({ name, args }) => COMPILER.test(name) || (BUILDERS.test(name) && BUILDS.test(args.join(" "))));
  const sample = lines.length <= SNIFFED * 2 ? lines : [...lines.slice(0, SNIFFED), ...lines.slice(-SNIFFED)];
  // Where it was asked for, one message is enough, and mostly one of the first lines is it.
  if (asked && collect(sample.slice(0, FIRST)).placed > 0) return true;
  const { placed, grave, totals } = collect(sample);
  if (asked) return placed > 0;
  const filled = sample.filter(({ text }) => text.trim() !== "").length;
  return grave >= 2 && (totals.length > 0 || grave * 5 >= filled);
}

function collect(lines: readonly Line[]): Collected {
  const collected: Collected = {
    messages: 0,
    placed: 0,
    grave: 0,
    groups: new Map(),
    bySeverity: new Map(),
    byRule: new Map(),
    byFile: new Map(),
    totals: [],
    told: new Uint8Array(lines.length),
  };
  let heading = "";
  for (let at = 0; at < lines.length; at++) {
    const { text } = lines[at] as Line;
    if (text === "") continue;
    if (text.length < LOOKED_AT && TOTAL.test(text)) {
      collected.totals.push(at);
      collected.told[at] = 1;
      continue;
    }
    const diagnostic = diagnosticOf(text, heading);
    if (diagnostic !== undefined) add(collected, diagnostic, lines, at);
    else if (SURROUNDING.test(text)) collected.told[at] = 1;
    else if (isBarePath(text)) heading = text;
  }
  return collected;
}

function add(collected: Collected, diagnostic: Diagnostic, lines: readonly Line[], at: number): void {
  const below = diagnostic.path === "" ? placeBelow(lines, at) : diagnostic.message === "" ? messageBelow(lines, at) : undefined;
  const found: Found = below === undefined ? placed(diagnostic, at) : { ...diagnostic, ...below, at, placeAt: below.placeAt ?? at };
  const { number, last } = lines[at] as Line;
  const times = last - number + 1;
  collected.told[at] = 1;
  collected.told[found.placeAt] = 1;
  collected.messages += times;
  if (found.path !== "" || found.code !== "") {
    collected.placed += 1;
    if (found.severity !== "note") collected.grave += 1;
  }
  increase(collected.bySeverity, found.severity, times);
  if (found.code !== "") increase(collected.byRule, found.code, times);
  if (found.path !== "") increase(collected.byFile, found.path, times);
  const key = `${found.severity}\n${found.code}\n${template(found.message)}`;
  const group = collected.groups.get(key);
  if (!group) {
    collected.groups.set(key, { first: found, count: times, others: [] });
    return;
  }
  group.count += times;
  if (group.others.length < OTHERS) group.others.push(found);
}

/** A message that stands on one line with its place. */
function placed({ path, place, severity, code, message }: Diagnostic, at: number): Found {
  return { path, place, severity, code, message, at, placeAt: at };
}

function increase(counts: Map<string, number>, word: string, times: number): void {
  counts.set(word, (counts.get(word) ?? 0) + times);
}

/** Biome writes its message below the place. */
function messageBelow(lines: readonly Line[], at: number): Partial<Found> | undefined {
  for (let next = at + 1; next <= at + BELOW && next < lines.length; next++) {
    const text = (lines[next] as Line).text.slice(0, LOOKED_AT).trim();
    if (/^[×✖!ℹi] /.test(text)) return { message: text, placeAt: next, severity: text.startsWith("!") ? "warning" : "error" };
  }
  return undefined;
}

function placeBelow(lines: readonly Line[], at: number): Partial<Found> | undefined {
  for (let next = at + 1; next <= at + BELOW && next < lines.length; next++) {
    const arrow = arrowOf((lines[next] as Line).text);
    if (arrow) return { ...arrow, placeAt: next };
  }
  return undefined;
}

/** The first of a group, with how many there are. */
function pieces({ first, count }: Group, what?: string): readonly Piece[] {
  const main: Piece = { at: first.at, ...(what !== undefined && { what }), ...(count > 1 && { note: `${count} like this` }) };
  if (first.placeAt === first.at) return [main];
  return [main, { at: first.placeAt, ...(what !== undefined && { what: "lines of errors" }) }];
}

/** Where the others of a group are. */
function elsewhere({ first, others }: Group, most: number): readonly Piece[] {
  const text = places(first, others, most);
  return text === "" ? [] : [{ at: first.at, note: `also ${text}` }];
}

/** `src/a.ts:12:5, 14:3, src/b.ts:3:1`: each place once, each path once where its places follow each other. */
function places(first: Found, found: readonly Found[], most: number): string {
  const parts: string[] = [];
  const seen = new Set([`${first.path}:${first.place}`]);
  let before = "";
  for (const { path, place } of found) {
    const whole = `${path}:${place}`;
    if (place === "" || seen.has(whole)) continue;
    seen.add(whole);
    if (parts.length === most) return `${parts.join(", ")}, …`;
    parts.push(path === before ? place : whole);
    before = path;
  }
  return parts.join(", ");
}

function counts({ bySeverity }: Collected): string {
  return `messages: ${[...bySeverity].map(([severity, count]) => `${count} ${severity}${count === 1 ? "" : "s"}`).join(", ")}`;
}

/** The rules and files that messages come from most. */
function where({ byRule, byFile }: Collected): string {
  const rules = byRule.size > 0 ? [`by rule: ${named(byRule, RULES)}`] : [];
  const files = byFile.size > 0 ? [`in ${byFile.size} ${byFile.size === 1 ? "file" : "files"}: ${named(byFile, FILES)}`] : [];
  return [...rules, ...files].join("\n");
}

/** What comes most often first, and how much more there is. */
function named(counts: ReadonlyMap<string, number>, most: number): string {
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, most).map(([word, count]) => `${word} ${count}×`);
  return [...shown, ...(sorted.length > most ? [`${sorted.length - most} more`] : [])].join(", ");
}
