// Claude Code session files written record by record, and what was read of one in a line an entry.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { type Block, bodyText, type Decision, type Fact, type Place } from "../../src/session/index.ts";

export type Line = Readonly<Record<string, unknown>>;

/** The file's session id; the files beside it lie in a folder of this name. */
export const SESSION = "11111111-1111-4111-8111-111111111111";

function base(uuid: string, parentUuid: string | null, type: string): Line {
  return { parentUuid, isSidechain: false, cwd: "/srv/app", sessionId: SESSION, version: "2.1.37", type, uuid, timestamp: "2026-03-02T09:00:00.000Z" };
}

export function user(uuid: string, parent: string | null, content: unknown, more: Line = {}): Line {
  return { ...base(uuid, parent, "user"), message: { role: "user", content }, ...more };
}

/** One record of a response; `response` is the provider's id of it, `output` its tokens so far. */
export function assistant(uuid: string, parent: string | null, response: string, content: readonly unknown[], output = 5, more: Line = {}): Line {
  const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 20, output_tokens: output };
  return {
    ...base(uuid, parent, "assistant"),
    requestId: `req_${response}`,
    message: { id: response, type: "message", role: "assistant", model: "claude-opus-4-5", content, usage },
    ...more,
  };
}

export function said(text: string): Line {
  return { type: "text", text };
}

export function call(id: string, name = "Bash", input: unknown = { command: id }): Line {
  return { type: "tool_use", id, name, input };
}

export function result(uuid: string, parent: string | null, callId: string, content: unknown, more: Line = {}): Line {
  return user(uuid, parent, [{ type: "tool_result", tool_use_id: callId, content }], more);
}

export function boundary(uuid: string, after: string): Line {
  return { ...base(uuid, null, "system"), subtype: "compact_boundary", content: "Conversation compacted", logicalParentUuid: after };
}

export function summary(uuid: string, parent: string, text: string): Line {
  return user(uuid, parent, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
}

/** A record that only stands on the way between two others. */
export function progress(uuid: string, parent: string | null): Line {
  return { ...base(uuid, parent, "progress"), data: { type: "hook_progress" } };
}

export function textOfLines(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Session files in a folder of their own. */
export class Sessions {
  readonly folder = mkdtempSync(join(tmpdir(), "palimpsest-claude-code-"));
  readonly #opened: Opened[] = [];

  write(path: string, content: string | Uint8Array): string {
    const whole = join(this.folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  }

  /** Reads what is given as a session file; stays open until `remove`. */
  async read(content: readonly Line[] | string | Uint8Array): Promise<Opened> {
    const isText = typeof content === "string" || content instanceof Uint8Array;
    const opened = await openSession(this.write(`project/${SESSION}.jsonl`, isText ? content : textOfLines(content)));
    this.#opened.push(opened);
    return opened;
  }

  remove(): void {
    for (const { close } of this.#opened) close();
    rmSync(this.folder, { recursive: true });
  }
}

/** What each of these places holds, markers and usage left out: `assistant hello`, `call t1`, `result t1 12 x`, `compact Sum.` */
export function outline(places: Iterable<Place>): string[] {
  return [...places].flatMap(({ entry: { data } }) => (data.kind === "marker" || data.kind === "usage" ? [] : [words(data)]));
}

function words(data: Fact | Decision): string {
  switch (data.kind) {
    case "message":
      return [data.role, ...data.blocks.map(blockWords)].join(" ");
    case "call":
      return `call ${data.callId}`;
    case "result":
      return [`result ${data.callId}`, ...data.blocks.map(blockWords)].join(" ");
    case "compact":
      return `compact ${data.summary ? bodyText(data.summary) : "-"}`;
    default:
      return data.kind;
  }
}

function blockWords(block: Block): string {
  if (block.type === "text") return bodyText(block.body);
  return block.type === "thinking" ? `(${bodyText(block.body)})` : `<${block.type}>`;
}
