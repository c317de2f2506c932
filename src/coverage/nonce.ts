// Words that a text cannot know, because they are made from its digest and it does not hold them.
import { type Sha256, sha256 } from "../session/index.ts";

/** The digits of the words around a window: with fewer, a reply might hold one by chance. */
const WINDOW_DIGITS = 6;

/** Two words around a window: a reply that repeats both came from a model that was shown its beginning and its end. */
export interface Nonces {
  readonly head: string;
  readonly tail: string;
}

/** A word that none of the texts holds: the shortest beginning of their digest, at least four digits. The same texts have always the same. */
export function nonceFor(...texts: readonly string[]): string {
  return wordOutside(texts, sha256(JSON.stringify(texts)), 4);
}

/**
 * The words around one window, which its text does not hold and of which neither tells the other.
 * @param name what tells it from another window with the same text: its place, or the call
 */
export function windowNonces(text: string, name: string): Nonces {
  const word = (end: string) => `${end}-${wordOutside([text], sha256(JSON.stringify([end, name, text])), WINDOW_DIGITS)}`;
  return { head: word("top"), tail: word("end") };
}

function wordOutside(texts: readonly string[], digest: Sha256, digits: number): string {
  let length = digits;
  while (texts.some((text) => text.includes(digest.slice(0, length)))) length++;
  return digest.slice(0, length);
}
