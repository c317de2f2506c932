// Makes stubs one after the other, each with what no other text in view holds already.
import type { CondensePolicy } from "../config/index.ts";
import { anchors, editHeader, extract } from "../extract/index.ts";
import { textOf } from "../recall/index.ts";
import type { Ref, Sha256, Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { Originals, resultKey } from "./dedupe.ts";
import { isSmaller } from "./guards.ts";
import type { KnownAnchors } from "./known.ts";
import { type AnsweredRecord, argumentsOf, blocksBytes } from "./ledger.ts";
import { headPreview, isSpilled, withoutHead } from "./spill.ts";
import { duplicateStub, extractStub, headerLineStub, type StubHead, spillStub } from "./stub.ts";

export interface Stub {
  readonly record: AnsweredRecord;
  readonly text: string;
  readonly tokens: Tokens;
  /** The earlier result that says the same. */
  readonly duplicateOf?: Ref;
  /** What an equal result would have; absent where the stub is made from another. */
  readonly key?: Sha256;
  /** It holds an extract: a model can say the same better. */
  readonly extracted?: true;
}

/** What stands around a stub that is made. */
export interface Surroundings {
  /** What the reader knows; a stub that is made adds to it. */
  readonly known: KnownAnchors;
  /** Stubs of the same flush. */
  readonly siblings: readonly Stub[];
  /** Whether something of a result is in view. */
  readonly inView: (ref: Ref) => boolean;
}

/** Makes stubs, and remembers which results stubs speak of already. */
export class Stubs {
  readonly #policy: CondensePolicy;
  readonly #originals = new Originals<Ref>();
  /** Kept and not yet compared with anything: their texts are not read before that is asked for. */
  #unread: AnsweredRecord[] = [];

  constructor(policy: CondensePolicy) {
    this.#policy = policy;
  }

  /** A stub that speaks of this result is decided on. */
  keep(record: AnsweredRecord): void {
    this.#unread.push(record);
  }

  /** The stub of a result; none where none is smaller. */
  condensed(record: AnsweredRecord, { known, siblings, inView }: Surroundings): Stub[] {
    const text = textOf(record.fact.blocks);
    const key = resultKey(record.call, record.fact);
    const earlier = this.#earlier(key, siblings, inView);
    const head = headOf(record, text);
    if (earlier !== undefined) return smaller(known, { record, key, text: duplicateStub(head, earlier), duplicateOf: earlier });
    const line = editHeader({ tool: record.fact.tool, args: argumentsOf(record.call), text, status: record.fact.status });
    if (line !== undefined) return smaller(known, { record, key, text: headerLineStub(head, line) });
    const taken = this.#extract(record, text, known);
    return smaller(known, {
      record,
      key,
      extracted: true,
      text: extractStub({ ...head, ...(taken.exitCode !== undefined && { exitCode: taken.exitCode }) }, taken),
    });
  }

  /** Whether a result is too large to be shown whole even once. */
  isTooLarge(record: AnsweredRecord): boolean {
    const chars = record.fact.blocks.reduce((sum, block) => sum + (block.type === "text" ? block.body.chars : 0), 0);
    return isSpilled(chars, this.#policy.spillThreshold);
  }

  /** The stub of such a result; none where none is smaller. */
  spilled(record: AnsweredRecord, { known, siblings, inView }: Surroundings): Stub[] {
    const text = textOf(record.fact.blocks);
    const key = resultKey(record.call, record.fact);
    const earlier = this.#earlier(key, siblings, inView);
    const head = headOf(record, text);
    if (earlier !== undefined) return smaller(known, { record, key, text: duplicateStub(head, earlier), duplicateOf: earlier });
    const preview = headPreview(text, this.#policy.spillPreviewBytes);
    const told = new Set(anchors(preview));
    const taken = this.#extract(record, text, { has: (anchor) => told.has(anchor) || known.has(anchor) });
    return smaller(known, { record, key, text: spillStub(head, preview, { ...taken, text: withoutHead(taken.text, preview) }) });
  }

  /** The first result with this key that something in view speaks of, or will when the siblings stand. */
  #earlier(key: Sha256, siblings: readonly Stub[], inView: (ref: Ref) => boolean): Ref | undefined {
    for (const record of this.#unread) this.#originals.add(record.ref, resultKey(record.call, record.fact));
    this.#unread = [];
    return this.#originals.first(key, inView) ?? siblings.find((each) => each.key === key)?.record.ref;
  }

  #extract(record: AnsweredRecord, text: string, known: Pick<KnownAnchors, "has">) {
    const { min, max, share, lines } = this.#policy.stub;
    const budget = Math.round(Math.min(max, Math.max(min, share * record.tokens)));
    return extract(
      { tool: record.fact.tool, args: argumentsOf(record.call), text, status: record.fact.status },
      { budget, lines, known: (anchor) => known.has(anchor) },
    );
  }
}

function smaller(known: KnownAnchors, made: Omit<Stub, "tokens">): Stub[] {
  if (!isSmaller([made.text], blocksBytes(made.record.fact.blocks))) return [];
  known.learn(anchors(made.text));
  return [{ ...made, tokens: estimate(made.text) }];
}

function headOf(record: AnsweredRecord, text: string): StubHead {
  return { ref: record.ref, tool: record.fact.tool, text, status: record.fact.status, blocks: record.fact.blocks };
}
