// Builds Claude Code session files by hand: records with the fields that carry meaning, one a line.
import { Readable } from "node:stream";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { bodyText, type Fact, type Place, type Session } from "../../src/session/index.ts";

export type ClaudeRecord = Readonly<Record<string, unknown>>;

function placed(uuid: string, parent: string | null): ClaudeRecord {
  return { uuid, parentUuid: parent, isSidechain: false, sessionId: "s1", cwd: "/srv/app", version: "2.1.37" };
}

export function user(uuid: string, parent: string | null, content: unknown, more: ClaudeRecord = {}): ClaudeRecord {
  return { ...placed(uuid, parent), type: "user", message: { role: "user", content }, ...more };
}

/** `response`: message id and request id, as `m1/r1`; without a slash there is no request id. */
export function assistant(uuid: string, parent: string | null, response: string, content: unknown, more: ClaudeRecord = {}): ClaudeRecord {
  const [id, requestId] = response.split("/");
  return {
    ...placed(uuid, parent),
    type: "assistant",
    message: { id, role: "assistant", model: "claude", content },
    ...(requestId !== undefined && { requestId }),
    ...more,
  };
}

export function system(uuid: string, parent: string | null, subtype: string, more: ClaudeRecord = {}): ClaudeRecord {
  return { ...placed(uuid, parent), type: "system", subtype, ...more };
}

export function progress(uuid: string, parent: string | null): ClaudeRecord {
  return { ...placed(uuid, parent), type: "progress", data: { type: "hook_progress" } };
}

export const said = (text: string) => ({ type: "text", text });
export const calls = (id: string, name = "Bash", input: unknown = { command: id }) => ({ type: "tool_use", id, name, input });
export const answers = (id: string, content: unknown = `of ${id}`) => ({ type: "tool_result", tool_use_id: id, content });

export function lines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** What comes of records that stand in a file in this order. */
export function read(...records: readonly unknown[]): Promise<Opened> {
  return openSession("-", { input: Readable.from([lines(records)]) });
}

/** One fact or decision in one line: `user: text`, `call t1`, `result t1: text`, `compact: summary`. */
export function told({ entry: { data } }: Place): string {
  switch (data.kind) {
    case "message":
      return `${data.role}${data.mark ? ` ${data.mark}` : ""}: ${blockTexts(data)}`;
    case "call":
      return `call ${data.callId}`;
    case "result":
      return `result ${data.callId}: ${blockTexts(data)}`;
    case "failure":
      return `failure ${data.class}`;
    case "marker":
      return `marker ${data.what}`;
    case "compact":
      return `compact: ${data.summary ? bodyText(data.summary) : null}`;
    case "replace":
      return `replace ${data.target} by ${data.body.as}`;
    case "epoch":
      return `epoch ${data.cause} of ${data.applies.join(", ")}`;
    default:
      return data.kind;
  }
}

function blockTexts({ blocks }: Extract<Fact, { readonly kind: "message" | "result" }>): string {
  return blocks
    .map((block) => (block.type === "text" || block.type === "thinking" ? bodyText(block.body) : `[${block.type === "other" ? block.was : "image"}]`))
    .join(" + ");
}

/** The path to a head, without markers and usage. */
export function story(session: Session, head: Place | null = session.head): string[] {
  return session
    .path(head)
    .filter(({ entry }) => entry.data.kind !== "marker" && entry.data.kind !== "usage")
    .map(told);
}
