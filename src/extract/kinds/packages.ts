// Output of package managers and image builds: errors, warnings and totals as they stand, what was installed by name and version, steps counted.
import { estimate } from "../../tokens/index.ts";
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { errorPieces, isErrorLine, template } from "../errors.ts";
import { Marks } from "../marks.ts";
import type { Line } from "../normalise.ts";

const MANAGERS =
  /^(?:npm|pnpm|yarn|bun|pip3?|uv|pipx|poetry|pdm|conda|mamba|cargo|rustup|apt|apt-get|apk|dnf|yum|pacman|brew|gem|bundle|bundler|composer|docker|podman|buildah|docker-compose|go|dotnet|python3?|mix|pod|snap|winget|choco|nix)$/;
const INSTALLS =
  /\b(?:install|i|ci|add|update|upgrade|remove|uninstall|audit|sync|lock|build|fetch|get|mod|up|pull|restore|dist-upgrade|prune|dedupe|require)\b/;
/** Lines by which such output is recognized, at either end. */
const SNIFFED = 60;
/** Looked at of a line. */
const LOOKED_AT = 300;

/** What a manager did with one package: the name and, where the line has one, the version. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/^Setting up (\S+?)(?::\w+)? \(([^)]{1,60})\)/, "set up"],
  [/^Removing (\S+?)(?::\w+)? \(([^)]{1,60})\)/, "removed"],
  [/^ {2,4}Compiling (\S+) v(\S+)/, "compiled"],
  [/^ {0,6}(?:Adding|Locking) (\S+) v(\S+)/, "locked"],
  [/^ {0,4}(?:Updating|Upgrading) (\S+) v(\S+ -> v\S+)/, "updated"],
  [/^ {0,4}Removing (\S+) v(\S+)/, "removed"],
  [/^ \+ ([\w@/.-]+)(?:==|@| )(\S+)/, "added"],
  [/^ - ([\w@/.-]+)(?:==|@| )(\S+)/, "removed"],
  [/^ ~ ([\w@/.-]+)(?:==|@| )(\S+)/, "changed"],
  [/^[+] ([\w@/.-]+)[ @](\d\S*)/, "added"],
  [/^- ([\w@/.-]+)[ @](\d\S*)/, "removed"],
  [/^(?:├─|└─|├──|└──) ([\w@/.-]+)@(\d\S*)/, "added"],
  [/^ {2}- Installing ([\w/.-]+) \((\S+)\)/, "installed"],
  [/^Installing ([\w.-]+) (\d\S*)/, "installed"],
  [/^go: (?:added|upgraded|downgraded) (\S+) (v\S+(?: => v\S+)?)/, "added"],
  [/^==> Pouring (\S+?)--(\d[^\s]*?)\.\w+(?:_\w+)*\.bottle/, "poured"],
];
/** How such a line begins. */
const MAY_CHANGE = /^ {0,6}(?:[-+~] |[├└]─|Setting up|Removing|Compiling|Adding|Locking|Updating|Upgrading|Installing|go: |==> P)/;
/** Lines that count what was done. */
const TOTAL =
  /^(?:added|removed|changed|up to date|audited)\b.{0,120}(?:\d+ packages?|in \d)|^(?:found )?\d+ (?:\w+ severity )?vulnerabilit|^\d+ packages are looking for funding|^Successfully (?:installed|uninstalled|built|tagged)|^(?:Resolved|Prepared|Installed|Uninstalled|Audited|Updated|Checked) \d+ packages?|^\d+ (?:upgraded|packages?)\b|^Packages: [+-]\d|^Progress: resolved \d+.*done|^Done in \d|^\s*Finished `?\w+`? .{0,60}target|^(?:success|info) (?:Saved|Already|Direct)|^✨|^\d+ newly installed|^Need to get|^After this operation|^Bundle complete|^Would (?:install|have)|^naming to |^#\d+ (?:naming to|writing image|exporting)|^Successfully|^🍺|^\s*Locking \d+ packages|^Lockfile |^Already up.to.date/i;
const WARNS = /^(?:npm (?:warn|WARN)|warning\b|warn\b|WARN\b|\s?WARN\s|\[?WARNING\b|W: |DEPRECATION|WARNING:|! |⚠|│?\s*⚠)/i;
/** `#12 [build 3/8] RUN npm ci` and what became of it. */
const STEP = /^#(\d+) (\[[^\]]{1,80}\] .+)$/;
const STEP_END = /^#(\d+) (DONE [\d.]+s|CACHED|ERROR: .+|CANCELED)/;
const OLD_STEP = /^Step \d+\/\d+ : /;
/** Words that tell what a line that is no more than a step does. */
const DOING =
  /^\s{0,12}(?:#\d+ [\d.]+ )?(Collecting|Downloading|Downloaded|Requirement already satisfied|Using cached|Get|Hit|Ign|Selecting previously unselected|Preparing to unpack|Unpacking|Processing triggers|Fetching|Compiling|Checking|Extracting|Verifying|Pulling|Linking|Building|Installing|go: downloading|npm http|Adding|Locking|Fresh|Blocking|Fetched|Cached|Already up-to-date|Waiting|Pull complete|[0-9a-f]{12}: \w+(?: \w+)?)\b/;

/** Of the whole budget, for names and versions of what was installed. */
const FOR_CHANGES = 0.3;
/** Tokens of what stands around the names. */
const OVERHEAD = 12;
/** Kinds of warnings that are offered. */
const WARNINGS = 40;

export function packages(document: Document): Proposal | undefined {
  const { lines, status, budget } = document;
  if (!isPackages(document)) return undefined;
  const failed = status === "error";
  const totals: Piece[] = [];
  const changes = new Map<string, string[]>();
  const doing = new Map<string, number>();
  const told = new Marks(lines.length);
  const errors = new Marks(lines.length);
  const warnings = new Map<string, { readonly at: number; count: number }>();
  const steps = stepsOf(lines);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const text = line.text.length > LOOKED_AT ? line.text.slice(0, LOOKED_AT) : line.text;
    if (text === "") continue;
    const wrong = isErrorLine(text, failed);
    if (wrong || text !== line.text) errors.add(at);
    if (wrong) continue;
    if (TOTAL.test(text)) totals.push({ at, what: "totals" });
    else if (WARNS.test(text)) {
      const key = template(text);
      const warning = warnings.get(key);
      if (warning) warning.count += line.last - line.number + 1;
      else warnings.set(key, { at, count: line.last - line.number + 1 });
    } else if (!changed(text, changes)) {
      const step = DOING.exec(text)?.[1];
      if (step === undefined) continue;
      const name = /^[0-9a-f]{12}: /.test(step) ? `layers: ${step.slice(14)}` : step;
      doing.set(name, (doing.get(name) ?? 0) + line.last - line.number + 1);
      told.add(at);
    } else told.add(at);
  }
  const required: Piece[] = [...steps.failed, ...errorPieces(lines, failed, (at) => !errors.has(at)), ...totals.slice(-12)];
  const preferred: Piece[] = [
    ...[...warnings.values()].slice(0, WARNINGS).map(({ at, count }) => ({ at, ...(count > 1 && { note: `${count} warnings like this` }) })),
    ...steps.shown,
    ...made(lines, changes, doing, budget * FOR_CHANGES),
  ];
  return { kind: "packages", required, preferred, share: 1, ends: true, fill: true, told, lines: 0.5 };
}

function isPackages({ lines, command }: Document): boolean {
  const asked = programs(command).some(({ name, args }) => MANAGERS.test(name) && INSTALLS.test(args.slice(0, 4).join(" ")));
  const sample = lines.length <= SNIFFED * 2 ? lines : [...lines.slice(0, SNIFFED), ...lines.slice(-SNIFFED)];
  let marks = 0;
  let totals = 0;
  let filled = 0;
  const changes = new Map<string, string[]>();
  for (const { text: whole } of sample) {
    const text = whole.slice(0, LOOKED_AT);
    if (text.trim() === "") continue;
    filled += 1;
    if (TOTAL.test(text)) totals += 1;
    else if (STEP.test(text) || STEP_END.test(text) || OLD_STEP.test(text) || changed(text, changes) || DOING.test(text)) marks += 1;
  }
  if (asked) return totals > 0 || marks >= 3;
  return (totals > 0 && marks >= 2 && (marks + totals) * 2 >= filled) || (marks >= 6 && marks * 4 >= filled * 3);
}

/** Notes what a line says was done with a package; false where it says nothing of the kind. */
function changed(text: string, changes: Map<string, string[]>): boolean {
  if (!MAY_CHANGE.test(text)) return false;
  for (const [pattern, verb] of CHANGES) {
    const match = pattern.exec(text);
    if (!match) continue;
    const name = `${match[1]} ${match[2]}`;
    const names = changes.get(verb);
    if (names) names.push(name);
    else changes.set(verb, [name]);
    return true;
  }
  return false;
}

/** Lines of ours: what was done with which packages, as many as fit, and how often each step came. */
function made(lines: readonly Line[], changes: ReadonlyMap<string, readonly string[]>, doing: ReadonlyMap<string, number>, budget: number): readonly Piece[] {
  const at = Math.max(0, lines.length - 1);
  const pieces: Piece[] = [];
  let left = budget - OVERHEAD;
  for (const [verb, names] of changes) {
    const shown: string[] = [];
    for (const name of names) {
      left -= estimate(name) + 1;
      if (left < 0) break;
      shown.push(name);
    }
    const more = names.length - shown.length;
    pieces.push({
      at,
      made: `${names.length} ${verb}${shown.length > 0 ? `: ${shown.join(", ")}` : ""}${more > 0 ? `${shown.length > 0 ? ", " : ": "}${more} not named` : ""}`,
    });
  }
  const counts = [...doing].filter(([, count]) => count > 1).map(([step, count]) => `${step} ${count}×`);
  if (counts.length > 0) pieces.push({ at, made: `lines of steps: ${counts.join(", ")}` });
  return pieces;
}

/** The steps of an image build with what became of each; those that failed with the lines they wrote last. */
function stepsOf(lines: readonly Line[]): { readonly failed: readonly Piece[]; readonly shown: readonly Piece[] } {
  const steps = new Map<string, { readonly at: number; end: string }>();
  const shown: Piece[] = [];
  const written = new Map<string, number[]>();
  for (let at = 0; at < lines.length; at++) {
    const { text } = lines[at] as Line;
    const first = text.charCodeAt(0);
    if (first === 83 && OLD_STEP.test(text)) shown.push({ at });
    if (first !== 35) continue;
    const head = text.slice(0, LOOKED_AT);
    const step = STEP.exec(head);
    const end = STEP_END.exec(head);
    const known = steps.get(step?.[1] ?? end?.[1] ?? "");
    if (step && !known) steps.set(step[1] as string, { at, end: "" });
    else if (end && known) known.end = end[2] as string;
    else {
      const number = /^#(\d+) /.exec(head)?.[1];
      if (number === undefined) continue;
      const own = written.get(number) ?? [];
      own.push(at);
      if (own.length > LAST_LINES) own.shift();
      written.set(number, own);
    }
  }
  const failed: Piece[] = [];
  for (const [number, { at, end }] of steps) {
    if (!end.startsWith("ERROR")) {
      shown.push({ at, ...(end !== "" && { note: end }) });
      continue;
    }
    failed.push({ at, note: end, what: "failed steps" }, ...(written.get(number) ?? []).map((own) => ({ at: own, what: "lines of failed steps" })));
  }
  return { failed, shown };
}

/** Lines of a failed step that are offered. */
const LAST_LINES = 12;
