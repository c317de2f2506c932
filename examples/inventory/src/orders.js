// The life of an order: draft → confirmed → (partly) shipped → closed, or cancelled on the way.
import { EventBus } from "./events.js";
import { quote } from "./pricing.js";

const NEXT = {
  draft: ["confirmed", "cancelled"],
  confirmed: ["partly_shipped", "shipped", "cancelled"],
  partly_shipped: ["partly_shipped", "shipped", "cancelled"],
  shipped: ["closed"],
  closed: [],
  cancelled: [],
};

export class OrderError extends Error {
  constructor(message, detail) {
    super(message);
    this.name = "OrderError";
    Object.assign(this, detail);
  }
}

export class OrderBook {
  #orders = new Map();
  #stock;
  #prices;
  #nextNumber = 1;

  constructor({ stock, prices, events = new EventBus() }) {
    this.#stock = stock;
    this.#prices = prices;
    this.events = events;
  }

  /** A draft holds no stock yet. Lines of the same product are joined. */
  draft(customer, lines) {
    if (lines.length === 0) throw new OrderError("an order needs a line", { customer });
    const joined = new Map();
    for (const { sku, quantity } of lines) {
      if (!Number.isInteger(quantity) || quantity < 1) throw new OrderError(`not a quantity: ${quantity}`, { sku });
      joined.set(sku, (joined.get(sku) ?? 0) + quantity);
    }
    const order = {
      number: `O${String(this.#nextNumber).padStart(5, "0")}`,
      customer,
      state: "draft",
      lines: [...joined].map(([sku, quantity]) => ({ sku, quantity, shipped: 0, reservation: null })),
      quote: null,
      history: [{ state: "draft" }],
    };
    this.#nextNumber += 1;
    this.#orders.set(order.number, order);
    return order.number;
  }

  /** Reserves every line or none, and fixes the price. */
  confirm(number, { discounts = [], taxClassOf } = {}) {
    const order = this.#open(number, "confirmed");
    const reserved = [];
    try {
      for (const line of order.lines) {
        line.reservation = this.#stock.reserve(line.sku, line.quantity, { reference: number });
        reserved.push(line);
      }
    } catch (error) {
      for (const line of reserved) {
        this.#stock.release(line.reservation);
        line.reservation = null;
      }
      throw new OrderError(`${number} cannot be confirmed: ${error.message}`, { number, cause: error });
    }
    order.quote = quote(order.lines, { prices: this.#prices, discounts, taxClassOf });
    this.#enter(order, "confirmed");
    return order.quote;
  }

  /** Ships what `parcel` says, or all that is open: { sku: quantity }. */
  ship(number, parcel) {
    const order = this.#get(number);
    const wanted = parcel ?? Object.fromEntries(order.lines.map((line) => [line.sku, line.quantity - line.shipped]));
    this.#checkParcel(order, wanted);
    for (const [sku, quantity] of Object.entries(wanted)) {
      if (quantity === 0) continue;
      const line = order.lines.find((each) => each.sku === sku);
      this.#stock.issue(sku, quantity, { reservation: line.reservation, reference: number });
      line.shipped += quantity;
      if (line.shipped === line.quantity) line.reservation = null;
    }
    const complete = order.lines.every((line) => line.shipped === line.quantity);
    this.#enter(order, complete ? "shipped" : "partly_shipped");
    return order.state;
  }

  /** What was not shipped is released; what was shipped is on its way back and restocked. */
  cancel(number, { reason = null } = {}) {
    const order = this.#open(number, "cancelled");
    for (const line of order.lines) {
      if (line.reservation) this.#stock.release(line.reservation);
      line.reservation = null;
      if (line.shipped > 0) this.#stock.restock(line.sku, line.quantity, { reference: number });
    }
    this.#enter(order, "cancelled", { reason });
  }

  close(number) {
    this.#enter(this.#open(number, "closed"), "closed");
  }

  get(number) {
    return structuredClone(this.#get(number));
  }

  list({ state, customer } = {}) {
    return [...this.#orders.values()]
      .filter((order) => (state === undefined || order.state === state) && (customer === undefined || order.customer === customer))
      .map((order) => structuredClone(order));
  }

  /** Open quantities by product, over all confirmed orders. */
  backlog() {
    const open = new Map();
    for (const order of this.#orders.values()) {
      if (order.state !== "confirmed" && order.state !== "partly_shipped") continue;
      for (const line of order.lines) {
        const rest = line.quantity - line.shipped;
        if (rest > 0) open.set(line.sku, (open.get(line.sku) ?? 0) + rest);
      }
    }
    return Object.fromEntries([...open].sort());
  }

  #checkParcel(order, wanted) {
    if (order.state !== "confirmed" && order.state !== "partly_shipped")
      throw new OrderError(`${order.number} is ${order.state} and cannot ship`, { number: order.number });
    for (const [sku, quantity] of Object.entries(wanted)) {
      const line = order.lines.find((each) => each.sku === sku);
      if (!line) throw new OrderError(`${order.number} has no line ${sku}`, { number: order.number, sku });
      const rest = line.quantity - line.shipped;
      if (quantity > rest) throw new OrderError(`${order.number} has ${rest} of ${sku} open, not ${quantity}`, { number: order.number, sku });
    }
  }

  #open(number, next) {
    const order = this.#get(number);
    if (!NEXT[order.state].includes(next)) throw new OrderError(`${number} is ${order.state} and cannot become ${next}`, { number, state: order.state });
    return order;
  }

  #enter(order, state, detail = {}) {
    order.state = state;
    order.history.push({ state, ...detail });
    this.events.emit(`order.${state}`, { number: order.number });
  }

  #get(number) {
    const order = this.#orders.get(number);
    if (!order) throw new OrderError(`no order ${number}`, { number });
    return order;
  }
}
