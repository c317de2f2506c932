// catalog.csv into the catalog.
import { parseTable } from "./csv.js";
import { parseAmount } from "./money.js";
import { normaliseSku } from "./sku.js";
import { toGrams } from "./units.js";

const REQUIRED = ["sku", "name", "category", "price"];

/** A row of the file as a product. */
export function productOf(values) {
  for (const name of REQUIRED) {
    if (!values[name]) throw new Error(`the column "${name}" is empty`);
  }
  return {
    sku: normaliseSku(values.sku),
    name: values.name,
    category: values.category,
    price: parseAmount(values.price),
    state: values.state || undefined,
    grams: values.weight ? weightOf(values.weight) : undefined,
    packaging: packagingOf(values.packaging),
    tags: (values.tags ?? "").split(";").filter(Boolean),
    reorderPoint: values.reorder_point ? wholeNumber(values.reorder_point, "reorder_point") : 0,
    supplier: values.supplier || null,
  };
}

/** Adds every row; known SKUs are updated. Stops at the first row that cannot be read. */
export function importCatalog(text, catalog) {
  let added = 0;
  let updated = 0;
  for (const { line, values } of parseTable(text)) {
    try {
      const product = productOf(values);
      if (catalog.has(product.sku)) {
        catalog.update(product.sku, product);
        updated += 1;
      } else {
        catalog.add(product);
        added += 1;
      }
    } catch (error) {
      throw new Error(`line ${line}: ${error.message}`, { cause: error });
    }
  }
  return { added, updated };
}

function weightOf(text) {
  const match = /^(\d+(?:\.\d+)?)\s*(g|kg|t)$/.exec(text);
  if (!match) throw new Error(`not a weight: "${text}"`);
  return toGrams(Number(match[1]), match[2]);
}

/** "pack:6;case:24" → { pack: 6, case: 24 } */
function packagingOf(text = "") {
  const packaging = {};
  for (const part of text.split(";").filter(Boolean)) {
    const [unit, size] = part.split(":");
    packaging[unit.trim()] = wholeNumber(size, `packaging ${unit}`);
  }
  return packaging;
}

function wholeNumber(text, what) {
  if (!/^\d+$/.test((text ?? "").trim())) throw new Error(`${what} is not a whole number: "${text}"`);
  return Number(text);
}
