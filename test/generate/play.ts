// The hand that builds a generated session: it knows where it is and appends below.
import {
  type Block,
  type Decision,
  type Entry,
  type EntryId,
  entryId,
  type Fact,
  type Place,
  pathTo,
  Session,
  type Status,
  textBody,
} from "../../src/session/index.ts";
import type { Shape, Via } from "./commands.ts";
import { body } from "./texts.ts";

/** A session under construction. All numbers given to it are taken modulo what there is to choose from. */
export class Play {
  readonly session = new Session({ id: "generated", format: "palimpsest" });
  at: Place | null = null;
  #side = false;
  #count = 0;
  /** Entries in the record being written; none outside `record`. */
  #inRecord: number | undefined;

  /** The id that the next entry will have. */
  get nextId(): EntryId {
    return entryId(this.#inRecord === undefined ? `e${this.#count}` : `e${this.#count}#${this.#inRecord}`);
  }

  /** The places from the root to here. */
  get path(): Place[] {
    return pathTo(this.at);
  }

  /** Appends below the place reached and goes there. What is refused leaves everything as it was. */
  add(data: Fact | Decision, via: Via = "append"): Place | undefined {
    const entry: Entry = {
      id: this.nextId,
      parent: this.at?.entry.id ?? null,
      ...(this.#count % 3 === 0 && { time: 1_700_000_000_000 + this.#count }),
      data,
      ...(this.#side && { side: true as const }),
    };
    const refusal = via === "append" ? this.session.append(entry) : this.session.load(entry);
    if (refusal) return undefined;
    this.at = this.session.find(entry.id) as Place;
    if (this.#inRecord === undefined) this.#count += 1;
    else this.#inRecord += 1;
    return this.at;
  }

  /** Entries added by `write` share one record's id. */
  record(write: () => void): void {
    this.#inRecord = 0;
    write();
    this.#inRecord = undefined;
    this.#count += 1;
  }

  text(shape: Shape): Block {
    return { type: "text", body: body(shape, this.nextId) };
  }

  image(): Block {
    return {
      type: "image",
      mediaType: "image/png",
      data: textBody(Buffer.from(`picture ${this.nextId}`.repeat(12)).toString("base64")),
      width: 640,
      height: 480,
    };
  }

  call(id: number, summarize: boolean): void {
    const input = textBody(JSON.stringify({ path: `src/${id}.ts`, of: this.nextId }));
    this.add({ kind: "call", callId: `c${id}`, tool: id % 2 === 0 ? "read" : "bash", input, ...(summarize && { summarize: true as const }) });
  }

  result(id: number, status: Status, shape: Shape): void {
    const tool = id % 2 === 0 ? "read" : "bash";
    const full = shape === "ref" && { full: body("long", `whole ${this.nextId}`) };
    this.add({ kind: "result", callId: `c${id}`, tool, status, blocks: [this.text(shape), ...(shape === "wide" ? [this.image()] : [])], ...full });
  }

  prompt(shape: Shape, sections: number): Place | undefined {
    return this.add({
      kind: "prompt",
      sections: Array.from({ length: sections + 1 }, (_, n) => ({ name: `section ${n}`, body: body(shape, `${this.nextId} section ${n}`) })),
      tools: [{ name: "read", body: textBody('{"name":"read","parameters":{}}') }],
    });
  }

  /** Goes to a leaf, to any place (a branch starts there), to any place beside the conversation, or to a new root. */
  move(to: number, how: "leaf" | "anywhere" | "side" | "root"): void {
    const heads = how === "leaf" ? this.session.heads() : [...this.session.entries()];
    this.#side = how === "side";
    this.at = how === "root" ? null : (choose(heads, to) ?? null);
    if (this.at?.entry.side) this.#side = true;
  }

  /** Where a decision may look for what it names: the path, or with `wild` everything there is. */
  reach(wild: boolean): Place[] {
    return wild ? [...this.session.entries()] : this.path;
  }
}

/** The element that a wish means; none of an empty list. */
export function choose<T>(from: readonly T[], wish: number): T | undefined {
  return from[wish % from.length];
}

/** The different elements that several wishes mean, in the list's order. */
export function chooseSome<T>(from: readonly T[], wishes: readonly number[]): T[] {
  const chosen = new Set(wishes.map((wish) => choose(from, wish)));
  return from.filter((each) => chosen.has(each));
}
