import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { OrderError } from "../src/index.js";
import { BOLT, makeHouse, NUT, SAW } from "./fixtures.js";

describe("OrderBook", () => {
  let house;
  beforeEach(() => {
    house = makeHouse();
    house.stock.receive(BOLT, 500, { unitCost: 12 });
    house.stock.receive(NUT, 200, { unitCost: 8 });
    house.stock.receive(SAW, 4, { unitCost: 900 });
  });

  it("joins lines of one product", () => {
    const number = house.orders.draft("ACME", [
      { sku: BOLT, quantity: 10 },
      { sku: BOLT, quantity: 5 },
    ]);
    assert.deepEqual(
      house.orders.get(number).lines.map(({ quantity }) => quantity),
      [15],
    );
  });
  it("reserves on confirmation", () => {
    const number = house.orders.draft("ACME", [{ sku: BOLT, quantity: 100 }]);
    house.orders.confirm(number);
    assert.equal(house.stock.available(BOLT), 400);
    assert.equal(house.stock.onHand(BOLT), 500);
  });
  it("reserves every line or none", () => {
    const number = house.orders.draft("ACME", [
      { sku: BOLT, quantity: 100 },
      { sku: SAW, quantity: 5 },
    ]);
    assert.throws(() => house.orders.confirm(number), OrderError);
    assert.equal(house.stock.available(BOLT), 500);
  });
  it("ships in parts", () => {
    const number = house.orders.draft("ACME", [
      { sku: BOLT, quantity: 100 },
      { sku: NUT, quantity: 50 },
    ]);
    house.orders.confirm(number);
    assert.equal(house.orders.ship(number, { [BOLT]: 60 }), "partly_shipped");
    assert.deepEqual(house.orders.backlog(), { [BOLT]: 40, [NUT]: 50 });
    assert.equal(house.orders.ship(number), "shipped");
    assert.equal(house.stock.onHand(BOLT), 400);
    assert.equal(house.stock.reserved(BOLT), 0);
  });
  it("never ships more than is open", () => {
    const number = house.orders.draft("ACME", [{ sku: BOLT, quantity: 10 }]);
    house.orders.confirm(number);
    assert.throws(() => house.orders.ship(number, { [BOLT]: 11 }), /has 10 of/);
  });
  it("gives back a cancelled order", () => {
    const number = house.orders.draft("ACME", [{ sku: BOLT, quantity: 100 }]);
    house.orders.confirm(number);
    house.orders.cancel(number, { reason: "changed their mind" });
    assert.equal(house.stock.available(BOLT), 500);
    assert.equal(house.orders.get(number).state, "cancelled");
  });
  it("restocks only what was shipped", () => {
    const number = house.orders.draft("ACME", [{ sku: BOLT, quantity: 100 }]);
    house.orders.confirm(number);
    house.orders.ship(number, { [BOLT]: 30 });
    house.orders.cancel(number);
    assert.equal(house.stock.onHand(BOLT), 500);
    assert.equal(house.stock.available(BOLT), 500);
  });
  it("does not reopen", () => {
    const number = house.orders.draft("ACME", [{ sku: BOLT, quantity: 1 }]);
    house.orders.cancel(number);
    assert.throws(() => house.orders.confirm(number), /is cancelled and cannot become confirmed/);
  });
});
