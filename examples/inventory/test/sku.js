import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describePieces, isSku, makeSku, normaliseSku, parseSku, SkuError, splitPieces, toPieces, UnitError } from "../src/index.js";
import { massOf, toGrams } from "../src/units.js";
import { BOLT, GLUE, makeCatalog } from "./fixtures.js";

describe("sku", () => {
  it("makes what it parses", () => {
    for (const number of [0, 1, 99, 10007, 99999]) assert.equal(parseSku(makeSku("BOL", number)).number, number);
  });
  it("finds every single wrong digit", () => {
    const good = makeSku("SAW", 20003);
    for (let at = 4; at < 9; at += 1) {
      const wrong = good.slice(0, at) + ((Number(good[at]) + 1) % 10) + good.slice(at + 1);
      assert.equal(isSku(wrong), false, wrong);
    }
  });
  it("says the digit it expected", () => assert.throws(() => parseSku(`${BOLT.slice(0, -1)}${(Number(BOLT.at(-1)) + 1) % 10}`), /must be \d$/));
  for (const text of ["", "BOL10007", "bol-10007-1", "BOLT-10007-1", "BOL-1007-1"]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseSku(text), SkuError));
  }
  it("repairs typing errors", () => assert.equal(normaliseSku(" bol 1OOO7 9 "), "BOL-10007-9"));
});

describe("units", () => {
  const packaging = { pack: 6, case: 48 };
  it("counts cases in pieces", () => assert.equal(toPieces(3, "case", packaging), 144));
  it("knows dozens without a product", () => assert.equal(toPieces(1.5, "dozen"), 18));
  it("refuses half a piece", () => assert.throws(() => toPieces(0.3, "pair"), UnitError));
  it("names the units it knows", () => assert.throws(() => toPieces(1, "pallet", packaging), /each, pair, dozen, gross, pack, case/));
  it("splits from the largest", () => assert.deepEqual(splitPieces(250, packaging), { case: 5, pack: 1, each: 4 }));
  it("describes", () => assert.equal(describePieces(97, packaging), "2 cases + 1 each"));
  it("weighs", () => assert.equal(toGrams(1.5, "kg"), 1500));
  it("names products without a weight", () => {
    const lines = [
      { sku: BOLT, quantity: 10 },
      { sku: GLUE, quantity: 1 },
    ];
    assert.deepEqual(massOf(lines, makeCatalog()), { grams: 180, unknown: [GLUE] });
  });
});
