import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Catalog, CatalogError, importCatalog } from "../src/index.js";
import { BOLT, GLUE, makeCatalog, NUT, SAW } from "./fixtures.js";

describe("Catalog", () => {
  it("refuses a SKU twice", () => assert.throws(() => makeCatalog().add({ sku: BOLT, name: "again", price: 1 }), /already in the catalog/));
  it("refuses a negative price", () => assert.throws(() => new Catalog().add({ sku: BOLT, name: "x", price: -1 }), CatalogError));
  it("finds by the beginning of words", () =>
    assert.deepEqual(
      makeCatalog()
        .search("8 mm")
        .map(({ sku }) => sku),
      [BOLT, NUT],
    ));
  it("finds without accents", () =>
    assert.deepEqual(
      makeCatalog()
        .search("epoxy")
        .map(({ sku }) => sku),
      [GLUE],
    ));
  it("wants every word", () => assert.deepEqual(makeCatalog().search("wing crosscut"), []));
  it("forgets old words on update", () => {
    const catalog = makeCatalog();
    catalog.update(SAW, { name: "Saw blade, rip", tags: [] });
    assert.deepEqual(catalog.search("crosscut"), []);
    assert.equal(catalog.search("rip")[0].sku, SAW);
  });
  it("walks down the categories", () =>
    assert.deepEqual(
      makeCatalog()
        .inCategory("Fasteners")
        .map(({ sku }) => sku),
      [BOLT, NUT],
    ));
  it("does not take a prefix for a category", () => assert.deepEqual(makeCatalog().inCategory("fast"), []));
  it("counts categories", () => assert.equal(makeCatalog().categoryTree().fasteners.count, 2));
});

describe("importCatalog", () => {
  const head = "SKU,Name,Category,Price,Weight,Packaging,Tags,Reorder point,Supplier\n";
  it("adds and updates", () => {
    const catalog = makeCatalog();
    const text = `${head}${BOLT},"Bolt, hex, M8",fasteners/bolts,0.50,18 g,pack:6,hex,120,Kettler & Sohn\n`;
    assert.deepEqual(importCatalog(text, catalog), { added: 0, updated: 1 });
    assert.equal(catalog.get(BOLT).price, 50);
    assert.deepEqual(catalog.get(BOLT).packaging, { pack: 6 });
  });
  it("names the line", () => assert.throws(() => importCatalog(`${head}${BOLT},Bolt,x,abc,,,,,\n`, new Catalog()), /line 2: not an amount/));
});
