// The ledger: every piece that came, went or was counted is a movement; nothing is ever overwritten.
import { EventBus } from "./events.js";
import { assertCents } from "./money.js";

export class StockError extends Error {
  constructor(message, detail) {
    super(message);
    this.name = "StockError";
    Object.assign(this, detail);
  }
}

const RESERVATION_MS = 30 * 60 * 1000;

export class StockLedger {
  #movements = [];
  #onHand = new Map();
  #layers = new Map();
  #reservations = new Map();
  #catalog;
  #clock;
  #nextReservation = 1;
  #openedAt;

  /** `clock` gives milliseconds; tests hand in their own. */
  constructor({ catalog, clock = Date.now, events = new EventBus() }) {
    this.#catalog = catalog;
    this.#clock = clock;
    this.#openedAt = clock();
    this.events = events;
  }

  /** Goods came in. The unit cost opens a layer for the FIFO valuation. */
  receive(sku, quantity, { unitCost, location = null, reference = null } = {}) {
    this.#assertKnown(sku);
    assertQuantity(quantity);
    assertCents(unitCost);
    const movement = this.#append({ kind: "receipt", sku, quantity, unitCost, location, reference });
    this.#layersOf(sku).push({ quantity, unitCost, receivedAt: movement.at });
    this.events.emit("stock.received", { sku, quantity });
    return movement;
  }

  /** Goods went out. Reserved pieces can only leave through their reservation. */
  issue(sku, quantity, { reservation = null, reference = null } = {}) {
    this.#assertKnown(sku);
    assertQuantity(quantity);
    const held = reservation === null ? 0 : this.#takeReservation(reservation, sku, quantity);
    const free = this.available(sku) + held;
    if (quantity > free) {
      if (reservation !== null) this.#reservations.get(reservation).quantity += held;
      throw new StockError(`only ${free} of ${sku} available, ${quantity} wanted`, { sku, available: free, wanted: quantity });
    }
    const movement = this.#append({ kind: "issue", sku, quantity: -quantity, reference });
    this.#consumeLayers(sku, quantity);
    this.events.emit("stock.issued", { sku, quantity });
    if (this.onHand(sku) < this.#catalog.get(sku).reorderPoint) this.events.emit("stock.low", { sku, onHand: this.onHand(sku) });
    return movement;
  }

  /** Pieces of a cancelled or returned order come back, at the cost they left with if it is known. */
  restock(sku, quantity, { unitCost, reference = null } = {}) {
    const cost = unitCost ?? this.averageCost(sku);
    return this.receive(sku, quantity, { unitCost: cost, reference });
  }

  /** A count in the warehouse: the difference becomes a movement of its own. */
  count(sku, counted, { reference = null } = {}) {
    this.#assertKnown(sku);
    if (!Number.isInteger(counted) || counted < 0) throw new StockError(`not a count: ${counted}`, { sku });
    const difference = counted - this.onHand(sku);
    if (difference === 0) return null;
    const movement = this.#append({ kind: "adjustment", sku, quantity: difference, reference });
    if (difference > 0) this.#layersOf(sku).push({ quantity: difference, unitCost: this.averageCost(sku), receivedAt: movement.at });
    else this.#consumeLayers(sku, -difference);
    this.events.emit("stock.adjusted", { sku, difference });
    return movement;
  }

  reserve(sku, quantity, { forMs = RESERVATION_MS, reference = null } = {}) {
    this.#assertKnown(sku);
    assertQuantity(quantity);
    const free = this.available(sku);
    if (quantity > free) throw new StockError(`only ${free} of ${sku} available, ${quantity} wanted`, { sku, available: free, wanted: quantity });
    const id = `R${String(this.#nextReservation).padStart(6, "0")}`;
    this.#nextReservation += 1;
    this.#reservations.set(id, { id, sku, quantity, expiresAt: this.#clock() + forMs, reference });
    this.events.emit("stock.reserved", { sku, quantity, reservation: id });
    return id;
  }

  release(id) {
    const reservation = this.#reservations.get(id);
    if (!reservation) throw new StockError(`no reservation ${id}`, { reservation: id });
    this.#reservations.delete(id);
    this.events.emit("stock.released", { sku: reservation.sku, quantity: reservation.quantity, reservation: id });
  }

  /** Drops reservations that have expired and says how many. */
  sweep() {
    const now = this.#clock();
    const expired = [...this.#reservations.values()].filter((each) => each.expiresAt <= now);
    for (const { id } of expired) this.release(id);
    return expired.length;
  }

  onHand(sku) {
    this.#assertKnown(sku);
    return this.#onHand.get(sku) ?? 0;
  }

  /** Pieces held by reservations that have not expired. */
  reserved(sku) {
    let quantity = 0;
    for (const reservation of this.#reservations.values()) {
      if (reservation.sku === sku && reservation.expiresAt > this.#openedAt) quantity += reservation.quantity;
    }
    return quantity;
  }

  available(sku) {
    return this.onHand(sku) - this.reserved(sku);
  }

  /** The cost of one piece over all layers, in cents; zero when there is none on hand. */
  averageCost(sku) {
    let value = 0;
    let quantity = 0;
    for (const layer of this.#layersOf(sku)) {
      value += layer.unitCost * layer.quantity;
      quantity += layer.quantity;
    }
    return quantity === 0 ? 0 : Math.round(value / quantity);
  }

  /** The open layers of a product, oldest first. */
  layers(sku) {
    this.#assertKnown(sku);
    return this.#layersOf(sku);
  }

  movements({ sku, kind, since } = {}) {
    return this.#movements.filter(
      (each) => (sku === undefined || each.sku === sku) && (kind === undefined || each.kind === kind) && (since === undefined || each.at >= since),
    );
  }

  skus() {
    return [...this.#onHand.keys()].sort();
  }

  #takeReservation(id, sku, quantity) {
    const reservation = this.#reservations.get(id);
    if (!reservation || reservation.sku !== sku) throw new StockError(`no reservation ${id} of ${sku}`, { reservation: id });
    const held = Math.min(reservation.quantity, quantity);
    reservation.quantity -= held;
    if (reservation.quantity === 0) this.#reservations.delete(id);
    return held;
  }

  #append(movement) {
    const entry = Object.freeze({ number: this.#movements.length + 1, at: this.#clock(), ...movement });
    this.#movements.push(entry);
    this.#onHand.set(entry.sku, (this.#onHand.get(entry.sku) ?? 0) + entry.quantity);
    return entry;
  }

  #consumeLayers(sku, quantity) {
    const layers = this.#layersOf(sku);
    let rest = quantity;
    while (rest > 0 && layers.length > 0) {
      const [oldest] = layers;
      const taken = Math.min(oldest.quantity, rest);
      oldest.quantity -= taken;
      rest -= taken;
      if (oldest.quantity === 0) layers.shift();
    }
  }

  #layersOf(sku) {
    const layers = this.#layers.get(sku) ?? [];
    this.#layers.set(sku, layers);
    return layers;
  }

  #assertKnown(sku) {
    if (!this.#catalog.has(sku)) throw new StockError(`${sku} is not in the catalog`, { sku });
  }
}

function assertQuantity(quantity) {
  if (!Number.isInteger(quantity) || quantity < 1) throw new StockError(`not a quantity: ${quantity}`, { quantity });
}
