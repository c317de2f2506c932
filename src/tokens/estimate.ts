// How many tokens a text takes, from the classes of its characters alone: one pass, no vocabulary, no allocation.
import type { Tokens } from "../session/index.ts";

/** Whose tokenizer is estimated. */
export type Family = "claude" | "o200k";

/** Tokens that one of each feature costs; fitted to counted texts of code, logs, listings, JSON, sessions, prose and thirteen languages. */
interface Weights {
  /** A run of letters. */
  readonly word: number;
  /** Each further hump in it: `camelCase` has one. */
  readonly hump: number;
  /** Each letter of a hump beyond the sixth. */
  readonly longLetter: number;
  /** What a Latin letter with a mark adds to its word: it mostly cuts it in two. */
  readonly marked: number;
  /** What a letter of another alphabet adds to its word. */
  readonly foreign: number;
  /** Each begun group of three digits. */
  readonly digits: number;
  /** A single blank before digits; before anything else it goes with what follows. */
  readonly blankBeforeDigits: number;
  /** A run of two or more blanks. */
  readonly blanks: number;
  /** A run of line ends. */
  readonly newlines: number;
  /** The same behind punctuation. */
  readonly newlinesAfterPunct: number;
  /** A single sign before a letter, which may go with the word. */
  readonly punctBeforeWord: number;
  /** Any other run of punctuation. */
  readonly punct: number;
  /** Each further character of it. */
  readonly punctMore: number;
  readonly han: number;
  /** A run of Hangul. */
  readonly hangul: number;
  /** Each syllable of it. */
  readonly syllable: number;
  readonly kana: number;
  /** A stop, comma or bracket of East Asian text, a letter of its wide Latin. */
  readonly wideSign: number;
  /** Any other UTF-16 unit beyond ASCII. */
  readonly other: number;
  /** A character of base64 and the like: letters, digits and signs without order. */
  readonly cipher: number;
}

const WEIGHTS: Readonly<Record<Family, Weights>> = {
  claude: {
    word: 1.086,
    hump: 1.474,
    longLetter: 0.306,
    marked: 2.554,
    foreign: 0.342,
    digits: 1.291,
    blankBeforeDigits: 0,
    blanks: 0.514,
    newlines: 0.725,
    newlinesAfterPunct: 0.983,
    punctBeforeWord: 1.277,
    punct: 0.805,
    punctMore: 0.259,
    han: 1.0,
    hangul: 0,
    syllable: 1.354,
    kana: 0.96,
    wideSign: 1.1,
    other: 0.853,
    cipher: 0.72,
  },
  o200k: {
    word: 0.972,
    hump: 1.105,
    longLetter: 0.221,
    marked: 0.987,
    foreign: 0.07,
    digits: 1.31,
    blankBeforeDigits: 0.788,
    blanks: 1.674,
    newlines: 0.357,
    newlinesAfterPunct: 0.083,
    punctBeforeWord: 0.483,
    punct: 0.706,
    punctMore: 0.25,
    han: 0.775,
    hangul: 1.556,
    syllable: 0.149,
    kana: 0.62,
    wideSign: 0.842,
    other: 0.866,
    cipher: 0.63,
  },
};

const LOWER = 0;
const UPPER = 1;
const MARKED = 2;
const FOREIGN = 3;
const DIGIT = 4;
const BLANK = 5;
const NEWLINE = 6;
const PUNCT = 7;
const HAN = 8;
const HANGUL = 9;
const KANA = 10;
const WIDE_SIGN = 11;
const OTHER = 12;

/** Characters of one class in a row from which on repeats are looked for. */
const LONG_RUN = 24;
/** Repeats of one character that go into one token, by class. */
const REPEATS_PER_TOKEN: readonly number[] = [8, 8, 1, 1, 3, 128, 16, 64, 1, 1, 1, 1, 8];
/** A stretch of base64 characters shorter than this is taken for text. */
const CIPHER_LENGTH = 32;
/** Runs of letters, humps and digits to a character from which on a stretch reads as noise: words have fewer. */
const CIPHER_DISORDER = 0.3;

/** The class of each UTF-16 unit. */
const CLASSES = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(OTHER);
  table.fill(PUNCT, 0, 128).fill(LOWER, 97, 123).fill(UPPER, 65, 91).fill(DIGIT, 48, 58).fill(MARKED, 0xc0, 0x370).fill(FOREIGN, 0x370, 0x600);
  table.fill(WIDE_SIGN, 0x3000, 0x3040).fill(WIDE_SIGN, 0xff00, 0xff66);
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
  let last = BLANK;
  while (at < end) {
    const start = at;
    const first = text.charCodeAt(at);
    const kind = CLASSES[first] as number;
    let cost = 0;
    at += 1;
    if (kind <= FOREIGN) {
      let previous = kind;
      let letters = 1;
      let humps = 0;
      let long = 0;
      let marked = kind === MARKED ? 1 : 0;
      let foreign = kind === FOREIGN ? 1 : 0;
      for (; at < end; at++) {
        const next = CLASSES[text.charCodeAt(at)] as number;
        if (next > FOREIGN) break;
        if (next === UPPER && previous === LOWER) {
          humps += 1;
          if (letters > 6) long += letters - 6;
          letters = 0;
        } else if (next === MARKED) marked += 1;
        else if (next === FOREIGN) foreign += 1;
        letters += 1;
        previous = next;
      }
      if (letters > 6) long += letters - 6;
      runs += 1 + humps;
      cost = weights.word + humps * weights.hump + long * weights.longLetter + marked * weights.marked + foreign * weights.foreign;
    } else {
      while (at < end && CLASSES[text.charCodeAt(at)] === kind) at += 1;
      const length = at - start;
      cost = runCost(weights, kind, length, last, at < end ? (CLASSES[text.charCodeAt(at)] as number) : NEWLINE);
      if (kind === DIGIT) runs += 1;
      else if (kind !== PUNCT || length > 1 || !isCipherSign(first)) {
        if (isCipher(start - stretch, runs)) sum = before + (start - stretch) * weights.cipher;
        stretch = at;
        runs = 0;
      }
    }
    if (at - start > LONG_RUN) cost = repeatedCost(text, start, at, kind, cost);
    sum += cost;
    last = kind;
    if (stretch === at) before = sum;
  }
  if (isCipher(end - stretch, runs)) sum = before + (end - stretch) * weights.cipher;
  return Math.ceil(sum);
}

function isCipher(length: number, runs: number): boolean {
  return length >= CIPHER_LENGTH && runs > length * CIPHER_DISORDER;
}

/** Cost of a run of characters that are no letters, between one of the class `last` and one of the class `next`. */
function runCost(weights: Weights, kind: number, length: number, last: number, next: number): number {
  switch (kind) {
    case DIGIT:
      return Math.ceil(length / 3) * weights.digits;
    case BLANK:
      if (length > 1) return weights.blanks;
      return next === DIGIT ? weights.blankBeforeDigits : 0;
    case NEWLINE:
      return last === PUNCT ? weights.newlinesAfterPunct : weights.newlines;
    case PUNCT:
      return length === 1 && next <= FOREIGN ? weights.punctBeforeWord : weights.punct + (length - 1) * weights.punctMore;
    case HAN:
      return length * weights.han;
    case HANGUL:
      return weights.hangul + length * weights.syllable;
    case KANA:
      return length * weights.kana;
    case WIDE_SIGN:
      return length * weights.wideSign;
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
