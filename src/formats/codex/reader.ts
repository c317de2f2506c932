// Codex's session files: a line of records, in which a history of items is written beside events that repeat it.
import type { Identity, Session } from "../../session/index.ts";
import { isObject, timeOf } from "../json.ts";
import type { Diagnostic, FormatReader, RawRecord } from "../reader.ts";
import { Build, type Piece } from "./build.ts";
import { type Content, contentOf, type Header } from "./content.ts";
import { Mirrors } from "./mirrors.ts";

export { looksLikeCodex } from "./content.ts";

export function codexReader(): FormatReader {
  return new CodexReader();
}

class CodexReader implements FormatReader {
  readonly format = "codex";
  readonly #pieces: Piece[] = [];
  readonly #mirrors = new Mirrors<Piece>();
  #header: Header | undefined;
  #model: string | undefined;
  /** What the last report of usage counted in all. */
  #total: string | undefined;
  #build: Build | undefined;

  get diagnostics(): readonly Diagnostic[] {
    return this.#build?.diagnostics ?? [];
  }

  add(record: RawRecord): void {
    const { range, value } = record;
    const piece: Piece = { range, time: isObject(value) ? timeOf(value.timestamp) : undefined, content: this.#inSession(contentOf(record)) };
    this.#pieces.push(piece);
    this.#mirrors.add(piece);
  }

  session(): Session {
    if (!this.#build?.grow(this.#pieces)) {
      this.#build = new Build(identityOf(this.#header), this.#mirrors);
      this.#build.grow(this.#pieces);
    }
    return this.#build.session;
  }

  /** A record in the light of those before it: headers of copied history, reports of usage that only repeat the last one. */
  #inSession(content: Content): Content {
    switch (content.kind) {
      case "header":
        if (this.#header) return { kind: "marker", marker: { kind: "marker", what: "session_meta", raw: content.raw } };
        this.#header = content.header;
        return content;
      case "marker":
        this.#model = content.model ?? this.#model;
        return content;
      case "usage": {
        const { usage, total, raw } = content;
        if (total !== undefined && total === this.#total) return { kind: "marker", marker: { kind: "marker", what: "event_msg/token_count", raw } };
        this.#total = total;
        return this.#model === undefined ? content : { ...content, usage: { ...usage, model: this.#model } };
      }
      default:
        return content;
    }
  }
}

function identityOf(header: Header = {}): Identity {
  const { id = "unknown", cwd, version, parent } = header;
  return {
    id,
    format: "codex",
    ...(version !== undefined && { version }),
    ...(cwd !== undefined && { cwd }),
    ...(parent !== undefined && { parentSession: parent }),
  };
}
