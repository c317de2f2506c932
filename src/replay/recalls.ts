// Whether what an agent could no longer see comes back by one recall: really executed, and searched.
import { blocksOf, recall } from "../recall/index.ts";
import type { Place, Ref, Session, Tokens } from "../session/index.ts";
import { blocksTokens } from "../tokens/index.ts";
import type { Needle } from "./needles.ts";
import { type TextId, Texts } from "./texts.ts";

/** One recall that brings a needle back. */
export interface OneRecall {
  readonly ref: Ref;
  /** Of the original that it returns. */
  readonly tokens: Tokens;
}

/** An original that a recall returns, and its texts; of a call its strings, as the agent wrote them before they became JSON. */
interface Original {
  readonly place: Place;
  readonly texts: readonly TextId[];
}

/** Recalls from a session in which decisions were made. What one ref gives is asked for once, whatever the head it is asked at. */
export class Recalls {
  readonly #session: Session;
  readonly #texts: Texts;
  readonly #originals = new Map<Place, readonly Original[]>();

  /** `texts`: what was read of the session's texts already. */
  constructor(session: Session, texts: Texts = new Texts()) {
    this.#session = session;
    this.#texts = texts;
  }

  /** The recall that returns a needle; undefined where none does. */
  of(needle: Needle): OneRecall | undefined {
    const { hidden } = needle;
    if (!hidden) return undefined;
    const refs = hidden.ref === undefined ? hidden.blocks.toReversed() : [hidden.ref];
    const all = refs.map((ref) => this.#recalled(ref, hidden.head));
    // What is recalled is read before it is asked which texts hold a line.
    const holding = needle.lines.map((line) => new Set(this.#texts.holding(line)));
    for (const [at, ref] of refs.entries()) {
      const tokens = searched(all[at] ?? [], holding);
      if (tokens !== undefined) return { ref, tokens };
    }
    return undefined;
  }

  #recalled(ref: Ref, head: Place | null): readonly Original[] {
    const place = this.#session.resolve(ref, head);
    if (!place) return [];
    let originals = this.#originals.get(place);
    if (!originals) {
      const answer = recall(this.#session, ref, head);
      const recalled = "kind" in answer ? [] : answer;
      originals = recalled.flatMap((each) => (each.kind === "block" ? each.covers : [each.place])).map((each) => this.#original(each));
      this.#originals.set(place, originals);
    }
    return originals;
  }

  #original(place: Place): Original {
    const kind = place.entry.data.kind === "call" ? "input" : "text";
    return { place, texts: blocksOf(place).flatMap((block) => (block.type === "text" ? [this.#texts.add(block.body, kind)] : [])) };
  }
}

/** Tokens of those originals that hold a line first, given for each line the texts that hold it; undefined where a line is in none. */
function searched(originals: readonly Original[], holding: readonly ReadonlySet<TextId>[]): Tokens | undefined {
  const missing = new Set(holding);
  let tokens = 0;
  for (const { place, texts } of originals) {
    const found = [...missing].filter((ids) => texts.some((id) => ids.has(id)));
    if (found.length > 0) tokens += blocksTokens(blocksOf(place));
    for (const ids of found) missing.delete(ids);
    if (missing.size === 0) return tokens;
  }
  return undefined;
}
