// Logs: templates with counts, spans and values; errors and far values as they stand.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { normalise } from "../normalise.ts";
import { outliers, templatesOf, written } from "./templates.ts";

function templates(texts: readonly string[]): readonly string[] {
  const lines = normalise(texts.join("\n"));
  return templatesOf(lines, () => true).map((template) => `${template.count} ${written(template, lines)}`);
}

describe("templates", () => {
  test("part lines by their words; numbers become their range, what differs becomes any", () => {
    const names = "anna bert cora dora emil fritz gerd hanna".split(" ");
    expect(
      templates([
        ...names.map((name, at) => `12:00:0${at} INFO user ${name} logged in after ${at * 10 + 5} ms`),
        "12:00:09 ERROR user anna logged in after 9 ms",
        "12:00:10 INFO stopped",
      ]),
    ).toEqual(["8 <*> INFO user <*> logged in after <5…75> ms", "1 12:00:09 ERROR user anna logged in after 9 ms", "1 12:00:10 INFO stopped"]);
  });

  test("name the values that come most", () => {
    const codes = [200, 200, 200, 404, 404, 500, 503, 200];
    expect(templates(codes.map((code, at) => `10:00:0${at} reply code=${code} sent`))).toEqual(["8 <*> reply code=<200 4×, 404 2×, 500 1×, 1 others> sent"]);
  });

  test("count lines that were joined because they are the same", () => {
    expect(templates(["ready to serve", "ready to serve", "ready to serve"])).toEqual(["3 ready to serve"]);
    expect(templates(["part 1 is ready", "other", "part 2 is ready", "part 2 is ready"])).toEqual(["3 part <2 2×, 1 1×> is ready", "1 other"]);
  });

  test("never take a level for a value", () => {
    const lines = ["INFO", "WARN", "ERROR"].flatMap((level) => [
      `09:00:00 [${level}] the queue of part 1 is long`,
      `09:00:01 [${level}] the queue of part 2 is long`,
    ]);
    expect(templates(lines)).toHaveLength(3);
  });

  test("find the lines whose numbers are far from the others", () => {
    const lines = normalise(Array.from({ length: 100 }, (_, at) => `took ${at === 57 ? 90_000 : 100 + (at % 7)} ms`).join("\n"));
    expect(
      outliers(
        templatesOf(lines, () => true),
        5,
      ),
    ).toEqual([57]);
  });

  test("stay few and exact in sum whatever the lines are", () => {
    const lines = normalise(
      Array.from({ length: 3000 }, (_, at) => `${String.fromCharCode(97 + (at % 26)).repeat(1 + (at % 40))} x${at} y ${"z ".repeat(at % 7)}`).join("\n"),
    );
    const found = templatesOf(lines, () => true);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(3000);
  });
});

function log(lines: readonly string[], command = "journalctl -u app"): string {
  const extracted = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status: "ok" });
  expect(extracted.kind).toBe("log");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

const CALM = Array.from(
  { length: 300 },
  (_, at) =>
    `2026-03-12T09:${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}Z INFO job ${4000 + at} done in ${20 + (at % 9)} ms`,
);

describe("a log", () => {
  test("shows the first line of a template with how many there are, up to where, and the range of its numbers", () => {
    expect(log(CALM)).toContain(`1| ${CALM[0]}\n~ 300 lines like this up to line 300: <*> INFO job <4000…4299> done in <20…28> ms\n`);
  });

  test("keeps each distinct error with its count, rare lines and far values, however calm the rest is", () => {
    const lines = CALM.with(40, "2026-03-12T09:00:40Z ERROR cannot reach 10.0.0.7: ECONNREFUSED")
      .with(90, "2026-03-12T09:01:30Z ERROR cannot reach 10.0.0.9: ECONNREFUSED")
      .with(120, "2026-03-12T09:02:00Z WARN disk is filled to 91 percent")
      .with(200, "2026-03-12T09:03:20Z INFO job 4200 done in 88123 ms")
      .with(250, "2026-03-12T09:04:10Z FATAL out of memory");
    const text = log(lines);
    expect(text).toContain(`41| ${lines[40]}\n~ 2 lines like this up to line 91: <*> ERROR cannot reach <*> ECONNREFUSED\n`);
    for (const at of [120, 200, 250]) expect(text.split("\n")).toContain(`${at + 1}| ${lines[at]}`);
    expect(text).toContain("~ a number here is far from the others like it");
  });

  test.each([
    ["key=value", (at: number, level: string) => `time=2026-03-12T09:00:00Z level=${level} msg="part ${at} written" took=${at}ms`],
    ["JSON", (at: number, level: string) => JSON.stringify({ time: "2026-03-12T09:00:00Z", level, msg: `part ${at} written`, took: at })],
    ["syslog", (at: number, level: string) => `Mar 12 09:00:0${at % 10} host app[${700 + at}]: [${level}] part ${at} written`],
    ["compose", (at: number, level: string) => `app-1  | 2026-03-12 09:00:00 [${level}] part ${at} written in ${at} ms`],
  ])("written as %s: a level of error is seen", (_, line) => {
    const lines = Array.from({ length: 200 }, (_, at) => line(at, at === 77 ? "error" : "info"));
    expect(log(lines).split("\n")).toContain(`78| ${lines[77]}`);
  });

  test("of traces: the message and the first frame of one's own, the other frames counted", () => {
    const trace = [
      "2026-03-12T09:02:00Z ERROR job failed: TypeError: x is undefined",
      "    at next (/app/node_modules/x/y.js:1:1)",
      "    at run (/app/src/run.js:7:3)",
      "    at main (/app/src/main.js:2:1)",
    ];
    const lines = [...CALM.slice(0, 100), ...trace, ...CALM.slice(100)];
    const shown = log(lines).split("\n");
    expect(shown).toContain(`101| ${trace[0]}`);
    expect(shown).toContain(`103| ${trace[2]}`);
    expect(shown).not.toContain(`102| ${trace[1]}`);
    expect(shown).toContain("~ 3 lines of traces left out");
  });
});
