import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { abcClasses, ageing, costOfNext, dailyUse, loadMovements, parseCsv, reorderList, saveMovements, valuation, valuationCsv } from "../src/index.js";
import { BOLT, GLUE, makeHouse, NUT, SAW } from "./fixtures.js";

const DAY = 24 * 60 * 60 * 1000;

function stocked() {
  const house = makeHouse();
  house.stock.receive(BOLT, 100, { unitCost: 10 });
  house.clock.advance(40 * DAY);
  house.stock.receive(BOLT, 100, { unitCost: 14 });
  house.stock.receive(SAW, 10, { unitCost: 900 });
  house.clock.advance(5 * DAY);
  house.stock.issue(BOLT, 50);
  return house;
}

describe("valuation", () => {
  it("takes the oldest layers first", () => {
    const { stock, catalog } = stocked();
    assert.equal(valuation(stock, catalog).total, 50 * 10 + 100 * 14 + 9000);
  });
  it("takes the average", () => {
    const { stock, catalog } = stocked();
    assert.equal(valuation(stock, catalog, { method: "average" }).lines.find(({ sku }) => sku === BOLT).value, 13 * 150);
  });
  it("is the same twice, whatever was asked between", () => {
    const { stock, catalog } = stocked();
    const first = valuation(stock, catalog).total;
    costOfNext(stock, BOLT, 75);
    assert.equal(valuation(stock, catalog).total, first);
  });
  it("writes a file for the accountant", () => {
    const { stock, catalog } = stocked();
    const rows = parseCsv(valuationCsv(valuation(stock, catalog)));
    assert.deepEqual(rows.at(-1).fields, ["", "Total", "", "109.00"]);
  });
});

describe("costOfNext", () => {
  it("walks the layers", () => assert.equal(costOfNext(stocked().stock, BOLT, 75), 50 * 10 + 25 * 14));
  it("asks the same question twice", () => {
    const { stock } = stocked();
    assert.equal(costOfNext(stock, BOLT, 75), costOfNext(stock, BOLT, 75));
  });
  it("says how many have a cost", () => assert.throws(() => costOfNext(stocked().stock, SAW, 11), /only 10 of/));
});

describe("lists", () => {
  it("sorts pieces into bands", () => {
    const { stock, clock } = stocked();
    const bands = ageing(stock, { now: clock() });
    assert.deepEqual([bands["≤ 30 days"].pieces, bands["≤ 90 days"].pieces], [110, 50]);
  });
  it("proposes whole cases", () => {
    const { stock, catalog } = stocked();
    stock.issue(BOLT, 120);
    const [first, second, third] = reorderList(stock, catalog);
    assert.deepEqual([first.sku, second.sku, third.sku], [GLUE, NUT, BOLT]);
    assert.equal(third.order, "2 cases");
  });
  it("knows what leaves in a day", () => {
    const { stock, clock } = stocked();
    assert.equal(dailyUse(stock, BOLT, { now: clock(), days: 10 }), 5);
  });
  it("sorts products into classes", () => {
    const { stock, catalog } = stocked();
    stock.issue(SAW, 9);
    assert.deepEqual(
      abcClasses(stock, catalog).map((each) => each.class),
      ["A", "B"],
    );
  });
});

describe("store", () => {
  it("plays a ledger back", async () => {
    const { stock, catalog } = stocked();
    const path = join(await mkdtemp(join(tmpdir(), "inventory-")), "movements.json");
    await saveMovements(path, stock);
    const again = await loadMovements(path, { catalog });
    assert.deepEqual(again.movements(), stock.movements());
    assert.equal(JSON.parse(await readFile(path, "utf8")).version, 2);
  });
});
