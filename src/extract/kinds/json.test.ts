// JSON: outlines, rows, errors; what is cut or goes on still gives what it holds.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { minified } from "./json-outline.ts";
import { type JsonNode, scanJson } from "./json-scan.ts";

const ISSUES = Array.from({ length: 60 }, (_, at) => ({
  number: at + 1000,
  title: `Fix part ${at} of the parser`,
  state: at === 17 ? "closed" : "open",
  user: { login: ["ann", "bob", "cy"][at % 3], id: at % 3 },
  comments: at === 33 ? 900 : at % 5,
}));

function json(text: string, options: { readonly status?: "ok" | "error"; readonly budget?: number } = {}): string {
  const extracted = extract(
    { tool: "bash", args: { command: "./run" }, text, status: options.status ?? "ok" },
    options.budget === undefined ? {} : { budget: options.budget },
  );
  expect(extracted.kind).toBe("json");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("JSON", () => {
  test("that fits without its blanks is whole", () => {
    const value = { name: "app", nested: { list: [1, 2, 3, "a b"], deep: { er: { est: { value: "x" } } } }, text: 'with "quotes" and  blanks' };
    const text = JSON.stringify(value, null, 8).replaceAll("\n", "\n\n\n");
    const padded = `${text}\n${"\n \n".repeat(300)}`;
    expect(json(padded, { budget: 120 })).toBe(`~ ${JSON.stringify(value)}`);
  });

  test("is outlined by its keys, the short values first", () => {
    const text = json(
      JSON.stringify(
        { long: "x ".repeat(600), name: "app", version: 3, options: { port: 8080, hosts: Array.from({ length: 50 }, (_, at) => `host${at}.example.org`) } },
        null,
        2,
      ),
    );
    expect(text).toMatch(/^~ JSON \{4 keys\}\n {3}name: "app", version: 3\n {3}long: "x x .*… \(1202 characters\)\n {3}options: \{2 keys\}/);
    expect(text).toContain("hosts: [50]");
  });

  test("rather names all keys than some values", () => {
    const colours = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`accent${at}`, `colour of a kind number ${at}`]));
    const text = json(JSON.stringify({ name: "dark", colours }, null, 2), { budget: 360 });
    for (const key of Object.keys(colours)) expect(text).toContain(key);
    expect(text).toContain('accent0: "colour of a kind number 0"');
  });

  test("arrays of records are rows: the ends, outliers, rare values, and what each column holds", () => {
    const text = json(JSON.stringify(ISSUES, null, 2), { budget: 600 });
    expect(text).toContain("~ JSON [60]");
    expect(text).toContain("state: open ×59, closed ×1");
    expect(text).toContain("user.login: ann ×20, bob ×20, cy ×20");
    for (const at of [0, 17, 33, 59]) expect(text).toContain(`#${at}\t${at + 1000}\tFix part ${at} of the parser`);
    const rows = text.match(/^ {3}#\d+\t/gm)?.length ?? 0;
    expect(rows + Number(/(\d+) more rows/.exec(text)?.[1])).toBe(60);
  });

  test("a column of one value is said once where all rows fit", () => {
    const rows = Array.from({ length: 12 }, (_, at) => ({ name: `n${at}`, namespace: "default-namespace-of-the-cluster", kind: "PersistentVolumeClaim" }));
    const text = json(JSON.stringify(rows, null, 2), { budget: 200 });
    expect(text).toContain("in all rows: namespace default-namespace-of-the-cluster, kind PersistentVolumeClaim");
    for (const { name } of rows) expect(text).toContain(`\n   ${name}`);
  });

  test("objects of records by name are rows with their keys", () => {
    const packages = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`node_modules/pack-${at}`, { version: `1.${at}.0`, license: at === 7 ? "GPL-3.0" : "MIT", dev: true }]),
    );
    const text = json(JSON.stringify({ name: "app", packages }, null, 2));
    expect(text).toContain("license: MIT ×39, GPL-3.0 ×1");
    expect(text).toMatch(/#7\tnode_modules\/pack-7\t"?1\.7\.0"?\tGPL-3\.0/);
  });

  test.each([
    [{ error: { code: "E42", message: "quota exceeded for project 12" } }, 'error: {"code":"E42","message":"quota exceeded for project 12"}'],
    [{ results: [...ISSUES.slice(0, 9), { stderr: "cannot open /data/part one/x.bin" }] }, 'results.9.stderr: "cannot open /data/part one/x.bin"'],
    [{ deep: { er: { exit_code: 137 } } }, "deep.er.exit_code: 137"],
    [{ errors: ["ENOENT: no such file, open '/a/b'"] }, `errors: ["ENOENT: no such file, open '/a/b'"]`],
  ])("tells of errors with their path: %j", (told, expected) => {
    const text = json(JSON.stringify({ ...told, issues: ISSUES }, null, 2), { budget: 200 });
    expect(text.split("\n")).toContain(`~ ${expected}`);
  });

  test.each([{ error: null }, { errors: [] }, { exit_code: 0 }, { colors: { error: "red" } }])("tells of no error where there is none: %j", (told) => {
    expect(json(JSON.stringify({ ...told, issues: ISSUES }, null, 2), { budget: 200 })).toMatch(/^~ JSON /);
  });

  test("that is cut says so and gives what it holds", () => {
    const text = json(JSON.stringify({ total: 60, items: ISSUES }, null, 2).slice(0, 4000));
    expect(text).toContain("~ JSON, cut at its end {2 keys, cut}");
    expect(text).toContain("total: 60");
    expect(text).toContain("#0\t1000\tFix part 0 of the parser");
  });

  test("with a line below keeps the line", () => {
    const whole = `${JSON.stringify({ items: ISSUES }, null, 2)}\n\n[Showing lines 1-300 of 900]`;
    const text = json(whole);
    expect(text).toContain(`${whole.split("\n").length}| [Showing lines 1-300 of 900]`);
  });

  test("that breaks off names the line", () => {
    const text = `${JSON.stringify({ items: ISSUES.slice(0, 30) }, null, 2).slice(0, -4)}\n  oops this is no JSON`;
    expect(json(text)).toContain(`~ JSON, broken at line ${text.split("\n").length} {1 key, cut}`);
  });

  test("values one to a line are read as rows", () => {
    const text = json(ISSUES.map((issue) => JSON.stringify(issue)).join("\n"));
    expect(text).toContain("~ JSON [60]");
    expect(text).toContain("state: open ×59, closed ×1");
  });

  test("behind a host's lines is found", () => {
    const text = json(`Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${JSON.stringify({ items: ISSUES }, null, 2)}`);
    expect(text).toContain("items: [60]");
  });

  test("in colours is read without them", () => {
    expect(json(JSON.stringify({ items: ISSUES }, null, 2).replaceAll(/"(\w+)":/g, '\u001b[34m"$1"\u001b[0m:'), { budget: 400 })).toContain("items: [60]");
  });

  test("is not what begins with a bracket only", () => {
    const lines = Array.from({ length: 80 }, (_, at) => `[info] step ${at} of the build is done`);
    expect(extract({ tool: "bash", args: { command: "make" }, text: lines.join("\n"), status: "ok" }).kind).not.toBe("json");
  });

  test.each([
    ["objects", '{"a":'.repeat(100_000)],
    ["arrays", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["both, closed", `${'{"a":['.repeat(50_000)}1${"]}".repeat(50_000)}`],
    ["an open string", `{"a": "${'\\"'.repeat(50_000)}`],
    ["100,000 keys", `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(",")}}`],
    ["an array of 300,000 numbers", `[${"1,".repeat(300_000)}1]`],
  ])("that is deep or wide is bounded: %s", (_, text) => {
    const extracted = extract({ tool: "bash", args: { command: "x" }, text, status: "ok" });
    expect(extracted.text.length).toBeLessThan(20_000);
    expect(Buffer.byteLength(extracted.text)).toBeLessThan(Buffer.byteLength(text));
  });
});

describe("the scanner", () => {
  function parsed(text: string, node: JsonNode): unknown {
    if (node.kind === "object") return Object.fromEntries(node.keys.map((key, at) => [key, parsed(text, node.values[at] as JsonNode)]));
    if (node.kind === "array") return node.values.map((value) => parsed(text, value));
    return JSON.parse(text.slice(node.start, node.end)) as unknown;
  }

  test("reads what JSON.parse reads, and takes out blanks as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 4 }), (value, blanks) => {
        const text = JSON.stringify(value, null, blanks);
        const scan = scanJson(text, 0);
        expect(scan?.broken).toBeUndefined();
        expect(scan?.end).toBe(text.length);
        // A key __proto__ is one like any other in the text, but not in an object made of it.
        if (scan && !text.includes("__proto__")) expect(parsed(text, scan.value)).toEqual(JSON.parse(text));
        if (scan) expect(minified(text, scan.value, text.length)).toBe(JSON.stringify(value));
      }),
    );
  });

  test("reads as far as any cut or damaged text goes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(), fc.string({ maxLength: 3 }), (value, place, damage) => {
        const whole = JSON.stringify({ value });
        const at = place % whole.length;
        const text = whole.slice(0, at) + damage;
        const scan = scanJson(text, 0);
        if (scan) expect(scan.end).toBeLessThanOrEqual(text.length);
        if (scan && damage === "") expect(scan.broken).toBe(text.length);
      }),
    );
  });
});

test("a key that few rows have makes no column, and puts nothing into another's", () => {
  const text = json(JSON.stringify(Array.from({ length: 40 }, (_, at) => ({ name: `record${at}`, size: at * 7, ...(at === 3 && { remark: "seldomWord" }) }))));
  expect(text).toContain("\n   name\tsize\n");
  expect(text).toContain("\n   #3\trecord3\t21\n");
});
