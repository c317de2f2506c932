// A ledger on disk: one JSON file of movements, written whole and renamed into place.
import { readFile, rename, writeFile } from "node:fs/promises";
import { StockLedger } from "./stock.js";

const VERSION = 2;

export async function saveMovements(path, stock) {
  const text = `${JSON.stringify({ version: VERSION, movements: stock.movements() }, null, 1)}\n`;
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

/** Plays the movements of a file into a new ledger, each at the time it had. */
export async function loadMovements(path, options) {
  const { version, movements } = JSON.parse(await readFile(path, "utf8"));
  if (version !== VERSION) throw new Error(`${path} has version ${version}, expected ${VERSION}`);
  const clock = options.clock ?? Date.now;
  let playing = null;
  const stock = new StockLedger({ ...options, clock: () => playing ?? clock() });
  for (const movement of movements) {
    playing = movement.at;
    replay(stock, movement);
  }
  playing = null;
  return stock;
}

function replay(stock, { kind, sku, quantity, unitCost, location, reference }) {
  if (kind === "receipt") stock.receive(sku, quantity, { unitCost, location, reference });
  else if (kind === "issue") stock.issue(sku, -quantity, { reference });
  else if (kind === "adjustment") stock.count(sku, stock.onHand(sku) + quantity, { reference });
  else throw new Error(`unknown movement "${kind}"`);
}
