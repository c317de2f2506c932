import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allocate, formatAmount, MoneyError, parseAmount } from "../src/index.js";
import { average, multiply, percentOf, roundCents } from "../src/money.js";

describe("parseAmount", () => {
  for (const [text, cents] of [
    ["0", 0],
    ["12", 1200],
    ["12.5", 1250],
    ["12,50", 1250],
    ["-0.05", -5],
    ["+3.00", 300],
    ["EUR 3.50", 350],
    ["1 250,00", 125000],
    ["1'234'567.89", 123456789],
    ["  7.07  ", 707],
  ]) {
    it(`reads ${JSON.stringify(text)} as ${cents}`, () => assert.equal(parseAmount(text), cents));
  }
  for (const text of ["", "abc", "1.234", "1,2,3", "12.50 EUR", "0x10", "1e3", "--5"]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseAmount(text), MoneyError));
  }
  it("takes a number only as whole cents", () => {
    assert.equal(parseAmount(1250), 1250);
    assert.throws(() => parseAmount(12.5), /whole cents/);
  });
});

describe("formatAmount", () => {
  for (const [cents, currency, text] of [
    [0, undefined, "0.00"],
    [5, undefined, "0.05"],
    [-5, "EUR", "-€0.05"],
    [123456, "USD", "$1234.56"],
    [99, "SEK", "SEK 0.99"],
  ]) {
    it(`writes ${cents} ${currency ?? ""} as ${text}`, () => assert.equal(formatAmount(cents, currency), text));
  }
});

describe("rounding", () => {
  it("rounds halves away from zero", () => assert.deepEqual([0.5, 1.5, -0.5, -1.5, -0.4].map(roundCents), [1, 2, -1, -2, 0]));
  it("takes a percentage", () => assert.equal(percentOf(1999, 19), 380));
  it("refuses a product with a fraction", () => assert.throws(() => multiply(333, 0.5), MoneyError));
  it("averages", () => assert.equal(average([100, 101]), 101));
});

describe("allocate", () => {
  it("gives the rest to the first parts", () => assert.deepEqual(allocate(100, [1, 1, 1]), [34, 33, 33]));
  it("skips parts without a weight", () => assert.deepEqual(allocate(101, [0, 1, 1]), [0, 51, 50]));
  it("splits a credit note exactly", () => assert.deepEqual(allocate(-100, [1, 1, 1]), [-33, -33, -34]));
  it("adds up for every amount", () => {
    for (let cents = -250; cents <= 250; cents += 7) {
      const parts = allocate(cents, [3, 5, 0, 11]);
      assert.equal(
        parts.reduce((left, right) => left + right, 0),
        cents,
        `parts of ${cents} add up`,
      );
    }
  });
  it("refuses weights that are all zero", () => assert.throws(() => allocate(5, [0, 0]), MoneyError));
});
