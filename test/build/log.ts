// Builds small sessions by hand: each call appends one entry below the last and gives its place.
import {
  type Block,
  type Decision,
  type Entry,
  type EntryId,
  entryId,
  type Fact,
  type Identity,
  type Place,
  Session,
  textBody,
} from "../../src/session/index.ts";

export function text(content: string): Block {
  return { type: "text", body: textBody(content) };
}

/** A log under construction. `at` moves the end to another place, which starts a branch. */
export class Log {
  readonly session: Session;
  #last: EntryId | null = null;
  #count = 0;

  constructor(identity: Identity = { id: "made", format: "palimpsest" }) {
    this.session = new Session(identity);
  }

  at(place: Place | null): this {
    this.#last = place?.entry.id ?? null;
    return this;
  }

  /** Appends under the rules for ours; throws what was refused. */
  add(data: Fact | Decision): Place {
    const refusal = this.session.append(this.#entry(data));
    if (refusal) throw new Error(refusal.message);
    return this.#advance();
  }

  /** Takes it as something that was recorded. */
  load(data: Fact | Decision): Place {
    this.session.load(this.#entry(data));
    return this.#advance();
  }

  /** The refusal of an entry that must not be appended. */
  refused(data: Fact | Decision): string | undefined {
    return this.session.append(this.#entry(data))?.message;
  }

  user(content: string): Place {
    return this.add({ kind: "message", role: "user", blocks: [text(content)] });
  }

  assistant(content = ""): Place {
    return this.add({ kind: "message", role: "assistant", blocks: content === "" ? [] : [text(content)] });
  }

  call(callId: string, tool = "read", input: unknown = { path: `${callId}.ts` }): Place {
    return this.add({ kind: "call", callId, tool, input: textBody(JSON.stringify(input)) });
  }

  result(callId: string, content: string, options: { tool?: string; status?: "ok" | "error" } = {}): Place {
    return this.add({ kind: "result", callId, tool: options.tool ?? "read", status: options.status ?? "ok", blocks: [text(content)] });
  }

  /** An assistant message with one call and its result. */
  step(callId: string, content: string): Place {
    this.assistant();
    this.call(callId);
    return this.result(callId, content);
  }

  condense(targets: readonly Place[], summary = "block"): Place {
    return this.add({
      kind: "condense",
      targets: targets.map((place) => place.entry.id),
      stubs: targets.map((place) => textBody(`[t${place.results}]`)),
      summary: textBody(summary),
      by: "extractive",
    });
  }

  epoch(...applies: readonly Place[]): Place {
    return this.add({ kind: "epoch", cause: "on-demand", applies: applies.map((place) => place.entry.id) });
  }

  #entry(data: Fact | Decision): Entry {
    return { id: entryId(`e${this.#count}`), parent: this.#last, data };
  }

  #advance(): Place {
    const id = entryId(`e${this.#count}`);
    this.#count += 1;
    this.#last = id;
    return this.session.find(id) as Place;
  }
}
