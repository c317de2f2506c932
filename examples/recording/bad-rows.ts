// The second prompt, twice: a first way that leads nowhere, and, after a step back in the tree, the one that is kept.
import { bash, edit, grep, read, type Turn, write } from "./turn.ts";

export const STREAM_PROMPT = `Thanks. Next: the nightly import of data/catalog.csv stops at the first bad row. I want every bad row reported with its line, and the good ones imported.`;

/** The abandoned way: a rebuilt parser, before anybody looked at how the import fails. */
export const STREAM: readonly Turn[] = [
  {
    thinks: "Rows are parsed all at once by parseTable. If it were a generator, the import could go on after a bad row. Start there.",
    says: "I'd make `parseTable` a generator, so that the import can go on after a bad row.",
    calls: [read("src/csv.js"), grep("parseTable", { context: 2 })],
  },
  {
    calls: [
      edit(
        "src/csv.js",
        ["export function parseTable(text, options) {", "export function* parseTable(text, options) {"],
        ["  if (!head) return [];", "  if (!head) return;"],
        ["  return rows.map(({ line, fields }) => {", "  for (const { line, fields } of rows) {"],
        [
          "    return { line, values: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };\n  });",
          "    yield { line, values: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };\n  }",
        ],
      ),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/csv.js test/catalog.js")] },
  {
    sees: ["names the fields"],
    thinks: "Callers and tests expect an array, and a generator that throws is finished: it cannot go on after a row. This gains nothing.",
    says: "This breaks the callers that expect a list, and it does not even help: a generator that has thrown cannot go on. The change belongs into `importCatalog`. I put `src/csv.js` back by hand.",
    calls: [
      edit(
        "src/csv.js",
        ["export function* parseTable(text, options) {", "export function parseTable(text, options) {"],
        ["  if (!head) return;", "  if (!head) return [];"],
        ["  for (const { line, fields } of rows) {", "  return rows.map(({ line, fields }) => {"],
        [
          "    yield { line, values: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };\n  }",
          "    return { line, values: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };\n  });",
        ],
      ),
    ],
  },
  { says: "`src/csv.js` is as it was. Should bad rows be collected in `importCatalog` instead, and what should the exit code of `inventory import` be then?" },
];

export const STREAM_SUMMARY = `Tried to make parseTable in src/csv.js a generator so that an import can go on after a bad row. Tests of csv and catalog failed (callers expect a list), and a generator that threw cannot go on. The edit was taken back by hand; src/csv.js is unchanged. The change belongs into importCatalog.`;

export const COLLECT_PROMPT = `Next: the nightly import of data/catalog.csv stops at the first bad row. Leave parseTable alone and collect the problems in importCatalog: every bad row with its line and reason, the good ones imported. inventory import shall print them and exit with 2 if there were any. With tests, README and a CHANGELOG.md, and commit it all.`;

const IMPORT_BEFORE = `/** Adds every row; known SKUs are updated. Stops at the first row that cannot be read. */
export function importCatalog(text, catalog) {
  let added = 0;
  let updated = 0;
  for (const { line, values } of parseTable(text)) {`;

const IMPORT_AFTER = `/**
 * Adds every row that can be read; known SKUs are updated.
 * A row that cannot is left out and reported: { line, sku, reason }, in the order of the file.
 */
export function importCatalog(text, catalog) {
  const problems = [];
  let added = 0;
  let updated = 0;
  for (const { line, values } of parseTable(text)) {`;

const IMPORT_TEST = `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Catalog, importCatalog, makeSku } from "../src/index.js";

const HEAD = "SKU,Name,Category,Price,Weight,Packaging,Tags,Reorder point,Supplier";
const GOOD = makeSku("TAP", 10001);

function importRows(...rows) {
  const catalog = new Catalog();
  return { catalog, ...importCatalog([HEAD, ...rows, ""].join("\\n"), catalog) };
}

describe("importCatalog with bad rows", () => {
  for (const [what, row, reason] of [
    ["a wrong check digit", "TAP-10001-9,Tape,tapes,1.00,,,,,", /check digit of TAP-10001-9 must be/],
    ["a third decimal", \`\${GOOD},Tape,tapes,1.005,,,,,\`, /not an amount/],
    ["a negative price", \`\${GOOD},Tape,tapes,-1.00,,,,,\`, /is negative/],
    ["no name", \`\${GOOD},,tapes,1.00,,,,,\`, /column "name" is empty/],
    ["a weight in words", \`\${GOOD},Tape,tapes,1.00,about 200 g,,,,\`, /not a weight/],
    ["a case of many", \`\${GOOD},Tape,tapes,1.00,,case:many,,,\`, /packaging case is not a whole number/],
  ]) {
    it(\`reports \${what}\`, () => {
      const { added, problems } = importRows(row);
      assert.equal(added, 0);
      assert.equal(problems.length, 1);
      assert.equal(problems[0].line, 2);
      assert.match(problems[0].reason, reason);
    });
  }
  it("imports the rows around a bad one", () => {
    const { catalog, added, problems } = importRows(\`\${makeSku("TAP", 1)},a,tapes,1.00,,,,,\`, "x,b,tapes,1.00,,,,,", \`\${makeSku("TAP", 2)},c,tapes,1.00,,,,,\`);
    assert.equal(added, 2);
    assert.equal(catalog.size, 2);
    assert.deepEqual(
      problems.map(({ line, sku }) => [line, sku]),
      [[3, "x"]],
    );
  });
});
`;

const CHANGELOG = `# Changelog

## 2.4.0

- \`importCatalog\` goes on after a bad row and reports it: \`{ added, updated, problems: [{ line, sku, reason }] }\`.
- \`inventory import\` prints the bad rows and exits with 2 if there were any.
- Fixed: credit notes and discounts that lost a cent, tier prices above 10 pieces, spaces in quoted CSV fields,
  reservations that never expired, \`costOfNext\` changing the ledger, cancelled orders that restocked too much.
`;

export const COLLECT: readonly Turn[] = [
  {
    thinks: "importCatalog throws at the first bad row. See it, its callers and its tests first, and run it on the real file.",
    says: "First the import as it is: its code, who calls it, and what it does with the real file.",
    calls: [{ ...read("src/import.js"), id: "call_007" }, read("src/cli.js"), bash("node src/cli.js import")],
  },
  {
    sees: ["line 43: check digit of NUT-10001-2 must be 9"],
    says: "It stops at line 43, where the check digit of NUT-10001-2 must be 9. I look at the file and at the other users of `importCatalog`.",
    calls: [read("data/catalog.csv"), grep("importCatalog", { context: 2 }), read("test/catalog.js")],
  },
  {
    sees: ["12.345", "about 200 g", "case:many", "PNT10203"],
    thinks:
      "In the file I see more: a price 12.345, a missing name, 'about 200 g', -4.20, case:many, PNT10203. One existing test expects a throw with 'line 2: not an amount' - the prompt changes that behaviour, so that test has to change; I say so. open() in cli.js also uses importCatalog: value, reorder and search should warn.",
    says: "There are more to come: `12.345` as a price, “about 200 g” as a weight, `case:many`, `PNT10203` without dashes. “names the line” in test/catalog.js expects a throw and has to change with the behaviour. A column count that does not fit still stops the import, since `parseTable` stays as it is.",
    calls: [
      edit(
        "src/import.js",
        [IMPORT_BEFORE, IMPORT_AFTER],
        [
          `      throw new Error(\`line \${line}: \${error.message}\`, { cause: error });`,
          "      problems.push({ line, sku: values.sku, reason: error.message });",
        ],
        ["  return { added, updated };", "  return { added, updated, problems };"],
      ),
      edit("test/catalog.js", [
        `assert.throws(() => importCatalog(\`\${head}\${BOLT},Bolt,x,abc,,,,,\\n\`, new Catalog()), /line 2: not an amount/)`,
        `assert.deepEqual(importCatalog(\`\${head}\${BOLT},Bolt,x,abc,,,,,\\n\`, new Catalog()).problems, [{ line: 2, sku: BOLT, reason: 'not an amount: "abc"' }])`,
      ]),
      write("test/import.js", IMPORT_TEST),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/import.js test/catalog.js")] },
  {
    sees: ["{ added: 0, updated: 1 }", "problems: []"],
    thinks: "One more test compares the whole answer; problems: [] is new there. That is right to change.",
    says: "The new tests pass. “adds and updates” compares the whole answer and needs `problems: []`. Then the command line.",
    calls: [
      edit("test/catalog.js", ["{ added: 0, updated: 1 }", "{ added: 0, updated: 1, problems: [] }"]),
      edit(
        "src/cli.js",
        [
          '    const { added, updated } = importCatalog(await readFile(values.catalog, "utf8"), new Catalog());\n',
          `    const { added, updated, problems } = importCatalog(await readFile(values.catalog, "utf8"), new Catalog());\n    for (const { line, sku, reason } of problems) console.log(\`\${values.catalog}:\${line}: \${sku || "(no SKU)"}: \${reason}\`);\n`,
        ],
        [
          `    console.log(\`\${added} products added, \${updated} updated\`);`,
          `    console.log(\`\${added} products added, \${updated} updated, \${problems.length} rows left out\`);\n    if (problems.length > 0) process.exitCode = 2;`,
        ],
      ),
    ],
  },
  { calls: [bash("node src/cli.js import"), bash("node --test --test-reporter=spec test/import.js test/catalog.js test/csv.js")] },
  {
    sees: ["313 products added, 0 updated, 7 rows left out", "Command exited with code 2"],
    thinks:
      "7 of 320 rows left out, exit code 2. Now value, reorder and search: they open the catalog silently without these seven. A movement of a left-out SKU would make loadMovements throw. Try all three.",
    says: "313 of 320 products are imported, the seven bad rows are named, and the exit code is 2. `value`, `reorder` and `search` read the same file, so I try them as well.",
    calls: [bash("node src/cli.js value"), bash("node src/cli.js reorder --limit 40"), bash("node src/cli.js search hex 8")],
  },
  {
    sees: ["total €"],
    says: "They work. I look at the movements, to be sure that none is of a product that was left out.",
    calls: [
      read("data/movements.json", { limit: 220 }),
      bash(`node -e '
import("./src/index.js").then(async ({ Catalog, importCatalog }) => {
  const { readFile } = await import("node:fs/promises");
  const catalog = new Catalog();
  const { problems } = importCatalog(await readFile("data/catalog.csv", "utf8"), catalog);
  const { movements } = JSON.parse(await readFile("data/movements.json", "utf8"));
  const unknown = movements.filter(({ sku }) => !catalog.has(sku));
  console.log({ movements: movements.length, unknown: unknown.length, problems });
});'`),
    ],
  },
  {
    sees: ["movements: 300", "unknown: 0"],
    says: "300 movements, none of an unknown product. Now README and changelog.",
    calls: [
      edit(
        "README.md",
        ["| catalog.csv into the catalog                          |", "| catalog.csv into the catalog; bad rows are reported   |"],
        [
          "## Commands\n",
          "## Import\n\n`importCatalog` returns `{ added, updated, problems }`. A problem names `line`, `sku` and `reason`; its row is left out.\n`inventory import` prints the problems and exits with 2 if there are any.\n\n## Commands\n",
        ],
      ),
      write("CHANGELOG.md", CHANGELOG),
      edit("package.json", ['"version": "2.3.0"', '"version": "2.4.0"']),
    ],
  },
  { sees: ["Successfully replaced 2 block(s) in README.md"], calls: [bash("npm test"), bash("npm run build -- --verbose")] },
  {
    sees: ["tests 136", "fail 0"],
    says: "136 tests pass, seven of them new. A last look at the change before I commit.",
    calls: [bash("git diff"), read("src/import.js"), bash("npm run audit")],
  },
  {
    calls: [bash(`git add -A && git commit --quiet --message "Import: report bad rows and go on" && git log -1 --stat --format='%s'`)],
  },
  { sees: ["README.md"], calls: [bash("git status --short --branch")] },
  {
    sees: ["## main"],
    says: `Done and committed as “Import: report bad rows and go on”.

- \`importCatalog\` returns \`{ added, updated, problems }\`; a problem holds \`line\`, \`sku\` and \`reason\`. \`parseTable\` is untouched, so a row with too many or too few fields still stops the import.
- \`inventory import\` on data/catalog.csv: 313 products added, 7 rows left out (lines 43, 89, 120, 155, 203, 248 and 301), exit code 2.
- Two tests in test/catalog.js changed with the behaviour; test/import.js is new. 136 tests pass.
- README, CHANGELOG.md and the version (2.4.0) are up to date. The commit holds the six repairs of before as well.

Still open: \`value\`, \`reorder\` and \`search\` read the catalog without the bad rows and do not say so.`,
  },
];
