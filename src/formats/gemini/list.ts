// The message list of a Gemini CLI session, as the host keeps it, and everything that was ever in it, as a tree.
import type { Block, Fact, RecordRange, ResultFact } from "../../session/index.ts";

/** A message, or a record beside the messages, as it is kept between reads: its texts stay in the file. */
export interface Piece {
  readonly range: RecordRange;
  /** Undefined: no message, and not removed or updated by id. */
  readonly id: string | undefined;
  readonly time: number | undefined;
  readonly facts: readonly Fact[];
  /** Ids of the calls whose results will not change any more. */
  readonly ended: ReadonlySet<string>;
}

/** A place in the tree. A message that is recorded again keeps its place. */
export interface Node {
  piece: Piece;
  readonly parent: Node | null;
  /** Results that the host showed otherwise from here on, without saying so: the message is recorded again with other texts. */
  readonly edits?: readonly Edit[];
}

/** `fact`: index of a result among the facts of `node`. `blocks`: what the host shows instead; undefined: not recorded. */
export interface Edit {
  readonly node: Node;
  readonly fact: number;
  readonly blocks: readonly Block[] | undefined;
}

export class MessageList {
  readonly nodes: Node[] = [];
  readonly #chain: Node[] = [];
  readonly #byId = new Map<string, number>();
  /** What the host shows of a message whose results it edited. */
  readonly #shown = new Map<Node, Piece>();
  /** Where in the list a replacement has got to. */
  #replaced: number | undefined;
  /** Edits that stand behind the list that is coming. */
  readonly #pending: { readonly piece: Piece; readonly edits: readonly Edit[] }[] = [];
  #cleared: Piece | undefined;

  /** The last place of the list as it is now. */
  get last(): Node | undefined {
    return this.#chain.at(-1);
  }

  /** The record that left the list empty, where nothing has come since. */
  get cleared(): Piece | undefined {
    return this.#chain.length === 0 && this.nodes.length > 0 ? this.#cleared : undefined;
  }

  /** A record: a new one at the end, or another version of a message in the list. */
  put(piece: Piece): void {
    this.settle();
    const at = piece.id === undefined ? undefined : this.#byId.get(piece.id);
    if (at === undefined) this.#append(piece);
    else this.#update(this.#chain[at] as Node, piece);
    this.settle();
  }

  /** Takes a message and all behind it from the list; all of it where the message is not in it. */
  rewind(id: string, by: Piece): void {
    this.settle();
    this.#cut(this.#byId.get(id) ?? 0, by);
  }

  /** A list comes that takes the place of this one, message by message. */
  beginReplacing(): void {
    this.settle();
    this.#replaced = 0;
  }

  /** The next message of the new list: the same as in the old one, or the first that is another. */
  replaceNext(piece: Piece): void {
    let at = this.#replaced ?? this.#chain.length;
    while (at < this.#chain.length && this.#chain[at]?.piece.id === undefined) at += 1;
    const old = this.#chain[at];
    if (old && old.piece.id === piece.id) this.#update(old, piece);
    else {
      this.#cut(at, piece);
      this.#append(piece);
    }
    this.#replaced = at + 1;
  }

  endReplacing(by: Piece): void {
    const from = this.#replaced ?? this.#chain.length;
    const rest = this.#chain.findIndex(({ piece }, at) => at >= from && piece.id !== undefined);
    if (rest >= 0) this.#cut(rest, by);
    this.settle();
  }

  /** Ends what a list that was cut off left open. */
  settle(): void {
    this.#replaced = undefined;
    for (const { piece, edits } of this.#pending.splice(0)) this.#append({ ...piece, id: undefined, facts: [] }, edits);
  }

  #append(piece: Piece, edits?: readonly Edit[]): void {
    const node: Node = { piece, parent: this.last ?? null, ...(edits && { edits }) };
    this.nodes.push(node);
    if (piece.id !== undefined) this.#byId.set(piece.id, this.#chain.length);
    this.#chain.push(node);
  }

  #cut(from: number, by: Piece): void {
    for (const { piece } of this.#chain.splice(from)) if (piece.id !== undefined) this.#byId.delete(piece.id);
    this.#cleared = by;
  }

  /** The last version of a message holds; but of a result that had ended, the first text does, and another is what the host shows instead. */
  #update(node: Node, piece: Piece): void {
    const edits = editsOf(node, this.#shown.get(node) ?? node.piece, piece);
    if (edits.length > 0) {
      this.#shown.set(node, piece);
      this.#pending.push({ piece, edits });
    } else if (!this.#shown.has(node)) node.piece = piece;
  }
}

function editsOf(node: Node, shown: Piece, next: Piece): Edit[] {
  if (callIds(node.piece) !== callIds(next)) return [];
  return resultsOf(shown).flatMap((before): Edit[] => {
    if (before.callId === "" || !shown.ended.has(before.callId)) return [];
    const after = resultsOf(next).find(({ callId }) => callId === before.callId);
    const fact = node.piece.facts.findIndex((each) => each.kind === "result" && each.callId === before.callId);
    return fact < 0 || (after && textsOf(after) === textsOf(before)) ? [] : [{ node, fact, blocks: after?.blocks }];
  });
}

function resultsOf({ facts }: Piece): ResultFact[] {
  return facts.filter((fact) => fact.kind === "result");
}

function callIds({ facts }: Piece): string {
  return JSON.stringify(facts.flatMap((fact) => (fact.kind === "call" ? [fact.callId] : [])));
}

function textsOf({ blocks }: ResultFact): string {
  return JSON.stringify(blocks.map((block) => (block.type === "image" ? block.data : block.type === "other" ? block.raw : block.body).sha256));
}
