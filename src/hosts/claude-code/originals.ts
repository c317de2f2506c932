// Keeps what a copy hides: each original as it was, a line each, in a file beside the copy.
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type DraftFile, onOneLine } from "../../copies/index.ts";
import { ORIGINALS_FILE, scanFile } from "../../formats/index.ts";
import { sha256 } from "../../session/index.ts";
import type { Stubbed, Stubbing } from "./stubs.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A `tool_result` block of a record. */
export interface ResultBlock {
  /** In the record's content. */
  readonly index: number;
  readonly callId: unknown;
  readonly content: unknown;
}

/** The N-th result of a record. */
export function resultBlock(record: unknown, order: number): ResultBlock | undefined {
  const content = ((record as JsonObject | undefined)?.message as JsonObject | undefined)?.content;
  if (!Array.isArray(content)) return undefined;
  const results = content.flatMap((block: JsonObject | null, index) =>
    block?.type === "tool_result" ? [{ index, callId: block.tool_use_id, content: block.content }] : [],
  );
  return results[order];
}

/** The folder that goes by a session file's name. */
export function besideOf(source: string): string {
  return join(dirname(resolve(source)), basename(source).replace(/\.jsonl$/, ""));
}

export class OriginalsWriter {
  readonly #file: DraftFile;
  /** Blocks that were put: the record's uuid and the block's index. */
  readonly #put = new Map<string, readonly [uuid: string, index: number]>();

  constructor(file: DraftFile) {
    this.#file = file;
  }

  /** What a copy of a copy takes over: the originals and notes of the first. A link is not followed. */
  async takeOver(source: string): Promise<void> {
    const folder = besideOf(source);
    const path = join(folder, ORIGINALS_FILE);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined || realpathSync(path) !== join(realpathSync(dirname(folder)), basename(folder), ORIGINALS_FILE)) return;
    await scanFile(path, size, { record: ({ range }) => this.#file.record(range.source.read(range.start, range.end)), damage: () => {} });
  }

  /** The bytes of a content before `stub` took their place; the same block of a copied record is put once. */
  put({ uuid, ref }: Stubbed, { index, callId }: ResultBlock, stub: unknown, was: Uint8Array): void {
    const key = `${uuid} ${index}`;
    if (this.#put.has(key)) return;
    this.#put.set(key, [uuid, index]);
    const content = onOneLine(was);
    const head = { kind: "original", uuid, index, tool_use_id: callId, ref, stub: sha256(JSON.stringify(stub)), sha256: sha256(content) };
    this.#file.record(Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},"content":`), content, Buffer.from("}")]));
  }

  /** Everything is on disk when this returns, the note with it. */
  finish({ noteAt, ref }: Stubbing): void {
    if (noteAt !== undefined) this.#file.line(JSON.stringify({ version: 1, kind: "note", uuid: noteAt, ref, targets: [...this.#put.values()] }));
    this.#file.finish();
  }

  close(): void {
    this.#file.close();
  }
}
