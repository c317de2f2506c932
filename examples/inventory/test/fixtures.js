// What several tests start from.
import { Catalog, makeSku, OrderBook, PriceList, StockLedger } from "../src/index.js";

export const BOLT = makeSku("BOL", 10007);
export const NUT = makeSku("NUT", 10012);
export const SAW = makeSku("SAW", 20003);
export const GLUE = makeSku("GLU", 30001);

export function makeCatalog() {
  const catalog = new Catalog();
  catalog.add({
    sku: BOLT,
    name: "Bolt, hex, 8 mm",
    category: "fasteners/bolts",
    price: 45,
    grams: 18,
    packaging: { pack: 6, case: 48 },
    tags: ["hex", "steel"],
    reorderPoint: 100,
    supplier: "Kettler & Sohn",
  });
  catalog.add({
    sku: NUT,
    name: "Nut, wing, 8 mm",
    category: "fasteners/nuts",
    price: 30,
    grams: 9,
    packaging: { pack: 12, case: 144 },
    tags: ["wing", "brass"],
    reorderPoint: 50,
    supplier: "Kettler & Sohn",
  });
  catalog.add({
    sku: SAW,
    name: "Saw blade, crosscut",
    category: "tools/saws",
    price: 1890,
    grams: 240,
    tags: ["crosscut"],
    reorderPoint: 5,
    supplier: "Nordzahn AB",
  });
  catalog.add({ sku: GLUE, name: "Glue, épôxy", category: "chemicals/glues", price: 799, tags: ["two-part"], reorderPoint: 10, supplier: "Leimwerk" });
  return catalog;
}

/** A clock that a test moves by hand, in milliseconds. */
export function makeClock(start = Date.UTC(2025, 2, 3, 9)) {
  let now = start;
  return Object.assign(() => now, {
    advance(milliseconds) {
      now += milliseconds;
    },
  });
}

export function makeHouse() {
  const clock = makeClock();
  const catalog = makeCatalog();
  const stock = new StockLedger({ catalog, clock });
  const prices = new PriceList(catalog);
  const orders = new OrderBook({ stock, prices });
  return { clock, catalog, stock, prices, orders };
}
