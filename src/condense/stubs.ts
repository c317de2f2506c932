// Makes stubs one after the other, each with what no other text in view holds already.
import type { CondensePolicy } from "../config/index.ts";
import { anchors, editHeader, extract } from "../extract/index.ts";
import { textOf } from "../recall/index.ts";
import type { Ref, Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { resultKey } from "./dedupe.ts";
import { isSmaller } from "./guards.ts";
import { type AnsweredRecord, argumentsOf, blocksBytes } from "./ledger.ts";
import { headPreview, isSpilled } from "./spill.ts";
import { duplicateStub, extractStub, headerLineStub, type StubHead, spillStub } from "./stub.ts";

export interface Stub {
  readonly record: AnsweredRecord;
  readonly text: string;
  readonly tokens: Tokens;
  /** The earlier result that says the same. */
  readonly duplicateOf?: Ref;
  /** What an equal result would have. */
  readonly key: string;
}

/** Remembers what stands in view: anchors of messages, arguments and stubs, and each result already condensed. */
export class Stubs {
  readonly #policy: CondensePolicy;
  readonly #known = new Set<string>();
  /** Anchors of stubs that are made but not yet kept. */
  #tried = new Set<string>();
  readonly #seen = new Map<string, Ref>();

  constructor(policy: CondensePolicy) {
    this.#policy = policy;
  }

  /** Takes anchors of a text that stays in view. */
  learn(anchors: Iterable<string>): void {
    for (const anchor of anchors) this.#known.add(anchor);
  }

  /** These stubs come into view. */
  keep(stubs: readonly Stub[]): void {
    for (const { key, record } of stubs) if (!this.#seen.has(key)) this.#seen.set(key, record.ref);
    this.learn(this.#tried);
    this.#tried = new Set();
  }

  /** The stub of a result beside others of its flush; none where none is smaller. */
  condensed(record: AnsweredRecord, siblings: readonly Stub[]): Stub[] {
    if (siblings.length === 0) this.#tried = new Set();
    const text = textOf(record.fact.blocks);
    const key = resultKey(record.call, record.fact);
    const earlier = this.#seen.get(key) ?? siblings.find((each) => each.key === key)?.record.ref;
    const head = headOf(record, text);
    if (earlier !== undefined) return this.#smaller({ record, key, text: duplicateStub(head, earlier), duplicateOf: earlier });
    const line = editHeader({ tool: record.fact.tool, args: argumentsOf(record.call), text, status: record.fact.status });
    if (line !== undefined) return this.#smaller({ record, key, text: headerLineStub(head, line) });
    const taken = this.#extract(record, text);
    return this.#smaller({ record, key, text: extractStub({ ...head, ...(taken.exitCode !== undefined && { exitCode: taken.exitCode }) }, taken) });
  }

  /** The stub of a result that is too large to be shown whole even once. */
  spilled(record: AnsweredRecord): Stub | undefined {
    const text = textOf(record.fact.blocks);
    if (!isSpilled(text.length, this.#policy.spillThreshold)) return undefined;
    this.#tried = new Set();
    const head = headOf(record, text);
    return this.#smaller({
      record,
      key: resultKey(record.call, record.fact),
      text: spillStub(head, headPreview(text, this.#policy.spillPreviewBytes), this.#extract(record, text)),
    })[0];
  }

  #extract(record: AnsweredRecord, text: string) {
    const { min, max, share, lines } = this.#policy.stub;
    const budget = Math.round(Math.min(max, Math.max(min, share * record.tokens)));
    return extract(
      { tool: record.fact.tool, args: argumentsOf(record.call), text, status: record.fact.status },
      { budget, lines, known: (anchor) => this.#known.has(anchor) || this.#tried.has(anchor) },
    );
  }

  #smaller(made: Omit<Stub, "tokens">): Stub[] {
    if (!isSmaller([made.text], blocksBytes(made.record.fact.blocks))) return [];
    for (const anchor of anchors(made.text)) this.#tried.add(anchor);
    return [{ ...made, tokens: estimate(made.text) }];
  }
}

function headOf(record: AnsweredRecord, text: string): StubHead {
  return { ref: record.ref, tool: record.fact.tool, text, status: record.fact.status, blocks: record.fact.blocks };
}
