// Reports over the ledger. A report reads; it never changes what it reports on.
import { formatCsv } from "./csv.js";
import { formatAmount, sum } from "./money.js";
import { describePieces } from "./units.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const AGE_BANDS = [30, 90, 180, 365];

/** The cost of the next `quantity` pieces under first in, first out. */
export function costOfNext(stock, sku, quantity) {
  const layers = [...stock.layers(sku)];
  let rest = quantity;
  let cost = 0;
  while (rest > 0) {
    const [oldest] = layers;
    if (!oldest) throw new Error(`only ${quantity - rest} of ${sku} have a known cost, ${quantity} wanted`);
    const taken = Math.min(oldest.quantity, rest);
    cost += taken * oldest.unitCost;
    rest -= taken;
    oldest.quantity -= taken;
    if (oldest.quantity === 0) layers.shift();
  }
  return cost;
}

/** What the stock is worth, by product and in all. */
export function valuation(stock, catalog, { method = "fifo" } = {}) {
  const lines = stock.skus().map((sku) => {
    const quantity = stock.onHand(sku);
    const value = method === "fifo" ? layerValue(stock.layers(sku)) : stock.averageCost(sku) * quantity;
    return { sku, name: catalog.get(sku).name, quantity, value };
  });
  return { method, lines, total: sum(lines.map((line) => line.value)) };
}

function layerValue(layers) {
  return sum(layers.map((layer) => layer.quantity * layer.unitCost));
}

/** Pieces by the time they have lain, in bands of days. */
export function ageing(stock, { now }) {
  const bands = [...AGE_BANDS.map((days) => `≤ ${days} days`), `> ${AGE_BANDS.at(-1)} days`];
  const totals = Object.fromEntries(bands.map((band) => [band, { pieces: 0, value: 0 }]));
  for (const sku of stock.skus()) {
    for (const layer of stock.layers(sku)) {
      const days = Math.floor((now - layer.receivedAt) / DAY_MS);
      const index = AGE_BANDS.findIndex((limit) => days <= limit);
      const band = totals[bands[index === -1 ? bands.length - 1 : index]];
      band.pieces += layer.quantity;
      band.value += layer.quantity * layer.unitCost;
    }
  }
  return totals;
}

/** Products below their reorder point, with a proposal in whole cases. */
export function reorderList(stock, catalog, { coverDays = 30, dailyUse = () => 0 } = {}) {
  const list = [];
  for (const product of catalog) {
    if (product.state !== "active") continue;
    const available = stock.available(product.sku);
    if (available >= product.reorderPoint) continue;
    const wanted = product.reorderPoint - available + Math.ceil(dailyUse(product.sku) * coverDays);
    const caseSize = product.packaging.case ?? 1;
    const pieces = Math.ceil(wanted / caseSize) * caseSize;
    list.push({ sku: product.sku, name: product.name, available, pieces, order: describePieces(pieces, product.packaging), supplier: product.supplier });
  }
  return list.sort((left, right) => left.available - right.available || left.sku.localeCompare(right.sku));
}

/** Mean pieces a day that left over the window. */
export function dailyUse(stock, sku, { now, days = 90 }) {
  const issued = stock.movements({ sku, kind: "issue", since: now - days * DAY_MS });
  return issued.reduce((left, movement) => left - movement.quantity, 0) / days;
}

/** Products by their share of what left: A makes up the first 80 %, B the next 15 %, C the rest. */
export function abcClasses(stock, catalog) {
  const turnover = stock
    .skus()
    .map((sku) => ({ sku, cents: catalog.get(sku).price * stock.movements({ sku, kind: "issue" }).reduce((left, each) => left - each.quantity, 0) }))
    .sort((left, right) => right.cents - left.cents || left.sku.localeCompare(right.sku));
  const total = sum(turnover.map((each) => each.cents));
  let reached = 0;
  return turnover.map(({ sku, cents }) => {
    const share = total === 0 ? 1 : reached / total;
    reached += cents;
    return { sku, cents, class: share < 0.8 ? "A" : share < 0.95 ? "B" : "C" };
  });
}

/** The valuation as a file for the accountant. */
export function valuationCsv(report, currency = "EUR") {
  return formatCsv([
    ["SKU", "Name", "Quantity", `Value (${currency})`],
    ...report.lines.map((line) => [line.sku, line.name, line.quantity, formatAmount(line.value)]),
    ["", "Total", "", formatAmount(report.total)],
  ]);
}
