// The needles of a recording: what an agent could only have known from earlier results, and whether it could still see it.
import { type Block, type CallFact, isAssistant, type MessageFact, type Place, type Ref } from "../session/index.ts";
import type { View } from "../view/index.ts";
import { said } from "./said.ts";
import { Shown } from "./shown.ts";
import { type TextId, Texts } from "./texts.ts";
import { facts } from "./words.ts";

/** `fact` and `edit`: known from results alone. `argument`: known from arguments of its own alone. */
export type NeedleKind = "fact" | "edit" | "argument";

/** Something that the agent used at a request and can have had from one place alone. */
export interface Needle {
  readonly kind: NeedleKind;
  /** The token, or the lines of an edit. */
  readonly lines: readonly string[];
  /** Last seen more than ten results ago. */
  readonly old: boolean;
  readonly visible: boolean;
  /** Where a needle that is not visible could be recalled from. */
  readonly hidden?: HiddenNeedle;
}

export interface HiddenNeedle {
  /** The newest result (of an argument: the newest call) that holds it all; none where it took several. */
  readonly source: Place | undefined;
  /** The head of the view it was looked for in. */
  readonly head: Place | null;
  /** The source's own ref, where the view prints it. */
  readonly ref?: Ref;
  /** The other refs that the view prints, in path order. */
  readonly blocks: readonly Ref[];
}

/** More results ago than this is old. */
const OLD_AFTER = 10;
/** Tokens in a larger share of the results are in everything. */
const COMMON_SHARE = 0.25;
/** The share is asked for from this many results on. */
const COMMON_FROM = 20;
/** Shorter lines of an edit say nothing. */
const LEAST_LINE = 8;

const RESULT = 1;
const SPOKEN = 2;
const ARGUMENT = 4;

/** What is known of the texts that one token stands in. */
interface Known {
  readonly ids: readonly TextId[];
  /** Which kinds of entries held it before. */
  readonly kinds: number;
  /** Of the newest result that holds it; 0 where none does. */
  readonly newest: number;
}

/**
 * Follows a path request by request. Facts are looked for once each, at their first use after they were seen.
 *
 * ```ts
 * const needles = new Needles(session.path());
 * needles.request(assistantPlace, viewOfTheRequest); // the needles of what the assistant then said
 * ```
 */
export class Needles {
  readonly #path: readonly Place[];
  readonly #texts = new Texts();
  readonly #shown = new Shown(this.#texts);
  /** By text: the kinds of entries it came in, in how many results, in which last, and in which call last. */
  readonly #kinds: number[] = [];
  readonly #inResults: number[] = [];
  readonly #newest: number[] = [];
  readonly #calls: Place[] = [];
  /** Results so far, in order. */
  readonly #results: Place[] = [];
  /** Tokens that cannot be a needle any more. */
  readonly #done = new Set<string>();
  #next = 0;

  /** `path`: the recording, of which each request's answer is asked for in order. */
  constructor(path: readonly Place[]) {
    this.#path = path;
  }

  /** All texts that were read so far. */
  get texts(): Texts {
    return this.#texts;
  }

  /** The needles of the answer that stands at `assistant`, given what its request showed; and whether that rewrote what the request before showed. */
  request(assistant: Place, view: View): { readonly needles: readonly Needle[]; readonly rewritten: boolean } {
    const rewritten = this.#shown.take(view);
    while (this.#next < assistant.depth) this.#take(this.#path[this.#next++] as Place);
    const { texts, edits } = said(assistant.entry.data as MessageFact, this.#callsBelow(assistant));
    const tokens = new Set(texts.flatMap((text) => facts(text).map((fact) => fact.text)));
    const needles = [...tokens].flatMap((token) => this.#fact(token, view));
    for (const lines of edits) needles.push(...this.#edit(lines, view));
    return { needles, rewritten };
  }

  #callsBelow(assistant: Place): CallFact[] {
    const calls: CallFact[] = [];
    for (let depth = assistant.depth + 1; depth < this.#path.length; depth++) {
      const { data } = (this.#path[depth] as Place).entry;
      if (isAssistant(data)) break;
      if (data.kind === "call") calls.push(data);
    }
    return calls;
  }

  /** Remembers what an entry of the recording held. */
  #take(place: Place): void {
    const { data } = place.entry;
    if (data.kind === "call") {
      const id = this.#texts.add(data.input, "input");
      this.#mark(id, ARGUMENT);
      this.#calls[id] = place;
    } else if (data.kind === "message") for (const id of this.#idsOf(data.blocks)) this.#mark(id, SPOKEN);
    else if (data.kind === "result") {
      this.#results.push(place);
      for (const id of new Set(this.#idsOf(data.blocks))) {
        this.#mark(id, RESULT);
        this.#inResults[id] = (this.#inResults[id] ?? 0) + 1;
        this.#newest[id] = this.#results.length;
      }
    }
  }

  #idsOf(blocks: readonly Block[]): TextId[] {
    return blocks.flatMap((block) => (block.type === "text" ? [this.#texts.add(block.body, "text")] : []));
  }

  #mark(id: TextId, kind: number): void {
    this.#kinds[id] = (this.#kinds[id] ?? 0) | kind;
  }

  #known(token: string): Known {
    const ids = this.#texts.holding(token);
    let kinds = 0;
    let newest = 0;
    for (const id of ids) {
      kinds |= this.#kinds[id] ?? 0;
      newest = Math.max(newest, this.#newest[id] ?? 0);
    }
    return { ids, kinds, newest };
  }

  #fact(token: string, view: View): Needle[] {
    if (this.#done.has(token)) return [];
    const known = this.#known(token);
    if (known.kinds === 0) return [];
    this.#done.add(token);
    if (known.kinds === ARGUMENT) return [this.#needle("argument", [token], known, view)];
    return known.kinds === RESULT && !this.#isCommon(known.ids) ? [this.#needle("fact", [token], known, view)] : [];
  }

  #isCommon(ids: readonly TextId[]): boolean {
    const total = this.#results.length;
    if (total < COMMON_FROM) return false;
    return ids.reduce((sum, id) => sum + (this.#inResults[id] ?? 0), 0) > total * COMMON_SHARE;
  }

  #needle(kind: "fact" | "argument", lines: readonly string[], known: Known, view: View): Needle {
    const old = kind === "fact" && this.#results.length - known.newest > OLD_AFTER;
    if (this.#shown.holdsAny(known.ids)) return { kind, lines, old, visible: true };
    const source = kind === "fact" ? this.#results[known.newest - 1] : this.#newestCall(known.ids);
    return { kind, lines, old, visible: false, hidden: this.#hidden(source, view) };
  }

  #newestCall(ids: readonly TextId[]): Place | undefined {
    const calls = ids.flatMap((id) => this.#calls[id] ?? []);
    return calls.reduce<Place | undefined>((newest, call) => (newest && newest.depth > call.depth ? newest : call), undefined);
  }

  #hidden(source: Place | undefined, view: View): HiddenNeedle {
    const ref: Ref | undefined = source?.entry.data.kind === "result" ? `t${source.results}` : undefined;
    return { source, head: view.head, ...(ref && this.#shown.prints(ref) && { ref }), blocks: this.#shown.printedBlocks() };
  }

  /** The lines of an edit that the agent has from results alone: all of them must be visible. */
  #edit(lines: readonly string[], view: View): Needle[] {
    const telling = new Set(lines.map((line) => line.trim()).filter((line) => line.length >= LEAST_LINE));
    const needed = [...telling].map((line) => ({ line, known: this.#known(line) })).filter(({ known }) => known.kinds === RESULT);
    if (needed.length === 0) return [];
    const oldest = needed.reduce((least, { known }) => Math.min(least, known.newest), Number.POSITIVE_INFINITY);
    const old = this.#results.length - oldest > OLD_AFTER;
    const missing = needed.filter(({ known }) => !this.#shown.holdsAny(known.ids));
    const texts = needed.map(({ line }) => line);
    if (missing.length === 0) return [{ kind: "edit", lines: texts, old, visible: true }];
    const sources = missing.map(({ known }) => new Set(known.ids.filter((id) => this.#kinds[id] === RESULT)));
    const all = [...(sources[0] as ReadonlySet<TextId>)].filter((id) => sources.every((source) => source.has(id)));
    const newest = all.reduce((most, id) => Math.max(most, this.#newest[id] ?? 0), 0);
    return [{ kind: "edit", lines: missing.map(({ line }) => line), old, visible: false, hidden: this.#hidden(this.#results[newest - 1], view) }];
  }
}
