import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bestDiscount, PricingError, quote } from "../src/index.js";
import { BOLT, makeHouse, NUT, SAW } from "./fixtures.js";

function makePrices() {
  const { prices } = makeHouse();
  prices.setTiers(BOLT, { 1: 45, 5: 42, 10: 40, 50: 36, 100: 30 });
  return prices;
}

describe("PriceList", () => {
  for (const [quantity, cents] of [
    [1, 45],
    [4, 45],
    [5, 42],
    [9, 42],
    [10, 40],
    [49, 40],
    [50, 36],
    [99, 36],
    [100, 30],
    [1000, 30],
  ]) {
    it(`asks ${cents} for each of ${quantity}`, () => assert.equal(makePrices().unitPrice(BOLT, quantity), cents));
  }
  it("falls back to the catalog", () => assert.equal(makePrices().unitPrice(SAW, 3), 1890));
  it("knows the next tier", () => assert.deepEqual(makePrices().nextTier(BOLT, 8), { pieces: 2, unitPrice: 40, saves: 2 }));
  it("has none above the last", () => assert.equal(makePrices().nextTier(BOLT, 100), null));
  it("wants a price for one", () => assert.throws(() => makePrices().setTiers(NUT, { 10: 20 }), PricingError));
});

describe("bestDiscount", () => {
  it("takes the best one", () => {
    const discounts = [
      { kind: "percent", value: 5 },
      { kind: "amount", value: 300 },
      { kind: "volume", from: 20000, value: 10 },
    ];
    assert.equal(bestDiscount(discounts, 5000).cents, 300);
    assert.equal(bestDiscount(discounts, 10000).cents, 500);
    assert.equal(bestDiscount(discounts, 20000).cents, 2000);
  });
  it("never pays out", () => assert.equal(bestDiscount([{ kind: "amount", value: 900 }], 500).cents, 500));
});

describe("quote", () => {
  const lines = [
    { sku: SAW, quantity: 1 },
    { sku: NUT, quantity: 10 },
  ];
  it("adds tax by line", () => {
    const result = quote(lines, { prices: makePrices(), taxClassOf: (sku) => (sku === NUT ? "reduced" : "standard") });
    assert.deepEqual([result.net, result.tax, result.gross], [2190, 359 + 21, 2570]);
  });
  it("spreads a discount to the cent", () => {
    const result = quote(lines, { prices: makePrices(), discounts: [{ kind: "amount", value: 100 }] });
    assert.deepEqual(
      result.lines.map((line) => line.discount),
      [-86, -14],
    );
    assert.equal(result.taxable, 2090);
  });
  it("has no price without lines", () => assert.throws(() => quote([], { prices: makePrices() }), PricingError));
});
