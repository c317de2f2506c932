// What is kept of test runners' output: totals and failures as they stand.
import { describe, expect, test } from "vitest";
import { estimate } from "../../tokens/index.ts";
import { extract } from "../index.ts";

function run(command: string, lines: readonly string[], status: "ok" | "error" = "error"): string {
  const extracted = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status });
  expect(extracted.kind).toBe("tests");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

function many(count: number, line: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => line(at));
}

/** Line of the output, name of the runner, what must be shown of it. */
const RUNS: readonly {
  readonly runner: string;
  readonly command: string;
  readonly lines: readonly string[];
  readonly shown: readonly string[];
  readonly hidden: string;
}[] = [
  {
    runner: "TAP",
    command: "node --test",
    lines: [
      "TAP version 13",
      ...many(60, (at) => `ok ${at + 1} - passes number ${at}`),
      "not ok 61 - divides by zero",
      "  ---",
      "  error: 'Expected values to be strictly equal'",
      "  expected: 1",
      "  actual: Infinity",
      "  ...",
      "not ok 62 - is still open # TODO later",
      "1..62",
      "# tests 62",
      "# pass 60",
      "# fail 1",
      "# todo 1",
    ],
    shown: ["62| not ok 61 - divides by zero", "65|   expected: 1", "66|   actual: Infinity", "70| # tests 62", "71| # pass 60", "72| # fail 1"],
    hidden: "passes number 30",
  },
  {
    runner: "vitest",
    command: "npx vitest run",
    lines: [
      " RUN  v3.2.4 /code/app",
      "",
      ...many(40, (at) => ` ✓ src/part${at}.test.ts (3 tests) 4ms`),
      " ❯ src/sum.test.ts (2 tests | 1 failed) 9ms",
      "   × sum > adds negative numbers 5ms",
      "     → expected 3 to be -1 // Object.is equality",
      "",
      "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯",
      "",
      " FAIL  src/sum.test.ts > sum > adds negative numbers",
      "AssertionError: expected 3 to be -1 // Object.is equality",
      " ❯ src/sum.test.ts:9:22",
      "",
      " Test Files  1 failed | 40 passed (41)",
      "      Tests  1 failed | 121 passed (122)",
      "   Start at  10:04:12",
      "   Duration  1.21s",
    ],
    shown: [
      "49|  FAIL  src/sum.test.ts > sum > adds negative numbers",
      "50| AssertionError: expected 3 to be -1 // Object.is equality",
      "51|  ❯ src/sum.test.ts:9:22",
      "53|  Test Files  1 failed | 40 passed (41)",
      "54|       Tests  1 failed | 121 passed (122)",
    ],
    hidden: "part39.test.ts (3 tests)",
  },
  {
    runner: "jest",
    command: "npm test",
    lines: [
      ...many(50, (at) => `PASS packages/app/src/module${at}/index.test.js`),
      "FAIL packages/app/src/cart.test.js",
      "  ● cart › removes an item",
      "",
      "    expect(received).toBe(expected) // Object.is equality",
      "",
      "    Expected: 0",
      "    Received: 1",
      "",
      "      at Object.<anonymous> (packages/app/src/cart.test.js:14:24)",
      "",
      "Test Suites: 1 failed, 50 passed, 51 total",
      "Tests:       1 failed, 200 passed, 201 total",
      "Snapshots:   0 total",
      "Time:        3.1 s",
    ],
    shown: [
      "52|   ● cart › removes an item",
      "56|     Expected: 0",
      "57|     Received: 1",
      "61| Test Suites: 1 failed, 50 passed, 51 total",
      "62| Tests:       1 failed, 200 passed, 201 total",
    ],
    hidden: "module49/",
  },
  {
    runner: "pytest",
    command: "python -m pytest",
    lines: [
      "============================= test session starts ==============================",
      "collected 83 items",
      "",
      ...many(40, (at) => `tests/test_part${at}.py ..                                                     [ ${at}%]`),
      "=================================== FAILURES ===================================",
      "_________________________________ test_rounds __________________________________",
      "",
      "    def test_rounds():",
      ">       assert round_half(2.5) == 3",
      "E       assert 2 == 3",
      "E        +  where 2 = round_half(2.5)",
      "",
      "tests/test_money.py:11: AssertionError",
      "=========================== short test summary info ============================",
      "FAILED tests/test_money.py::test_rounds - assert 2 == 3",
      "========================= 1 failed, 82 passed in 0.41s =========================",
    ],
    shown: [
      "2| collected 83 items",
      "49| E       assert 2 == 3",
      "52| tests/test_money.py:11: AssertionError",
      "54| FAILED tests/test_money.py::test_rounds - assert 2 == 3",
      "55| ========================= 1 failed, 82 passed in 0.41s =========================",
    ],
    hidden: "tests/test_part39.py ..",
  },
  {
    runner: "go test",
    command: "cd app && go test ./... -v",
    lines: [
      ...many(40, (at) => `=== RUN   TestPart${at}\n--- PASS: TestPart${at} (0.00s)`)
        .join("\n")
        .split("\n"),
      "=== RUN   TestParse",
      '    parse_test.go:31: Parse("x") = 0, want 4',
      "--- FAIL: TestParse (0.01s)",
      '    parse_test.go:33: trailing text "y" was lost',
      "FAIL",
      "FAIL\texample.org/app/parse\t0.214s",
      "ok  \texample.org/app/store\t0.101s",
      "FAIL",
    ],
    shown: ["83| --- FAIL: TestParse (0.01s)", '84|     parse_test.go:33: trailing text "y" was lost', "86| FAIL\texample.org/app/parse\t0.214s", "88| FAIL"],
    hidden: "--- PASS: TestPart20",
  },
  {
    runner: "cargo test",
    command: "cargo test --workspace",
    lines: [
      "   Compiling store v0.1.0 (/code/store)",
      "running 62 tests",
      ...many(60, (at) => `test part::number_${at} ... ok`),
      "test codec::decodes_empty ... FAILED",
      "test codec::decodes_long ... FAILED",
      "",
      "failures:",
      "",
      "---- codec::decodes_empty stdout ----",
      "thread 'codec::decodes_empty' panicked at src/codec.rs:88:9:",
      "assertion `left == right` failed",
      "  left: 0",
      " right: 1",
      "",
      "test result: FAILED. 60 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
    ],
    shown: [
      "2| running 62 tests",
      "63| test codec::decodes_empty ... FAILED",
      "64| test codec::decodes_long ... FAILED",
      "69| thread 'codec::decodes_empty' panicked at src/codec.rs:88:9:",
      "71|   left: 0",
      "72|  right: 1",
      "74| test result: FAILED. 60 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s",
    ],
    hidden: "test part::number_30",
  },
];

describe("test output", () => {
  for (const { runner, command, lines, shown, hidden } of RUNS)
    test(`${runner}: totals, failing tests and why, as they stand`, () => {
      const text = run(command, lines);
      for (const line of shown) expect(text.split("\n")).toContain(line);
      expect(text).not.toContain(hidden);
    });

  test("is recognized without its command", () => {
    for (const { lines } of RUNS) expect(extract({ tool: "mcp__ci__log", text: lines.join("\n"), status: "ok" }).kind).toBe("tests");
  });

  test("keeps the totals of a run in which all passed, and says nothing that the runner did not", () => {
    const lines = [...many(80, (at) => `ok ${at + 1} - passes number ${at}`), "1..80", "# tests 80", "# pass 80", "# fail 0"];
    const text = run("npm test", lines, "ok");
    for (const line of ["82| # tests 80", "83| # pass 80", "84| # fail 0"]) expect(text.split("\n")).toContain(line);
    expect(text.toLowerCase()).not.toContain("no test");
    expect(estimate(text)).toBeLessThan(estimate(lines.join("\n")) / 4);
  });

  test("names every failing test that fits and counts the others exactly", () => {
    const lines = [
      ...many(150, (at) => `not ok ${at + 1} - fails in its own way, which is case_${at}_of_many`),
      "1..150",
      "# tests 150",
      "# pass 0",
      "# fail 150",
    ];
    const text = run("node --test", lines);
    const named = text.split("\n").filter((line) => /\| not ok/.test(line)).length;
    const left = Number(/(\d+) more failing tests/.exec(text)?.[1]);
    expect(named).toBeGreaterThan(10);
    expect(named + left).toBe(150);
    expect(text).toContain("| # fail 150");
  });

  test("a failing test that is told of twice is named once", () => {
    const block = ["  ● cart › adds", "", "    Expected: 1", "    Received: 2", ""];
    const lines = [
      ...many(40, (at) => `PASS src/module${at}.test.js`),
      "FAIL src/cart.test.js",
      ...block,
      "Summary of all failing tests",
      ...block,
      "Test Suites: 1 failed, 40 passed, 41 total",
      "Tests:       1 failed, 90 passed, 91 total",
    ];
    const text = run("npx jest", lines);
    expect(text.match(/● cart › adds/g)).toHaveLength(1);
  });
});

test("lines of tests that passed do not fill up what is left, whatever names they hold", () => {
  const lines = [
    ...many(300, (at) => (at === 200 ? "not ok 201 - splitRange returns 4" : `ok ${at + 1} - readHeader${at} of parse_${at}`)),
    "1..300",
    "# fail 1",
  ];
  const shown = run("npm test", lines)
    .split("\n")
    .filter((line) => /^\d+\| /.test(line));
  expect(shown).toEqual([`1| ${lines[0]}`, "201| not ok 201 - splitRange returns 4", "301| 1..300", "302| # fail 1"]);
});
