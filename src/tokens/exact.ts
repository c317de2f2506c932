// Exact token counts by a published vocabulary, loaded when first asked for; no text makes them slow.
import type { Tokens } from "../session/index.ts";

/** A vocabulary of OpenAI's; no exact one is published for current models of others. */
export type Encoding = "o200k_base" | "cl100k_base";

/** Counts the tokens of a text. */
export type Counter = (text: string) => Tokens;

/** A run that the vocabulary's pattern takes as one piece costs its length squared, so a longer one is counted in parts of this many UTF-16 units. */
const LONGEST_PIECE = 256;

/** What can stand together in one piece, as bits: a run goes on while its characters share one. */
const LETTER = 1;
const SIGN = 2;
const SPACE = 4;

/** Runs of what one piece of the pattern may hold; each begins where the one before it ends. Slashes go with line ends, marks with letters and with signs. */
const RUNS = /[\r\n/]+|[^\s\p{L}\p{N}]+|[\p{L}\p{M}]+|\s+|\p{N}+/gu;

const WIDE_SPACES = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];

/** Text in which special tokens are read as the characters they are written with. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

const counters = new Map<Encoding, Promise<Counter>>();

/**
 * The counter of a vocabulary; the first call for it loads about 4 MB of ranks, later ones give the same.
 * Counts are exact where no run of one class is longer than 256 UTF-16 units; longer ones are counted in parts, which may add a token a part.
 * `<|endoftext|>` and its like count as the text they are, lone surrogates as what replaces them in UTF-8.
 *
 * @example const count = await exactCounter(); count("const x = readFile(path);"); // 7
 */
export function exactCounter(encoding: Encoding = "o200k_base"): Promise<Counter> {
  const known = counters.get(encoding);
  if (known) return known;
  const loading = load(encoding);
  counters.set(encoding, loading);
  return loading;
}

async function load(encoding: Encoding): Promise<Counter> {
  const { countTokens } = encoding === "o200k_base" ? await import("gpt-tokenizer/encoding/o200k_base") : await import("gpt-tokenizer/encoding/cl100k_base");
  return (text) => {
    let sum = 0;
    for (const part of parts(text)) sum += countTokens(part, AS_TEXT);
    return sum;
  };
}

/** The text in parts none of which holds a run that is slow to count: mostly one part, the text itself. */
function* parts(text: string): Generator<string> {
  if (!mayHoldLongRun(text)) {
    if (text !== "") yield text;
    return;
  }
  let from = 0;
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    const end = index + run.length;
    for (let at = index + LONGEST_PIECE; at < end; at += LONGEST_PIECE) {
      const cut = isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
      yield text.slice(from, cut);
      from = cut;
    }
  }
  if (from < text.length) yield text.slice(from);
}

/** Whether a piece may be longer than is good; says yes too often rather than too seldom, and is cheap. */
function mayHoldLongRun(text: string): boolean {
  classes ??= classTable();
  let shared = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const kinds = classes[text.charCodeAt(at)] as number;
    shared &= kinds;
    if (shared === 0) {
      shared = kinds;
      length = 0;
    }
    length += 1;
    if (length > LONGEST_PIECE) return true;
  }
  return false;
}

let classes: Uint8Array | undefined;

/** The bits of each UTF-16 unit: 0 for digits, of which at most three make a piece. */
function classTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(LETTER | SIGN);
  table.fill(SIGN, 0, 128).fill(LETTER, 65, 91).fill(LETTER, 97, 123).fill(0, 48, 58).fill(SPACE, 9, 14);
  table[10] = SIGN | SPACE;
  table[13] = SIGN | SPACE;
  table[32] = SPACE;
  for (const code of WIDE_SPACES) table[code] = SPACE;
  return table.fill(SPACE, 0x2000, 0x200b);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
