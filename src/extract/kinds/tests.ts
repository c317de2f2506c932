// Output of test runners: totals and every failing test as they stand, what passed left out.
import { programs } from "../command.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { Marks } from "../marks.ts";
import type { Line } from "../normalise.ts";

/** Characters of a line that tell what it is. */
const LOOKED_AT = 300;
/** Lines at either end by which a document is recognized. */
const SNIFFED = 60;
/** Lines of one failure that are offered. */
const BLOCK = 40;
/** Of these, the ones that are offered before any failure's others. */
const KEY_LINES = 5;

/** How runners name a failing test, one style to a line: where a document has several, the first found here counts. */
const FAILURES: readonly RegExp[] = [
  /^\s{0,4}● (?!Console\b|Test suite failed)\S.*$/,
  /^\s*FAIL\s+\S.* > \S/,
  /^(?:FAILED|ERROR) \S+(?:::| - |\.py\b)/,
  /^\s*not ok \d+(?!.*# (?:TODO|SKIP)\b)/,
  /^\s*--- FAIL: /,
  /^test \S.* \.\.\. FAILED$/,
  /^(?:FAIL|ERROR): \w+ \(/,
  /^\(fail\) /,
  /^\s*[✖✗✕×] \S/,
  /^\s{1,12}\d+\) \S/,
];
const ANY_FAILURE = new RegExp(FAILURES.map(({ source }) => source).join("|"));
/** Opens what is told of a failure. */
const OPENING =
  /^_{3,} .{1,200} _{3,}$|^---- .{1,200} ----$|^\s*● |^\s*FAIL\s+\S|^thread '.{1,100}' panicked at|^panic: |^=== ?FAIL|^\s{1,4}\d+\) \S|^error(?:\[E\d+\])?: /;
const TOTAL = new RegExp(
  [
    /^# (?:tests|suites|pass|fail|cancelled|skipped|todo)\b|^1\.\.\d+/,
    /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo) \d/,
    /^(?:Test Suites|Tests|Snapshots): /,
    /^\s*(?:Test Files|Tests|Type Errors|Errors|Unhandled Errors) {2}\S/,
    /^No test files found|^no tests ran/,
    /^=+ .*\b(?:passed|failed|errors?|skipped|deselected|no tests ran)\b.*=+$|^\d+ (?:passed|failed|skipped|errors?)\b.* in [\d.]+s|^collected \d+ items?/,
    /^(?:PASS|FAIL)$|^FAIL\t\S/,
    /^test result: |^running \d+ tests?$/,
    /^Ran \d+ tests? |^(?:OK|FAILED)(?: \(.{1,100}\))?$/,
    /^\s*\d+ (?:passing|failing|pending)\b|^\s*\d+ (?:pass|fail)$/,
    /^(?:\[\w+\] )?Tests run: \d+/,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
);
const SUITE =
  /^\?\s+\S+\s+\[no test files\]|^\s*(?:PASS|FAIL)\s+\S|^\s*[✓✔√❯] \S+\.\w+.*\(\d+ tests?|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^\S+\.py [.FEsxX]+|^\s*Running .{1,200} \(target/;
const PASSED = /^\s*ok \d+|^\s*[✓✔√] |^\s*--- PASS: |\.\.\. ok$| PASSED\b|^\s*=== (?:RUN|PAUSE|CONT|NAME)|^# Subtest: |^\(pass\) /;
/** By far the most lines of a long run: they match no other pattern here. */
const TAP_PASSED = /^ok \d+ - /;
/** In a failure's block: what was expected, what came, where. */
const KEY = /^E {2,}|^>|expected|received|actual|assert|error|panicked|left:|right:|want|\bgot\b|!==|\b\w+\.\w{1,4}:\d+|^\s*[-+] \S|→/i;

const RUNNER = /^(?:vitest|jest|mocha|ava|tap|pytest|py\.test|tox|nose2|ctest|rspec|phpunit|playwright|cypress)$/;
const RUNS = /\b(?:test|tests|vitest|jest|pytest|unittest|e2e|spec)\b/;
const BUILDERS = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "go",
  "cargo",
  "make",
  "mise",
  "just",
  "gradle",
  "gradlew",
  "mvn",
  "dotnet",
  "deno",
  "node",
  "python",
  "python3",
  "uv",
  "bundle",
  "rake",
  "swift",
]);

export function tests(document: Document): Proposal | undefined {
  const { lines } = document;
  if (!isTests(document)) return undefined;
  const style = styleOf(lines);
  const totals: Piece[] = [];
  const names: Piece[] = [];
  const keys: Piece[] = [];
  const rest: Piece[] = [];
  const suites: Piece[] = [];
  const told = new Set<string>();
  const passed = new Marks(lines.length);
  let inBlock = 0;
  let keyLines = 0;
  for (let at = 0; at < lines.length; at++) {
    const text = head((lines[at] as Line).text);
    if (TAP_PASSED.test(text)) {
      passed.add(at);
      inBlock = 0;
    } else if (style?.test(text)) {
      const name = nameOf(text);
      if (!told.has(name)) names.push({ at, what: "failing tests" });
      told.add(name);
      inBlock = BLOCK;
      keyLines = KEY_LINES;
    } else if (OPENING.test(text)) {
      keys.push({ at, what: "lines about failures" });
      inBlock = BLOCK;
      keyLines = KEY_LINES;
    } else if (TOTAL.test(text)) {
      totals.push({ at, what: "totals" });
      inBlock = 0;
    } else if (SUITE.test(text)) {
      suites.push({ at });
      inBlock = 0;
    } else if (PASSED.test(text)) {
      passed.add(at);
      inBlock = 0;
    } else if (inBlock > 0 && text.trim() !== "") {
      inBlock -= 1;
      const key = keyLines > 0 && KEY.test(text);
      if (key) keyLines -= 1;
      (key ? keys : rest).push({ at, what: "lines about failures" });
    }
  }
  const required = [...totals.slice(-12), ...names, ...keys, ...rest];
  return {
    kind: "tests",
    required,
    preferred: [...totals.slice(0, -12), ...suites],
    share: 1,
    ends: true,
    fill: names.length > 0 || document.status === "error",
    told: passed,
  };
}

/** The first style that any line is written in. */
function styleOf(lines: readonly Line[]): RegExp | undefined {
  let first = FAILURES.length;
  for (const { text: whole } of lines) {
    const text = head(whole);
    if (!ANY_FAILURE.test(text)) continue;
    // Only a style before the first one so far would change it.
    const own = FAILURES.findIndex((pattern, at) => at < first && pattern.test(text));
    if (own >= 0) first = own;
    if (first === 0) break;
  }
  return FAILURES[first];
}

function head(text: string): string {
  return text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
}

/** A failing test's name without its mark and time; numbered ones are told apart by their number. */
function nameOf(text: string): string {
  return text.replace(/ \(?\d+(?:\.\d+)?(?: ?ms|s)\)?$/, "").trim();
}

function isTests({ lines, command, tool }: Document): boolean {
  const asked = programs(command).some(({ name, args }) => RUNNER.test(name) || (BUILDERS.has(name) && RUNS.test(args.join(" ")))) || RUNS.test(tool);
  const edges = lines.length <= SNIFFED * 2 ? lines : [...lines.slice(0, SNIFFED), ...lines.slice(-SNIFFED)];
  let totals = 0;
  let marks = 0;
  for (const { text } of edges) {
    const start = head(text);
    if (TOTAL.test(start)) totals += 1;
    else if (SUITE.test(start) || PASSED.test(start) || FAILURES.some((pattern) => pattern.test(start))) marks += 1;
  }
  return asked ? totals > 0 || marks > 2 : totals > 0 && totals + marks > 2 && (totals + marks) * 5 > Math.min(edges.length, 20);
}
