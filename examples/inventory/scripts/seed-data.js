// Writes data/catalog.csv and data/movements.json: the same bytes each time.
import { mkdir, writeFile } from "node:fs/promises";
import { formatCsv } from "../src/csv.js";
import { formatAmount } from "../src/money.js";
import { makeSku } from "../src/sku.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2025, 0, 6, 8);

const FAMILIES = [
  ["BOL", "Bolt", "fasteners/bolts", ["hex", "carriage", "flange", "eye", "anchor"], "Kettler & Sohn"],
  ["NUT", "Nut", "fasteners/nuts", ["hex", "wing", "lock", "cap", "square"], "Kettler & Sohn"],
  ["SCR", "Screw", "fasteners/screws", ["wood", "drywall", "machine", "deck", "set"], "Brandt Fixings"],
  ["SAW", "Saw blade", "tools/saws", ["rip", "crosscut", "jigsaw", "hole", "hack"], "Nordzahn AB"],
  ["DRL", "Drill bit", "tools/drills", ["twist", "masonry", "spade", "step", "forstner"], "Nordzahn AB"],
  ["GLU", "Glue", "chemicals/glues", ["wood", "contact", "epoxy", "hot", "instant"], "Leimwerk"],
  ["PNT", "Paint", "chemicals/paints", ["wall", "primer", "metal", "spray", "chalk"], "Farbenhaus Ost"],
  ["TAP", "Tape", "consumables/tapes", ["masking", "duct", "electrical", "foam", "double-sided"], "Farbenhaus Ost"],
];
const SIZES = ["4 mm", "5 mm", "6 mm", "8 mm", "10 mm", "12 mm", "16 mm", "20 mm"];

/** A generator of numbers below 1 that gives the same ones each time. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function catalogRows(random) {
  const rows = [];
  for (const [family, noun, category, kinds, supplier] of FAMILIES) {
    for (const [kindIndex, kind] of kinds.entries()) {
      for (const [sizeIndex, size] of SIZES.entries()) {
        const number = 10000 + kindIndex * 100 + sizeIndex;
        const price = 15 + Math.floor(random() * 4000);
        const grams = 5 + Math.floor(random() * 900);
        const reorderPoint = Math.floor(random() * 30) * 10;
        const caseSize = [24, 48, 100][Math.floor(random() * 3)];
        rows.push([
          makeSku(family, number),
          `${noun}, ${kind}, ${size}`,
          category,
          formatAmount(price),
          `${grams} g`,
          `pack:6;case:${caseSize}`,
          `${kind};${family.toLowerCase()}`,
          reorderPoint,
          supplier,
        ]);
      }
    }
  }
  return rows;
}

/** The faults that people really make in this file. */
function spoil(rows) {
  rows[41][0] = rows[41][0].slice(0, -1) + ((Number(rows[41][0].at(-1)) + 3) % 10);
  rows[87][3] = "12.345";
  rows[118][1] = "";
  rows[153][4] = "about 200 g";
  rows[201][3] = "-4.20";
  rows[246][5] = "pack:6;case:many";
  rows[299][0] = "PNT10203";
  return rows;
}

function movementsOf(rows, random) {
  const movements = [];
  const onHand = new Map();
  const push = (at, movement) => movements.push({ number: movements.length + 1, at, ...movement });
  for (let day = 0; day < 60; day += 1) {
    for (let turn = 0; turn < 5; turn += 1) {
      const [sku] = rows[Math.floor(random() * 40) * 8];
      const at = START + day * DAY_MS + turn * 3_600_000;
      const here = onHand.get(sku) ?? 0;
      if (here < 60 || random() < 0.35) {
        const quantity = 24 * (1 + Math.floor(random() * 10));
        push(at, { kind: "receipt", sku, quantity, unitCost: 10 + Math.floor(random() * 900), location: null, reference: `PO-${2000 + movements.length}` });
        onHand.set(sku, here + quantity);
      } else {
        const quantity = 1 + Math.floor(random() * 40);
        push(at, { kind: "issue", sku, quantity: -quantity, reference: `O${String(movements.length).padStart(5, "0")}` });
        onHand.set(sku, here - quantity);
      }
    }
  }
  return movements;
}

const random = seeded(20250106);
const rows = catalogRows(random);
const movements = movementsOf(rows, random);
const head = ["SKU", "Name", "Category", "Price", "Weight", "Packaging", "Tags", "Reorder point", "Supplier"];
await mkdir("data", { recursive: true });
await writeFile("data/catalog.csv", formatCsv([head, ...spoil(rows)], { newline: "\n" }));
await writeFile("data/movements.json", `${JSON.stringify({ version: 2, movements }, null, 1)}\n`);
console.log(`${rows.length} products, ${movements.length} movements`);
