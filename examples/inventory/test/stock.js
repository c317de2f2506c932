import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StockError } from "../src/index.js";
import { BOLT, GLUE, makeHouse, NUT, SAW } from "./fixtures.js";

const MINUTE = 60_000;

describe("StockLedger", () => {
  it("adds up movements", () => {
    const { stock } = makeHouse();
    stock.receive(BOLT, 100, { unitCost: 12 });
    stock.issue(BOLT, 30);
    stock.count(BOLT, 68);
    assert.equal(stock.onHand(BOLT), 68);
    assert.deepEqual(
      stock.movements({ sku: BOLT }).map(({ kind, quantity }) => [kind, quantity]),
      [
        ["receipt", 100],
        ["issue", -30],
        ["adjustment", -2],
      ],
    );
  });
  it("refuses what is not there", () => {
    const { stock } = makeHouse();
    stock.receive(BOLT, 10, { unitCost: 12 });
    assert.throws(() => stock.issue(BOLT, 11), { name: "StockError", available: 10, wanted: 11 });
    assert.throws(() => stock.issue("BOL-99999-0", 1), StockError);
  });
  it("keeps movements frozen", () => {
    const { stock } = makeHouse();
    const movement = stock.receive(NUT, 5, { unitCost: 3 });
    assert.throws(() => {
      movement.quantity = 6;
    }, TypeError);
  });
  it("weighs the average cost by pieces", () => {
    const { stock } = makeHouse();
    stock.receive(GLUE, 10, { unitCost: 400 });
    stock.receive(GLUE, 30, { unitCost: 500 });
    assert.equal(stock.averageCost(GLUE), 475);
  });
  it("says when stock runs low", () => {
    const { stock } = makeHouse();
    const low = [];
    stock.events.on("stock.low", ({ sku, onHand }) => low.push([sku, onHand]));
    stock.receive(SAW, 8, { unitCost: 900 });
    stock.issue(SAW, 2);
    stock.issue(SAW, 2);
    assert.deepEqual(low, [[SAW, 4]]);
  });
});

describe("reservations", () => {
  it("hold pieces back", () => {
    const { stock } = makeHouse();
    stock.receive(BOLT, 100, { unitCost: 12 });
    stock.reserve(BOLT, 80);
    assert.equal(stock.available(BOLT), 20);
    assert.throws(() => stock.reserve(BOLT, 21), /only 20/);
  });
  it("let their own pieces leave", () => {
    const { stock } = makeHouse();
    stock.receive(BOLT, 100, { unitCost: 12 });
    const id = stock.reserve(BOLT, 100);
    stock.issue(BOLT, 60, { reservation: id });
    assert.equal(stock.reserved(BOLT), 40);
    assert.equal(stock.available(BOLT), 0);
  });
  it("expire without a sweep", () => {
    const { stock, clock } = makeHouse();
    stock.receive(BOLT, 100, { unitCost: 12 });
    stock.reserve(BOLT, 80, { forMs: 10 * MINUTE });
    clock.advance(11 * MINUTE);
    assert.equal(stock.reserved(BOLT), 0);
    assert.equal(stock.available(BOLT), 100);
  });
  it("do not block a new reservation once expired", () => {
    const { stock, clock } = makeHouse();
    stock.receive(NUT, 10, { unitCost: 3 });
    stock.reserve(NUT, 10);
    clock.advance(31 * MINUTE);
    assert.match(stock.reserve(NUT, 10), /^R\d{6}$/);
  });
  it("are swept once", () => {
    const { stock, clock } = makeHouse();
    stock.receive(BOLT, 100, { unitCost: 12 });
    stock.reserve(BOLT, 10);
    stock.reserve(BOLT, 10, { forMs: 60 * MINUTE });
    clock.advance(30 * MINUTE);
    assert.equal(stock.sweep(), 1);
    assert.equal(stock.sweep(), 0);
  });
});
