// Products by SKU, with search and categories.
import { assertCents } from "./money.js";
import { parseSku } from "./sku.js";

export class CatalogError extends Error {
  constructor(message, sku) {
    super(message);
    this.name = "CatalogError";
    this.sku = sku;
  }
}

const STATES = new Set(["active", "discontinued", "blocked"]);

/** Checks a product and fills in what may be left out. */
export function makeProduct(input) {
  parseSku(input.sku);
  const name = String(input.name ?? "").trim();
  if (name === "") throw new CatalogError("a product needs a name", input.sku);
  const price = assertCents(input.price);
  if (price < 0) throw new CatalogError(`the price of ${input.sku} is negative`, input.sku);
  const state = input.state ?? "active";
  if (!STATES.has(state)) throw new CatalogError(`unknown state "${state}"`, input.sku);
  return Object.freeze({
    sku: input.sku,
    name,
    category: normaliseCategory(input.category ?? "misc"),
    price,
    state,
    grams: input.grams,
    packaging: Object.freeze({ ...input.packaging }),
    tags: Object.freeze([...(input.tags ?? [])].map((tag) => tag.toLowerCase()).sort()),
    reorderPoint: input.reorderPoint ?? 0,
    supplier: input.supplier ?? null,
  });
}

function normaliseCategory(text) {
  return text
    .split("/")
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean)
    .join("/");
}

export class Catalog {
  #products = new Map();
  #words = new Map();
  #categories = new Map();

  get size() {
    return this.#products.size;
  }

  add(input) {
    const product = makeProduct(input);
    if (this.#products.has(product.sku)) throw new CatalogError(`${product.sku} is already in the catalog`, product.sku);
    this.#insert(product);
    return product;
  }

  /** Replaces single properties of a product; the SKU stays. */
  update(sku, changes) {
    const before = this.get(sku);
    const after = makeProduct({ ...before, ...changes, sku });
    this.#remove(before);
    this.#insert(after);
    return after;
  }

  get(sku) {
    const product = this.#products.get(sku);
    if (!product) throw new CatalogError(`no product ${sku}`, sku);
    return product;
  }

  has(sku) {
    return this.#products.has(sku);
  }

  *[Symbol.iterator]() {
    yield* this.#products.values();
  }

  /** Products whose name, tags or supplier hold every word of the query, best first. */
  search(query, { limit = 20, state } = {}) {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const scores = new Map();
    for (const word of words) {
      for (const [known, skus] of this.#words) {
        if (!known.startsWith(word)) continue;
        for (const sku of skus) {
          const entry = scores.get(sku) ?? { hits: new Set(), score: 0 };
          entry.hits.add(word);
          entry.score += known === word ? 2 : 1;
          scores.set(sku, entry);
        }
      }
    }
    return [...scores]
      .filter(([, { hits }]) => hits.size === words.length)
      .map(([sku, { score }]) => ({ product: this.get(sku), score }))
      .filter(({ product }) => state === undefined || product.state === state)
      .sort((left, right) => right.score - left.score || left.product.sku.localeCompare(right.product.sku))
      .slice(0, limit)
      .map(({ product }) => product);
  }

  /** All products of a category and of those below it. */
  inCategory(path) {
    const wanted = normaliseCategory(path);
    const found = [];
    for (const [category, skus] of this.#categories) {
      if (category === wanted || category.startsWith(`${wanted}/`)) found.push(...skus);
    }
    return found.sort().map((sku) => this.get(sku));
  }

  /** Categories as a tree of counts: { tools: { count: 4, below: { hand: … } } }. */
  categoryTree() {
    const root = {};
    for (const [category, skus] of [...this.#categories].sort()) {
      let below = root;
      for (const part of category.split("/")) {
        below[part] ??= { count: 0, below: {} };
        below[part].count += skus.size;
        below = below[part].below;
      }
    }
    return root;
  }

  #insert(product) {
    this.#products.set(product.sku, product);
    for (const word of productWords(product)) collect(this.#words, word, product.sku);
    collect(this.#categories, product.category, product.sku);
  }

  #remove(product) {
    this.#products.delete(product.sku);
    for (const word of productWords(product)) release(this.#words, word, product.sku);
    release(this.#categories, product.category, product.sku);
  }
}

function productWords(product) {
  return new Set(wordsOf([product.name, ...product.tags, product.supplier ?? ""].join(" ")));
}

function wordsOf(text) {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function collect(index, key, value) {
  const set = index.get(key) ?? new Set();
  set.add(value);
  index.set(key, set);
}

function release(index, key, value) {
  const set = index.get(key);
  set?.delete(value);
  if (set?.size === 0) index.delete(key);
}
