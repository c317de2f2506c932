// Locations of one warehouse: aisle, bay and level, as in A-01-1.

const LOCATION = /^([A-Z])-(\d{2})-([1-6])$/;
const AISLE_STEPS = 30;
const LEVEL_STEPS = 2;

export class LocationError extends Error {
  constructor(message, location) {
    super(message);
    this.name = "LocationError";
    this.location = location;
  }
}

export function parseLocation(text) {
  const match = LOCATION.exec(text);
  if (!match) throw new LocationError(`expected a location like A-01-1, found ${JSON.stringify(text)}`, text);
  return { aisle: match[1], bay: Number(match[2]), level: Number(match[3]) };
}

/** Steps between two locations: along the bays, around the end of an aisle, up the levels. */
export function distance(from, to) {
  const left = parseLocation(from);
  const right = parseLocation(to);
  const levels = Math.abs(left.level - right.level) * LEVEL_STEPS;
  if (left.aisle === right.aisle) return Math.abs(left.bay - right.bay) + levels;
  const aisles = Math.abs(left.aisle.charCodeAt(0) - right.aisle.charCodeAt(0));
  return left.bay + right.bay + aisles * AISLE_STEPS + levels;
}

export class Warehouse {
  #capacity = new Map();
  #content = new Map();

  constructor(locations) {
    for (const [location, capacity] of Object.entries(locations)) {
      parseLocation(location);
      this.#capacity.set(location, capacity);
      this.#content.set(location, new Map());
    }
  }

  locations() {
    return [...this.#capacity.keys()].sort();
  }

  free(location) {
    return this.#capacityOf(location) - this.#used(location);
  }

  put(location, sku, quantity) {
    const free = this.free(location);
    if (quantity > free) throw new LocationError(`${location} has room for ${free} pieces, not ${quantity}`, location);
    const content = this.#content.get(location);
    content.set(sku, (content.get(sku) ?? 0) + quantity);
  }

  take(location, sku, quantity) {
    this.#capacityOf(location);
    const content = this.#content.get(location);
    const here = content.get(sku) ?? 0;
    if (quantity > here) throw new LocationError(`${location} holds ${here} of ${sku}, not ${quantity}`, location);
    if (here === quantity) content.delete(sku);
    else content.set(sku, here - quantity);
  }

  /** Where a product lies, fullest location first. */
  find(sku) {
    return [...this.#content]
      .filter(([, content]) => content.has(sku))
      .map(([location, content]) => ({ location, quantity: content.get(sku) }))
      .sort((left, right) => right.quantity - left.quantity || left.location.localeCompare(right.location));
  }

  /** A walk through the locations of a picking list, always to the nearest one next. */
  route(wanted, start = "A-01-1") {
    const open = new Set(wanted);
    const stops = [];
    let steps = 0;
    let here = start;
    while (open.size > 0) {
      const next = [...open].sort((left, right) => distance(here, left) - distance(here, right) || left.localeCompare(right))[0];
      steps += distance(here, next);
      stops.push(next);
      open.delete(next);
      here = next;
    }
    return { stops, steps };
  }

  #capacityOf(location) {
    const capacity = this.#capacity.get(location);
    if (capacity === undefined) throw new LocationError(`no location ${location}`, location);
    return capacity;
  }

  #used(location) {
    let used = 0;
    for (const quantity of this.#content.get(location).values()) used += quantity;
    return used;
  }
}
