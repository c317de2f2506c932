// How many tokens a text takes, from the classes of its characters alone: one pass, no vocabulary, no allocation.
import type { Tokens } from "../session/index.ts";

/** Whose tokenizer is estimated. */
export type Family = "claude" | "o200k";

/** Tokens that one of each feature costs; fitted to counted texts of code, logs, listings, JSON, prose and eight languages. */
interface Weights {
  /** A run of letters. */
  readonly word: number;
  /** Each further hump in it: `camelCase` has one. */
  readonly hump: number;
  /** Each letter of a hump beyond the sixth. */
  readonly longLetter: number;
  /** Each begun group of three digits. */
  readonly digits: number;
  /** A run of two or more blanks; a single one belongs to the word behind it. */
  readonly blanks: number;
  /** A run of line ends. */
  readonly newlines: number;
  /** A run of punctuation. */
  readonly punct: number;
  /** Each further character of it. */
  readonly punctMore: number;
  readonly han: number;
  readonly hangul: number;
  readonly kana: number;
  /** What a letter beyond ASCII, of an alphabet, adds to its word. */
  readonly wideLetter: number;
  /** Any other UTF-16 unit beyond ASCII. */
  readonly other: number;
  /** A character of base64 and the like: letters, digits and signs without order. */
  readonly cipher: number;
}

const WEIGHTS: Readonly<Record<Family, Weights>> = {
  claude: {
    word: 1.06,
    hump: 0.79,
    longLetter: 0.285,
    digits: 1.22,
    blanks: 0.94,
    newlines: 0.39,
    punct: 1.0,
    punctMore: 0.41,
    han: 0.97,
    hangul: 1.08,
    kana: 1.02,
    wideLetter: 0.45,
    other: 1.2,
    cipher: 0.72,
  },
  o200k: {
    word: 0.88,
    hump: 0.64,
    longLetter: 0.215,
    digits: 1.57,
    blanks: 1.42,
    newlines: 0.66,
    punct: 0.54,
    punctMore: 0.54,
    han: 0.75,
    hangul: 0.55,
    kana: 0.655,
    wideLetter: 0.16,
    other: 0.72,
    cipher: 0.63,
  },
};

const LOWER = 0;
const UPPER = 1;
const WIDE = 2;
const DIGIT = 3;
const BLANK = 4;
const NEWLINE = 5;
const PUNCT = 6;
const HAN = 7;
const HANGUL = 8;
const KANA = 9;
const OTHER = 10;

/** Characters of one class in a row from which on repeats are looked for. */
const LONG_RUN = 24;
/** Repeats of one character that go into one token, by class. */
const REPEATS_PER_TOKEN: readonly number[] = [8, 8, 1, 3, 128, 16, 64, 1, 1, 1, 8];
/** A stretch of base64 characters shorter than this is taken for text. */
const CIPHER_LENGTH = 32;
/** Runs of letters, humps and digits to a character from which on a stretch reads as noise: words have fewer. */
const CIPHER_DISORDER = 0.3;

/** The class of each UTF-16 unit. */
const CLASSES = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(OTHER);
  table.fill(PUNCT, 0, 128).fill(LOWER, 97, 123).fill(UPPER, 65, 91).fill(DIGIT, 48, 58).fill(WIDE, 0xc0, 0x600);
  table.fill(KANA, 0x3040, 0x3100).fill(HAN, 0x3400, 0xa000).fill(HANGUL, 0xac00, 0xd7a4).fill(HAN, 0xf900, 0xfb00);
  table[32] = BLANK;
  table[9] = BLANK;
  table[10] = NEWLINE;
  table[13] = NEWLINE;
  return table;
}

/** Signs that base64, its variants, UUIDs and hexadecimal dumps are written with. */
function isCipherSign(code: number): boolean {
  return code === 43 || code === 47 || code === 61 || code === 45 || code === 95;
}

/**
 * Estimated tokens of a text, at least 1 where it is not empty. Linear in its length, whatever it holds.
 *
 * @example estimate("const x = readFile(path);")
 */
export function estimate(text: string, family: Family = "claude"): Tokens {
  const weights = WEIGHTS[family];
  const end = text.length;
  let sum = 0;
  let at = 0;
  // The stretch of base64 characters that goes on here: where it began, the sum before it, and how disordered it is.
  let stretch = 0;
  let before = 0;
  let runs = 0;
  while (at < end) {
    const start = at;
    const first = text.charCodeAt(at);
    const kind = CLASSES[first] as number;
    let cost = 0;
    at += 1;
    if (kind <= WIDE) {
      let previous = kind;
      let letters = 1;
      let humps = 0;
      let long = 0;
      let wide = kind === WIDE ? 1 : 0;
      for (; at < end; at++) {
        const next = CLASSES[text.charCodeAt(at)] as number;
        if (next > WIDE) break;
        if (next === UPPER && previous === LOWER) {
          humps += 1;
          if (letters > 6) long += letters - 6;
          letters = 0;
        } else if (next === WIDE) wide += 1;
        letters += 1;
        previous = next;
      }
      if (letters > 6) long += letters - 6;
      runs += 1 + humps;
      cost = weights.word + humps * weights.hump + long * weights.longLetter + wide * weights.wideLetter;
    } else {
      while (at < end && CLASSES[text.charCodeAt(at)] === kind) at += 1;
      const length = at - start;
      cost = runCost(weights, kind, length);
      if (kind === DIGIT) runs += 1;
      else if (kind !== PUNCT || length > 1 || !isCipherSign(first)) {
        if (isCipher(start - stretch, runs)) sum = before + (start - stretch) * weights.cipher;
        stretch = at;
        runs = 0;
      }
    }
    if (at - start > LONG_RUN) cost = repeatedCost(text, start, at, kind, cost);
    sum += cost;
    if (stretch === at) before = sum;
  }
  if (isCipher(end - stretch, runs)) sum = before + (end - stretch) * weights.cipher;
  return Math.ceil(sum);
}

function isCipher(length: number, runs: number): boolean {
  return length >= CIPHER_LENGTH && runs > length * CIPHER_DISORDER;
}

/** Cost of a run of characters that are no letters. */
function runCost(weights: Weights, kind: number, length: number): number {
  switch (kind) {
    case DIGIT:
      return Math.ceil(length / 3) * weights.digits;
    case BLANK:
      return length > 1 ? weights.blanks : 0;
    case NEWLINE:
      return weights.newlines;
    case PUNCT:
      return weights.punct + (length - 1) * weights.punctMore;
    case HAN:
      return length * weights.han;
    case HANGUL:
      return length * weights.hangul;
    case KANA:
      return length * weights.kana;
    default:
      return length * weights.other;
  }
}

/** Cost of a long run: the characters that repeat the one before them go many into a token. */
function repeatedCost(text: string, start: number, end: number, kind: number, cost: number): number {
  let repeats = 0;
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) === text.charCodeAt(at - 1)) repeats += 1;
  const length = end - start;
  // A run of blanks or line ends costs the same however long, but for what no longer fits into one token.
  const distinct = kind === BLANK || kind === NEWLINE ? cost : (cost * (length - repeats)) / length;
  return distinct + repeats / (REPEATS_PER_TOKEN[kind] as number);
}
