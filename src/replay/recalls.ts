// Whether what an agent could no longer see comes back by one recall: really executed, and searched.
import { blocksOf, type Recalled, recall } from "../recall/index.ts";
import { type Block, bodyText, type Place, type Ref, type Session, type Tokens } from "../session/index.ts";
import { blocksTokens } from "../tokens/index.ts";
import type { Needle } from "./needles.ts";
import { argumentsIn, visitStrings } from "./said.ts";
import { holdsWhole } from "./texts.ts";

/** One recall that brings a needle back. */
export interface OneRecall {
  readonly ref: Ref;
  /** Of the original that it returns. */
  readonly tokens: Tokens;
}

/** Recalls from a session in which decisions were made. What one ref gives at one head is asked for once. */
export class Recalls {
  readonly #session: Session;
  readonly #found = new Map<string, readonly Recalled[]>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** The recall that returns a needle; undefined where none does. */
  of(needle: Needle): OneRecall | undefined {
    const { hidden } = needle;
    if (!hidden) return undefined;
    for (const ref of hidden.ref === undefined ? hidden.blocks.toReversed() : [hidden.ref]) {
      const found = this.#search(ref, hidden.head, needle.lines);
      if (found) return found;
    }
    return undefined;
  }

  #search(ref: Ref, head: Place | null, lines: readonly string[]): OneRecall | undefined {
    const originals = this.#recalled(ref, head).flatMap((recalled) => (recalled.kind === "block" ? recalled.covers : [recalled.place]));
    const missing = new Set(lines);
    let tokens = 0;
    for (const place of originals) {
      const blocks = blocksOf(place);
      const text = textOfOriginal(place, blocks);
      const found = [...missing].filter((line) => holdsWhole(text, line));
      if (found.length > 0) tokens += blocksTokens(blocks);
      for (const line of found) missing.delete(line);
    }
    return missing.size === 0 ? { ref, tokens } : undefined;
  }

  #recalled(ref: Ref, head: Place | null): readonly Recalled[] {
    const key = `${ref} ${head?.entry.id}`;
    let found = this.#found.get(key);
    if (!found) {
      const answer = recall(this.#session, ref, head);
      found = "kind" in answer ? [] : answer;
      this.#found.set(key, found);
    }
    return found;
  }
}

/** Of a call its strings, as the agent wrote them before they became JSON. */
function textOfOriginal(place: Place, blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []));
  if (place.entry.data.kind !== "call") return texts.join("\n");
  const strings: string[] = [];
  for (const text of texts) visitStrings(argumentsIn(text), (value) => strings.push(value));
  return strings.join("\n");
}
