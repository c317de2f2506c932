// Article numbers: three letters of the family, five digits, one check digit, as in BOL-10007-1.

const SHAPE = /^([A-Z]{3})-(\d{5})-(\d)$/;
const WEIGHTS = [7, 3, 1, 7, 3, 1, 7, 3];

export class SkuError extends Error {
  constructor(message, input) {
    super(message);
    this.name = "SkuError";
    this.input = input;
  }
}

export function checkDigit(family, number) {
  const digits = [...family].map((letter) => letter.charCodeAt(0) - 64).concat([...number].map(Number));
  const total = digits.reduce((left, digit, index) => left + digit * WEIGHTS[index], 0);
  return (10 - (total % 10)) % 10;
}

export function makeSku(family, number) {
  const digits = String(number).padStart(5, "0");
  if (!/^[A-Z]{3}$/.test(family) || digits.length !== 5) throw new SkuError(`cannot make a SKU of ${family} and ${number}`, family);
  return `${family}-${digits}-${checkDigit(family, digits)}`;
}

/** @returns {{ family: string, number: number, check: number }} */
export function parseSku(text) {
  const match = SHAPE.exec(text);
  if (!match) throw new SkuError(`expected a SKU like BOL-10007-1, found ${JSON.stringify(text)}`, text);
  const [, family, number, check] = match;
  const expected = checkDigit(family, number);
  if (Number(check) !== expected) throw new SkuError(`check digit of ${text} must be ${expected}`, text);
  return { family, number: Number(number), check: expected };
}

export function isSku(text) {
  try {
    parseSku(text);
    return true;
  } catch {
    return false;
  }
}

/** Typing errors people make: lower case, spaces for dashes, the letter O for a zero. */
export function normaliseSku(text) {
  const tight = String(text)
    .trim()
    .toUpperCase()
    .replace(/[\s_]+/g, "-");
  const [family, number = "", check = ""] = tight.split("-");
  return [family, number.replaceAll("O", "0"), check.replaceAll("O", "0")].join("-");
}
