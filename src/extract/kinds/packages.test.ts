// Package managers and image builds: errors, warnings, totals; names and versions; a failed step with what it wrote.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

function output(command: string, lines: readonly string[], status: "ok" | "error" = "ok"): string {
  const extracted = extract({ tool: "bash", args: { command }, text: lines.join("\n"), status });
  expect(extracted.kind).toBe("packages");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

const many = (length: number, line: (at: number) => string) => Array.from({ length }, (_, at) => line(at));

describe("an installation", () => {
  test("by pip: an error amid its steps, by its own words or behind a long line's start", () => {
    const lines = [
      ...many(80, (at) => `Collecting package-${at}>=1.${at}`),
      "ERROR: No matching distribution found for package-81",
      ...many(20, (at) => `  Downloading package_${at}-1.0-py3-none-any.whl (${at} kB)`),
      `${"built and linked ".repeat(20)}ERROR: no wheel`,
      ...many(20, (at) => `  Downloading other_${at}-1.0-py3-none-any.whl (${at} kB)`),
      "ERROR: No matching distribution found for package-82",
      `${"built and linked ".repeat(20)}ERROR: no wheel`,
    ];
    const text = output("pip install -r requirements.txt", lines);
    expect(text).toContain("81| ERROR: No matching distribution found for package-81\n~ 2 lines like this, also line 123\n");
    expect(text).toMatch(/^102\| built and linked .*…\n~ 2 lines like this, also line 124$/m);
  });

  test("by npm: warnings of each kind, counts as they stand", () => {
    const lines = [
      ...many(20, (at) => `npm warn deprecated left-part-${at}@1.${at}.0: this package is no longer supported`),
      "",
      "added 312 packages, removed 4 packages, changed 7 packages, and audited 329 packages in 9s",
      "",
      "58 packages are looking for funding",
      "  run `npm fund` for details",
      "",
      "3 vulnerabilities (1 moderate, 2 high)",
    ];
    const text = output("npm ci", lines);
    expect(text).toContain(`1| ${lines[0]}\n~ 20 warnings like this\n`);
    for (const number of [22, 24, 27]) expect(text.split("\n")).toContain(`${number}| ${lines[number - 1]}`);
  });

  test("by npm that fails: each line of the error", () => {
    const lines = [
      ...many(40, (at) => `npm http fetch GET 200 https://packages.example.org/part-${at} ${at}ms`),
      "npm error code ERESOLVE",
      "npm error ERESOLVE unable to resolve dependency tree",
      "npm error Found: react@18.2.0",
      "npm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-03-12.log",
    ];
    const shown = output("npm install", lines, "error").split("\n");
    for (const number of [41, 42, 43, 44]) expect(shown).toContain(`${number}| ${lines[number - 1]}`);
  });

  test("by pip: what was installed, steps counted", () => {
    const lines = [
      ...many(30, (at) => `Collecting part-${at}>=1.${at}`),
      ...many(25, (at) => `  Downloading part_${at}-1.${at}.0-py3-none-any.whl (${at + 10} kB)`),
      "Successfully installed part-0-1.0.0 part-1-1.1.0",
    ];
    const text = output("pip install -r requirements.txt", lines);
    expect(text).toContain("56| Successfully installed part-0-1.0.0 part-1-1.1.0");
    expect(text).toContain("~ lines of steps: Collecting 30×, Downloading 25×");
  });

  test.each([
    ["apt-get install -y x", (at: number) => `Setting up libpart${at}:amd64 (1.${at}-2ubuntu1) ...`, "set up: libpart0 1.0-2ubuntu1, libpart1 1.1-2ubuntu1"],
    ["cargo build", (at: number) => `   Compiling part${at} v1.${at}.0`, "compiled: part0 1.0.0, part1 1.1.0"],
    ["uv sync", (at: number) => ` + part${at}==1.${at}.0`, "added: part0 1.0.0, part1 1.1.0"],
    ["go mod tidy", (at: number) => `go: added example.org/part${at} v1.${at}.0`, "added: example.org/part0 v1.0.0, example.org/part1 v1.1.0"],
  ])("by %s: names with versions, counted", (command, line, named) => {
    const text = output(command, [...many(50, line), "Done in 3s"]);
    expect(text).toContain(`~ 50 ${named}`);
    expect(text).toMatch(/, \d+ not named$/m);
    expect(text).toContain("51| Done in 3s");
  });

  test("of an image: each step with what became of it, and what the failed one wrote", () => {
    const lines = [
      "#1 [internal] load build definition from Dockerfile",
      "#1 DONE 0.1s",
      "#5 [1/3] FROM docker.io/library/node:24",
      "#5 CACHED",
      ...many(40, (at) => `#6 ${at}.1 layer part ${at} extracting the archive of it`),
      "#7 [2/3] RUN npm ci",
      ...many(20, (at) => `#7 ${at}.5 fetching part ${at}`),
      "#7 21.5 npm error code ENOENT",
      '#7 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 254',
    ];
    const text = output("docker build -t app .", lines, "error");
    expect(text).toContain(`45| ${lines[44]}\n~ ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 254\n`);
    expect(text.split("\n")).toContain(`66| ${lines[65]}`);
    expect(text).toContain("3| #5 [1/3] FROM docker.io/library/node:24\n~ CACHED");
  });
});
