// Amounts of money as whole cents. Nothing in this library adds floats.

const AMOUNT = /^\s*([+-]?)\s*(?:([A-Z]{3})\s+)?(\d{1,3}(?:[ ']\d{3})+|\d+)(?:[.,](\d{1,2}))?\s*$/;
const SYMBOLS = { EUR: "€", USD: "$", GBP: "£", CHF: "CHF " };

export class MoneyError extends Error {
  constructor(message, input) {
    super(message);
    this.name = "MoneyError";
    this.input = input;
  }
}

/**
 * Reads "12.50", "1 250,00" or "EUR 3.5" as cents.
 * The thousands separator is a space or an apostrophe; a third decimal is refused, not rounded.
 */
export function parseAmount(text) {
  if (typeof text === "number") {
    if (!Number.isSafeInteger(text)) throw new MoneyError("a number must already be whole cents", text);
    return text;
  }
  const match = AMOUNT.exec(String(text));
  if (!match) throw new MoneyError(`not an amount: ${JSON.stringify(text)}`, text);
  const [, sign, , whole, fraction = ""] = match;
  const cents = Number(whole.replace(/[ ']/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}

/** 123456 → "1234.56"; with a currency "€1234.56". */
export function formatAmount(cents, currency) {
  assertCents(cents);
  const sign = cents < 0 ? "-" : "";
  const absolute = Math.abs(cents);
  const text = `${Math.floor(absolute / 100)}.${String(absolute % 100).padStart(2, "0")}`;
  if (!currency) return sign + text;
  return `${sign}${SYMBOLS[currency] ?? `${currency} `}${text}`;
}

export function assertCents(value) {
  if (!Number.isSafeInteger(value)) throw new MoneyError(`expected whole cents, found ${value}`, value);
  return value;
}

/** Half away from zero, the rule of the tax office. */
export function roundCents(value) {
  const rounded = Math.sign(value) * Math.round(Math.abs(value));
  return rounded === 0 ? 0 : rounded;
}

export function percentOf(cents, percent) {
  return roundCents((assertCents(cents) * percent) / 100);
}

export function multiply(cents, quantity) {
  const product = assertCents(cents) * quantity;
  if (!Number.isSafeInteger(product)) throw new MoneyError("the product is not a whole number of cents", product);
  return product;
}

export function sum(amounts) {
  let total = 0;
  for (const amount of amounts) total += assertCents(amount);
  return total;
}

/**
 * Splits an amount by weights so that the parts add up to it exactly.
 * What rounding leaves over goes, one cent each, to the first parts with a weight.
 */
export function allocate(cents, weights) {
  assertCents(cents);
  if (weights.length === 0) throw new MoneyError("nothing to allocate to", weights);
  if (weights.some((weight) => weight < 0)) throw new MoneyError("a weight is negative", weights);
  const whole = weights.reduce((left, right) => left + right, 0);
  if (whole === 0) throw new MoneyError("all weights are zero", weights);
  const parts = weights.map((weight) => Math.trunc((cents * weight) / whole));
  let rest = cents - sum(parts);
  for (let index = 0; rest > 0; index = (index + 1) % parts.length) {
    if (weights[index] === 0) continue;
    parts[index] += 1;
    rest -= 1;
  }
  return parts;
}

/** The mean of amounts, rounded to cents; zero for none. */
export function average(amounts) {
  return amounts.length === 0 ? 0 : roundCents(sum(amounts) / amounts.length);
}
