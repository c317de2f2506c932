// A condensed copy as decisions: stubs that stand from the start, and the note that names them.
import { type Block, type Body, type Decision, type EntryId, textBody } from "../../session/index.ts";
import type { Content } from "./content.ts";
import type { Note, Originals } from "./originals.ts";
import type { Piece } from "./tree.ts";

type UserPiece = Piece & { readonly content: Extract<Content, { readonly kind: "user" }> };

/** Remembers the stubs that were written, for the notes behind them. */
export class Copied {
  readonly #originals: Originals | undefined;
  readonly #stubs = new Map<string, { readonly target: EntryId; readonly stub: Body | undefined }>();

  constructor(originals: Originals | undefined) {
    this.#originals = originals;
  }

  /** Whether an original of the record is there and is not what it was. */
  isDamaged({ uuid }: Piece): boolean {
    return uuid !== undefined && this.#originals?.damaged.has(uuid) === true;
  }

  /** The decisions behind the facts of a record: nothing was sent before them, so each stub is in effect at once. */
  decisions(record: string, { uuid, content }: UserPiece): { readonly id: EntryId; readonly data: Decision }[] {
    if (!this.#originals || uuid === undefined) return [];
    const facts = content.results.length + (content.blocks.length > 0 || content.results.length === 0 ? 1 : 0);
    const made: Decision[] = [];
    for (const [order, { stub }] of content.results.entries()) {
      if (!stub) continue;
      const target = (facts === 1 ? record : `${record}#${order}`) as EntryId;
      this.#stubs.set(`${uuid} ${stub.index}`, { target, stub: onlyText(stub.blocks) });
      made.push({ kind: "replace", target, body: { as: "blocks", blocks: stub.blocks }, by: "extractive", mode: "aposteriori" });
    }
    const idAt = (index: number) => `${record}#${facts + index}` as EntryId;
    for (const note of this.#originals.notesAt(uuid)) {
      const decision = this.#noted(note);
      if (decision) made.push(decision, { kind: "epoch", cause: "on-demand", applies: [idAt(made.length)] });
    }
    return made.map((data, index) => ({ id: idAt(index), data }));
  }

  /** The note as a decision that shows what its stubs show already, and gives it a ref. Its words stand in the last of them. */
  #noted({ targets }: Note): Decision | undefined {
    const found = targets.flatMap(([uuid, index]) => {
      const known = this.#stubs.get(`${uuid} ${index}`);
      return known?.stub ? [{ target: known.target, stub: known.stub }] : [];
    });
    if (found.length === 0) return undefined;
    return { kind: "condense", targets: found.map(({ target }) => target), stubs: found.map(({ stub }) => stub), summary: textBody(""), by: "extractive" };
  }
}

function onlyText(blocks: readonly Block[]): Body | undefined {
  const [block] = blocks;
  return blocks.length === 1 && block?.type === "text" ? block.body : undefined;
}
