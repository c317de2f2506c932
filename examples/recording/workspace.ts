// The code base that the recorded session works on, made in a temporary folder with a history of commits.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Workspace {
  /** Holds all that a recording makes; removed by `remove`. */
  readonly base: string;
  /** The code base itself. */
  readonly root: string;
  /** Pi's own folder for settings and binaries. */
  readonly agentDir: string;
  readonly remove: () => void;
}

interface Change {
  readonly path: string;
  /** As the file stood before the commit that brought the fault. */
  readonly before: readonly (readonly [found: string, earlier: string])[];
  readonly message: string;
}

/** The last commits: each a small cleanup that broke something. */
const CLEANUPS: readonly Change[] = [
  { path: "src/money.js", message: "Money: round both signs the same way", before: [["Math.trunc((cents", "Math.floor((cents"]] },
  {
    path: "src/csv.js",
    message: "CSV: drop spaces around fields in one place",
    before: [["state.fields.push(state.field.trim());", "state.fields.push(state.wasQuoted ? state.field : state.field.trim());"]],
  },
  {
    path: "src/pricing.js",
    message: "Prices: sort thresholds once, when they are set",
    before: [["thresholds.sort());", "thresholds.sort((left, right) => left - right));"]],
  },
  {
    path: "src/stock.js",
    message: "Stock: read the clock less often",
    before: [
      ["  #openedAt;\n", ""],
      ["    this.#openedAt = clock();\n", ""],
      ["    let quantity = 0;\n    for (const reservation", "    const now = this.#clock();\n    let quantity = 0;\n    for (const reservation"],
      ["reservation.expiresAt > this.#openedAt", "reservation.expiresAt > now"],
    ],
  },
  {
    path: "src/reports.js",
    message: "Reports: copy the list of layers, not each layer",
    before: [["[...stock.layers(sku)]", "stock.layers(sku).map((layer) => ({ ...layer }))"]],
  },
  {
    path: "src/orders.js",
    message: "Orders: cancel in one loop",
    before: [["restock(line.sku, line.quantity, {", "restock(line.sku, line.shipped, {"]],
  },
];

const GROUPS: readonly (readonly [message: string, ...paths: string[]])[] = [
  ["Amounts, units and article numbers", "package.json", ".gitignore", "src/money.js", "src/units.js", "src/sku.js", "test/money.js", "test/sku.js"],
  ["CSV parser that keeps line numbers", "src/csv.js", "test/csv.js"],
  ["Catalog with search, and its import", "src/catalog.js", "src/import.js", "test/catalog.js", "test/fixtures.js"],
  ["Ledger of movements with reservations", "src/events.js", "src/stock.js", "test/stock.js"],
  ["Locations of the warehouse", "src/warehouse.js"],
  ["Quantity tiers, discounts and tax", "src/pricing.js", "test/pricing.js"],
  ["Orders from draft to closed", "src/orders.js", "test/orders.js"],
  ["Valuation, ageing and reorder list; ledger on disk", "src/reports.js", "src/store.js", "test/reports.js"],
  ["Command line, build and audit scripts, data", "src/index.js", "src/cli.js", "scripts", "data", "README.md"],
];

const TEMPLATE = fileURLToPath(new URL("../inventory", import.meta.url));
const FIRST_COMMIT = Date.UTC(2025, 1, 3, 9, 15);
const COMMIT_STEP_MS = 26 * 60 * 60 * 1000;

/** Makes the folder and sets this process's environment, so that no name of the machine or its user gets into an output. */
export function makeWorkspace(): Workspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "recording-")));
  const [root, agentDir] = [join(base, "inventory"), join(base, "agent")];
  mkdirSync(agentDir);
  cpSync(TEMPLATE, root, { recursive: true });
  neutralEnvironment(base, agentDir);
  run(root, process.execPath, ["scripts/seed-data.js"]);
  makeHistory(root);
  return { base, root, agentDir, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function neutralEnvironment(base: string, agentDir: string): void {
  const { env } = process;
  for (const name of Object.keys(env)) if (/^(npm_|GIT_|PI_)/i.test(name)) delete env[name];
  Object.assign(env, {
    HOME: base,
    PATH: `${dirname(process.execPath)}${delimiter}${env.PATH ?? ""}`,
    TZ: "UTC",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Dev",
    GIT_AUTHOR_EMAIL: "dev@inventory.example",
    GIT_COMMITTER_NAME: "Dev",
    GIT_COMMITTER_EMAIL: "dev@inventory.example",
    GIT_PAGER: "cat",
  });
}

function makeHistory(root: string): void {
  let count = 0;
  const commit = (message: string, paths: readonly string[]): void => {
    const date = new Date(FIRST_COMMIT + count * COMMIT_STEP_MS).toISOString();
    count += 1;
    run(root, "git", ["add", "--", ...paths]);
    run(root, "git", ["commit", "--quiet", "--message", message], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
  };
  run(root, "git", ["init", "--quiet", "--initial-branch=main"]);
  const after = new Map(CLEANUPS.map(({ path }) => [path, readFileSync(join(root, path), "utf8")]));
  for (const { path, before } of CLEANUPS) writeFileSync(join(root, path), earlier(path, after.get(path) ?? "", before));
  for (const [message, ...paths] of GROUPS) commit(message, paths);
  for (const { path, message } of CLEANUPS) {
    writeFileSync(join(root, path), after.get(path) ?? "");
    commit(message, [path]);
  }
}

function earlier(path: string, text: string, before: Change["before"]): string {
  return before.reduce((left, [found, replacement]) => {
    if (left.split(found).length !== 2) throw new Error(`${path} must hold ${JSON.stringify(found)} exactly once`);
    return left.replace(found, replacement);
  }, text);
}

function run(cwd: string, command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
}
