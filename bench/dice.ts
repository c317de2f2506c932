// Seeded choices, and texts of a size made of lines: the same seed gives the same.
import { numbers } from "./sessions.ts";

/** What differs from line to line. */
export interface Dice {
  /** A whole number below `limit`. */
  below(limit: number): number;
  pick(words: readonly string[]): string;
}

/** A text of about `size` characters, line by line. */
export function seededText(size: number, seed: number, line: (at: number, dice: Dice) => string): string {
  const random = numbers(seed);
  const dice: Dice = {
    below: (limit) => Math.floor(random() * limit),
    pick: (words) => words[Math.floor(random() * words.length)] as string,
  };
  const lines: string[] = [];
  let length = 0;
  for (let at = 0; length < size; at++) {
    const made = line(at, dice);
    lines.push(made);
    length += made.length + 1;
  }
  // Flat, as a text that was read: a joined string is a tree until it is first looked into.
  return Buffer.from(lines.join("\n")).toString();
}
