// What the library offers.
export { Catalog, CatalogError, makeProduct } from "./catalog.js";
export { CsvError, formatCsv, parseCsv, parseTable } from "./csv.js";
export { EventBus } from "./events.js";
export { importCatalog, productOf } from "./import.js";
export { allocate, formatAmount, MoneyError, parseAmount } from "./money.js";
export { OrderBook, OrderError } from "./orders.js";
export { bestDiscount, PriceList, PricingError, quote } from "./pricing.js";
export { abcClasses, ageing, costOfNext, dailyUse, reorderList, valuation, valuationCsv } from "./reports.js";
export { isSku, makeSku, normaliseSku, parseSku, SkuError } from "./sku.js";
export { StockError, StockLedger } from "./stock.js";
export { loadMovements, saveMovements } from "./store.js";
export { describePieces, splitPieces, toPieces, UnitError } from "./units.js";
export { distance, LocationError, Warehouse } from "./warehouse.js";
