// What a customer pays: quantity tiers first, then one discount, then tax.
import { allocate, multiply, percentOf, sum } from "./money.js";

const TAX_RATES = { standard: 19, reduced: 7, none: 0 };

export class PricingError extends Error {
  constructor(message, detail) {
    super(message);
    this.name = "PricingError";
    Object.assign(this, detail);
  }
}

/** Tiers as { 1: 500, 10: 450, 100: 400 }: from so many pieces on, each costs so many cents. */
export class PriceList {
  #tiers = new Map();
  #thresholds = new Map();

  constructor(catalog) {
    this.catalog = catalog;
  }

  setTiers(sku, tiers) {
    const thresholds = Object.keys(tiers);
    if (!thresholds.includes("1")) throw new PricingError(`${sku} needs a price for one piece`, { sku });
    for (const threshold of thresholds) {
      if (!/^[1-9]\d*$/.test(threshold)) throw new PricingError(`not a quantity: ${threshold}`, { sku });
    }
    this.#tiers.set(sku, tiers);
    this.#thresholds.set(sku, thresholds.sort());
  }

  /** The price of one piece when `quantity` of them are ordered. */
  unitPrice(sku, quantity) {
    const tiers = this.#tiers.get(sku);
    if (!tiers) return this.catalog.get(sku).price;
    let price = tiers[1];
    for (const threshold of this.#thresholds.get(sku)) {
      if (quantity >= Number(threshold)) price = tiers[threshold];
    }
    return price;
  }

  /** The tier above, if some more pieces would make each one cheaper: { pieces, unitPrice, saves }. */
  nextTier(sku, quantity) {
    const tiers = this.#tiers.get(sku);
    if (!tiers) return null;
    const above = Object.keys(tiers)
      .map(Number)
      .filter((threshold) => threshold > quantity)
      .sort((left, right) => left - right)[0];
    if (above === undefined) return null;
    const now = this.unitPrice(sku, quantity);
    return { pieces: above - quantity, unitPrice: tiers[above], saves: now - tiers[above] };
  }
}

const DISCOUNTS = {
  percent: ({ value }, net) => percentOf(net, value),
  amount: ({ value }, net) => Math.min(value, net),
  volume: ({ from, value }, net) => (net >= from ? percentOf(net, value) : 0),
};

/** The best of the discounts; they never add up. */
export function bestDiscount(discounts, net) {
  let best = { discount: null, cents: 0 };
  for (const discount of discounts) {
    const rule = DISCOUNTS[discount.kind];
    if (!rule) throw new PricingError(`unknown discount "${discount.kind}"`, { discount });
    const cents = rule(discount, net);
    if (cents > best.cents) best = { discount, cents };
  }
  return best;
}

/**
 * Prices the lines of an order.
 * The discount is spread over the lines by their net amounts, because tax depends on the line.
 */
export function quote(lines, { prices, discounts = [], taxClassOf = () => "standard" }) {
  if (lines.length === 0) throw new PricingError("an order without lines has no price", {});
  const priced = lines.map(({ sku, quantity }) => {
    const unitPrice = prices.unitPrice(sku, quantity);
    return { sku, quantity, unitPrice, net: multiply(unitPrice, quantity) };
  });
  const net = sum(priced.map((line) => line.net));
  const { discount, cents } = bestDiscount(discounts, net);
  const shares =
    net === 0
      ? priced.map(() => 0)
      : allocate(
          -cents,
          priced.map((line) => line.net),
        );
  const quoted = priced.map((line, index) => {
    const taxable = line.net + shares[index];
    const taxClass = taxClassOf(line.sku);
    const rate = TAX_RATES[taxClass];
    if (rate === undefined) throw new PricingError(`unknown tax class "${taxClass}"`, { sku: line.sku });
    return { ...line, discount: shares[index], taxable, rate, tax: percentOf(taxable, rate) };
  });
  const tax = sum(quoted.map((line) => line.tax));
  const taxable = sum(quoted.map((line) => line.taxable));
  return { lines: quoted, net, discount: discount ? { ...discount, cents } : null, taxable, tax, gross: taxable + tax };
}
