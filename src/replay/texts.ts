// Every text of a replay, read once: which of them hold a token whole, by an index of their words.
import { type Body, bodyText } from "../session/index.ts";
import { argumentsIn, visitStrings } from "./said.ts";
import { isWordCode } from "./words.ts";

/** Number of a text in the order of their coming. */
export type TextId = number;
/** `input`: arguments, of which the strings count, as the model reads them. */
export type TextKind = "text" | "input";

const WORD = /[A-Za-z0-9_]{2,}/g;

/** Texts by their content. Memory grows with the length of all texts, time with the length of the new ones. */
export class Texts {
  readonly #ids = new Map<string, TextId>();
  readonly #texts: string[] = [];
  readonly #holding = new Map<string, TextId[]>();

  /** The number of a text; one that came before has its number already. */
  add(body: Body, kind: TextKind): TextId {
    const key = `${kind}${body.sha256}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    const text = kind === "input" ? stringsIn(bodyText(body)) : bodyText(body);
    this.#ids.set(key, id);
    this.#texts.push(text);
    for (const [word] of text.matchAll(WORD)) {
      const holding = this.#holding.get(word);
      if (!holding) this.#holding.set(word, [id]);
      else if (holding.at(-1) !== id) holding.push(id);
    }
    return id;
  }

  /** The texts that hold `token` between word boundaries, in the order of their coming. A token without a word of two characters is in none. */
  holding(token: string): readonly TextId[] {
    const words = [...new Set(token.match(WORD))];
    const lists = words.map((word) => this.#holding.get(word) ?? []).sort((a, b) => a.length - b.length);
    const [shortest, ...others] = lists;
    if (!shortest) return [];
    if (words[0] === token) return shortest;
    return shortest.filter((id) => others.every((list) => includes(list, id)) && holdsWhole(this.#texts[id] as string, token));
  }
}

function stringsIn(input: string): string {
  const strings: string[] = [];
  visitStrings(argumentsIn(input), (text) => strings.push(text));
  return strings.join("\n");
}

/** Whether a sorted list holds a number. */
function includes(sorted: readonly number[], wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}

/** Whether `token` stands in `text` with no word running on at either end of it. */
export function holdsWhole(text: string, token: string): boolean {
  const startsInWord = isWordCode(token.charCodeAt(0));
  const endsInWord = isWordCode(token.charCodeAt(token.length - 1));
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    if (startsInWord && at > 0 && isWordCode(text.charCodeAt(at - 1))) continue;
    const end = at + token.length;
    if (endsInWord && end < text.length && isWordCode(text.charCodeAt(end))) continue;
    return true;
  }
  return false;
}
