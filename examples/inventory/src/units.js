// Units of a product, in single pieces. Outside we speak of cases, inside only of pieces.

const FACTORS = new Map([
  ["each", 1],
  ["pair", 2],
  ["dozen", 12],
  ["gross", 144],
]);

const MASS = new Map([
  ["g", 1],
  ["kg", 1000],
  ["t", 1_000_000],
]);

export class UnitError extends Error {
  constructor(message, unit) {
    super(message);
    this.name = "UnitError";
    this.unit = unit;
  }
}

/** How many pieces one `unit` of the product holds. Packs and cases depend on the product. */
export function piecesIn(unit, packaging = {}) {
  const own = packaging[unit];
  if (own !== undefined) {
    if (!Number.isInteger(own) || own < 1) throw new UnitError(`a ${unit} must hold at least one piece`, unit);
    return own;
  }
  const fixed = FACTORS.get(unit);
  if (fixed === undefined) throw new UnitError(`unknown unit "${unit}"; known are ${[...FACTORS.keys(), ...Object.keys(packaging)].join(", ")}`, unit);
  return fixed;
}

export function toPieces(quantity, unit, packaging) {
  if (!Number.isFinite(quantity)) throw new UnitError(`not a quantity: ${quantity}`, unit);
  const pieces = quantity * piecesIn(unit, packaging);
  if (!Number.isInteger(pieces)) throw new UnitError(`${quantity} ${unit} is not a whole number of pieces`, unit);
  return pieces;
}

/** 250 pieces with { case: 24, pack: 6 } → [{ case: 10 }, { pack: 1 }, { each: 4 }] as one object. */
export function splitPieces(pieces, packaging = {}) {
  const units = Object.entries(packaging).sort(([, left], [, right]) => right - left);
  const split = {};
  let rest = pieces;
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) split[unit] = count;
    rest -= count * size;
  }
  if (rest > 0 || Object.keys(split).length === 0) split.each = rest;
  return split;
}

export function describePieces(pieces, packaging) {
  return Object.entries(splitPieces(pieces, packaging))
    .map(([unit, count]) => `${count} ${unit}${count === 1 || unit === "each" ? "" : "s"}`)
    .join(" + ");
}

export function toGrams(value, unit) {
  const factor = MASS.get(unit);
  if (factor === undefined) throw new UnitError(`unknown unit of mass "${unit}"`, unit);
  return Math.round(value * factor);
}

/** The mass of an order line, in grams; products without a weight count nothing and are named. */
export function massOf(lines, catalog) {
  let grams = 0;
  const unknown = [];
  for (const { sku, quantity } of lines) {
    const product = catalog.get(sku);
    if (product.grams === undefined) unknown.push(sku);
    else grams += product.grams * quantity;
  }
  return { grams, unknown };
}
