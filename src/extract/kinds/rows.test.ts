// Tables in text: rows verbatim by their line numbers, which of them first, what the columns hold.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { columnNotes, profile, rowsByWeight, wholeTable, wrongRows } from "./table.ts";

function table(lines: readonly string[], args: unknown = { command: "./report" }, tool = "bash", budget = 220): string {
  const extracted = extract({ tool, args, text: lines.join("\n"), status: "ok" }, { budget });
  expect(extracted.kind).toBe("table");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

const PODS = [
  "NAMESPACE     NAME                    READY   STATUS             RESTARTS      AGE",
  ...Array.from({ length: 40 }, (_, at) =>
    [
      "default".padEnd(14),
      `api-7d9f8b6c5-x${at}`.padEnd(24),
      (at === 12 ? "0/1" : "1/1").padEnd(8),
      (at === 12 ? "CrashLoopBackOff" : "Running").padEnd(19),
      (at === 12 ? "57 (2m ago)" : "0").padEnd(14),
      `${at}d`,
    ].join(""),
  ),
];
const CSV = [
  "id,name,price,status",
  ...Array.from({ length: 300 }, (_, at) => `${at},"item ${at}, blue",${at === 200 ? 99999.5 : at % 10},${at === 150 ? "failed" : "ok"}`),
];

describe("a table", () => {
  test("aligned by blanks keeps its heading, the wrong row and both ends, and says what the columns hold", () => {
    const shown = table(PODS, { command: "kubectl get pods -A" }, "bash", 400).split("\n");
    for (const at of [1, 2, 14, 41]) expect(shown).toContain(`${at}| ${PODS[at - 1]?.trimEnd()}`);
    expect(shown[1]).toContain("40 rows; READY: 1/1 ×39, 0/1 ×1; STATUS: Running ×39, CrashLoopBackOff ×1");
  });

  test("with empty cells is read by the heading's columns", () => {
    const head = "CONTAINER ID   IMAGE           STATUS                     PORTS                    NAMES";
    const rows = Array.from({ length: 16 }, (_, at) =>
      [
        `abc12${at}`.padEnd(15),
        "postgres:16".padEnd(16),
        (at === 5 ? "Exited (137) 2 days ago" : "Up 3 days").padEnd(27),
        (at === 5 ? "" : `0.0.0.0:54${at}->5432/tcp`).padEnd(25),
        `db-${at}`,
      ].join(""),
    );
    const shown = table([head, ...rows], { command: "docker ps -a" });
    expect(shown).toContain(`7| ${rows[5]}`);
    expect(shown).toContain("STATUS: Up 3 days ×15, Exited (137) 2 days ago ×1");
  });

  test("of values separated by commas, quoted ones too, keeps outliers and failures", () => {
    const shown = table(CSV).split("\n");
    for (const at of [1, 2, 152, 202, 301]) expect(shown).toContain(`${at}| ${CSV[at - 1]}`);
    expect(shown[1]).toContain("status: ok ×299, failed ×1");
    expect(shown[1]).toMatch(/price: 0 to 99999\.5, mean \d/);
  });

  test("that a reader numbered keeps the file's numbers", () => {
    const shown = table(
      CSV.map((line, at) => `${String(at + 1).padStart(6)}→${line}`),
      { file_path: "/data/items.csv" },
      "Read",
    ).split("\n");
    expect(shown[0]).toBe("1→id,name,price,status");
    expect(shown).toContain(`152→${CSV[151]}`);
  });

  test.each([
    ["tabs", CSV.map((line) => line.replace(", blue", "").replaceAll(",", "\t"))],
    [
      "Markdown",
      [
        "| key | value | state |",
        "|-----|-------|:-----:|",
        ...Array.from({ length: 60 }, (_, at) => `| key_${at} | ${at * at} | ${at === 30 ? "failed" : "fine"} |`),
      ],
    ],
    [
      "a database shell",
      [
        " id | name  | created ",
        "----+-------+---------",
        ...Array.from({ length: 60 }, (_, at) => ` ${at} | user${at} | 2026-01-0${(at % 9) + 1}`),
        "(60 rows)",
      ],
    ],
  ])("separated by %s is one", (_, lines) => {
    const shown = table(lines).split("\n");
    expect(shown[0]).toBe(`1| ${lines[0]?.trimEnd()}`);
    expect(shown).toContain(`${lines.length}| ${lines.at(-1)}`);
  });

  test("that fits without what repeats is whole", () => {
    const lines = [
      "NAME   NAMESPACE                        CLASS",
      ...Array.from({ length: 20 }, (_, at) => `n${at}     the-default-namespace-of-all     PersistentVolumeClaim`.replace(/(n\d) {6}/, "$1     ")),
    ];
    const shown = table(lines, { command: "kubectl get pvc" }, "bash", 130);
    expect(shown).toContain("in all rows: NAMESPACE the-default-namespace-of-all, CLASS PersistentVolumeClaim");
    expect(shown.split("\n").slice(2)).toEqual(Array.from({ length: 20 }, (_, at) => `  n${at}`));
  });

  test.each([
    ["code", Array.from({ length: 60 }, (_, at) => `\tconst value${at} = read(${at}, fallback);`)],
    ["prose with commas", Array.from({ length: 60 }, (_, at) => `Then, after ${at} days, it rained, and nobody came.`)],
    ["a log", Array.from({ length: 60 }, (_, at) => `12:00:${at} INFO worker started job ${at}`)],
    ["a search", Array.from({ length: 60 }, (_, at) => `${at * 3}:\tconst found = new Thing(`)],
    ["numbered code", Array.from({ length: 60 }, (_, at) => `${at + 1}\tlet line${at};`)],
  ])("is not %s", (_, lines) => {
    expect(extract({ tool: "bash", args: { command: "./run" }, text: lines.join("\n"), status: "ok" }).kind).not.toBe("table");
  });
});

describe("rows by weight", () => {
  const cell = fc.constantFrom("a", "b", "", "1", "2", "90000", "failed", "x y");
  const any = fc
    .integer({ min: 1, max: 5 })
    .chain((width) =>
      fc
        .array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 60 })
        .map((rows) => ({ columns: Array.from({ length: width }, (_, at) => `c${at}`), rows })),
    );

  test("name each row once, the ends first", () => {
    fc.assert(
      fc.property(any, (found) => {
        const order = rowsByWeight(found, profile(found));
        expect(new Set(order).size).toBe(order.length);
        expect(order.toSorted((a, b) => a - b)).toEqual(found.rows.map((_, at) => at));
        expect(order.slice(0, 3)).toContain(0);
        expect(order.slice(0, 3)).toContain(found.rows.length - 1);
      }),
    );
  });

  test("counts of a column add up to its rows", () => {
    fc.assert(
      fc.property(any, (found) => {
        for (const note of columnNotes(profile(found))) {
          const counts = [...note.matchAll(/ ×(\d+)/g)].map((match) => Number(match[1]));
          if (counts.length > 0) expect(counts.reduce((sum, count) => sum + count, 0)).toBe(found.rows.length);
        }
      }),
    );
  });

  test("a whole table holds each cell that varies", () => {
    fc.assert(
      fc.property(any, (found) => {
        const text = wholeTable(found, profile(found), 10_000) ?? "";
        for (const row of found.rows) for (const each of row) expect(text).toContain(each);
        expect(text.split("\n").length).toBeGreaterThanOrEqual(found.rows.length + 1);
      }),
    );
  });

  test.each([
    ["status", "failed", true],
    ["READY", "0/3", true],
    ["STATUS", "Exited (0) 2 days ago", false],
    ["STATUS", "Exited (1) 2 days ago", true],
    ["exitCode", "2", true],
    ["exitCode", "0", false],
    ["error", "null", false],
    ["error", "no such file", true],
    ["http_status", "503", true],
    ["name", "failed-once", false],
    ["ok", "false", true],
  ])("%s: %s is wrong: %s", (name, value, wrong) => {
    expect(wrongRows({ columns: ["id", name], rows: [["1", value]] })).toEqual(wrong ? [0] : []);
  });
});
