#!/usr/bin/env node
// inventory import|value|reorder|search: what the office uses from a terminal.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Catalog } from "./catalog.js";
import { importCatalog } from "./import.js";
import { formatAmount } from "./money.js";
import { reorderList, valuation, valuationCsv } from "./reports.js";
import { loadMovements } from "./store.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    catalog: { type: "string", default: "data/catalog.csv" },
    movements: { type: "string", default: "data/movements.json" },
    csv: { type: "boolean", default: false },
    limit: { type: "string", default: "20" },
  },
});

const commands = {
  async import() {
    const { added, updated } = importCatalog(await readFile(values.catalog, "utf8"), new Catalog());
    console.log(`${added} products added, ${updated} updated`);
  },
  async value() {
    const { catalog, stock } = await open();
    const report = valuation(stock, catalog);
    if (values.csv) process.stdout.write(valuationCsv(report));
    else {
      for (const line of report.lines) console.log(`${line.sku}  ${String(line.quantity).padStart(6)}  ${formatAmount(line.value).padStart(12)}  ${line.name}`);
      console.log(`total ${formatAmount(report.total, "EUR")}`);
    }
  },
  async reorder() {
    const { catalog, stock } = await open();
    for (const line of reorderList(stock, catalog).slice(0, Number(values.limit))) {
      console.log(`${line.sku}  ${String(line.available).padStart(6)} left  order ${line.order}  (${line.supplier ?? "no supplier"})`);
    }
  },
  async search() {
    const { catalog } = await open();
    for (const product of catalog.search(positionals.slice(1).join(" "), { limit: Number(values.limit) })) {
      console.log(`${product.sku}  ${formatAmount(product.price, "EUR").padStart(10)}  ${product.name}`);
    }
  },
};

async function open() {
  const catalog = new Catalog();
  importCatalog(await readFile(values.catalog, "utf8"), catalog);
  return { catalog, stock: await loadMovements(values.movements, { catalog }) };
}

const command = commands[positionals[0]];
if (!command) {
  console.error(`usage: inventory ${Object.keys(commands).join("|")} [--catalog FILE] [--movements FILE] [--csv] [--limit N]`);
  process.exitCode = 1;
} else {
  await command();
}
