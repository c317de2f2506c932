import { describe, expect, test } from "vitest";
import { readerOf, type Terminal, treeBrowser } from "./browser.ts";
import { columns } from "./lines.ts";
import type { EpochNode, Leaf } from "./tree.ts";

const leaf = (n: number): Leaf => ({ ref: `t${n}`, what: "result", tool: "bash", about: `npm test ${n}`, state: "condensed", before: 4100, after: 310 });
const epoch = (n: number, count: number): EpochNode => ({
  ref: `b${n}`,
  state: "done",
  waiting: 0,
  leaves: Array.from({ length: count }, (_, at) => leaf(10 * n + at)),
  before: 4100 * count,
  after: 310 * count,
});

function terminal(rows = 20) {
  const seen = { closed: 0, drawn: 0 };
  const given: Terminal = {
    rows: () => rows,
    redraw: () => {
      seen.drawn += 1;
    },
    paint: { title: (text) => text, chosen: (text) => text, dim: (text) => text },
    isKey: (data, action) => action === `tui.select.${data}`,
    close: () => {
      seen.closed += 1;
    },
  };
  return { given, seen };
}

function shown(epochs: readonly EpochNode[], original = (ref: string) => `original of ${ref}`, rows = 20) {
  const { given, seen } = terminal(rows);
  const browser = treeBrowser(epochs, original, given);
  return {
    seen,
    press: (...keys: readonly string[]) => {
      for (const key of keys) browser.handleInput?.(key);
      return browser.render(60).slice(1, -1);
    },
    lines: (width = 60) => browser.render(width),
  };
}

describe("the tree browser", () => {
  test("opens the newest epoch, and enter opens and closes one", () => {
    const { press } = shown([epoch(1, 2), epoch(2, 1)]);
    expect(press()).toEqual(["  ▸ b1: 2 changes, 8.2k → 620 tokens", "> ▾ b2: 1 change, 4.1k → 310 tokens", "      t20 bash: npm test 20, 4.1k → 310"]);
    expect(press("confirm")).toEqual(["  ▸ b1: 2 changes, 8.2k → 620 tokens", "> ▸ b2: 1 change, 4.1k → 310 tokens"]);
    expect(press("up", "confirm", "down")).toEqual([
      "  ▾ b1: 2 changes, 8.2k → 620 tokens",
      ">     t10 bash: npm test 10, 4.1k → 310",
      "      t11 bash: npm test 11, 4.1k → 310",
      "  ▸ b2: 1 change, 4.1k → 310 tokens",
    ]);
  });

  test("enter shows an original, escape leads back to the same row and then out", () => {
    const { press, seen } = shown([epoch(1, 2)]);
    expect(press("down", "down", "confirm")).toEqual(["original of t11"]);
    expect(press("cancel")[2]).toBe(">     t11 bash: npm test 11, 4.1k → 310");
    expect(seen.closed).toBe(0);
    press("cancel");
    expect(seen.closed).toBe(1);
  });

  test("the chosen row is in view however many there are, and the ends hold", () => {
    const { press } = shown([epoch(1, 500)]);
    for (let page = 0; page < 60; page++) expect(press("pageDown").filter((line) => line.startsWith(">"))).toHaveLength(1);
    expect(press().at(-1)).toMatch(/^> {5}t509 /);
    expect(press("down").at(-1)).toMatch(/^> {5}t509 /);
    for (let page = 0; page < 60; page++) press("pageUp");
    expect(press()[0]).toMatch(/^> ▾ b1/);
    expect(press()).toHaveLength(12);
  });

  test("no line is wider than the terminal, and the sizes stay whole", () => {
    const wide = { ...leaf(7), about: "漢字 ".repeat(80) };
    const { lines } = shown([{ ...epoch(1, 0), leaves: [wide] }]);
    for (const width of [20, 41, 80, 133]) for (const line of lines(width)) expect(columns(line)).toBeLessThanOrEqual(width);
    expect(lines(120)[2]).toMatch(/4\.1k → 310$|…$/);
  });
});

test("a reader parts long lines, scrolls by pages, and stops at the ends", () => {
  const { given, seen } = terminal(18);
  const text = Array.from({ length: 40 }, (_, line) => (line === 0 ? "x".repeat(25) : `line ${line}`)).join("\n");
  const reader = readerOf({ title: "t1", text }, given);
  const lines = () => reader.render(10);
  expect(lines().slice(0, 5)).toEqual(["t1", "xxxxxxxxxx", "xxxxxxxxxx", "xxxxx", "line 1"]);
  reader.handleInput?.("pageDown");
  expect(lines()[1]).toBe("line 8");
  for (let page = 0; page < 9; page++) reader.handleInput?.("pageDown");
  expect(lines().at(-2)).toBe("line 39");
  reader.handleInput?.("up");
  expect(lines().at(-2)).toBe("line 38");
  for (let page = 0; page < 9; page++) reader.handleInput?.("pageUp");
  expect(lines()[1]).toBe("xxxxxxxxxx");
  reader.handleInput?.("cancel");
  expect(seen.closed).toBe(1);
});
