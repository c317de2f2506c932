// What a session is about, for a person who looks for one: its title, or what was typed first, from the head of its file alone.
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { type Bytes, bodyText, type Fact, type Place, type Session } from "../../session/index.ts";
import { isObject } from "../json.ts";
import { openSession } from "../open.ts";

/** A first record may hold a system prompt, behind which the conversation begins. */
export const FIRST: Bytes = 32 * 1024;
export const MOST: Bytes = 512 * 1024;
/** Characters of a heading; what is longer is cut. */
const LONGEST = 200;

/**
 * One line: the title if the head of the file holds one, otherwise what the user typed first. Undefined where the head tells neither,
 * or the file cannot be read.
 *
 * ```ts
 * await sessionHeading("session.jsonl"); // "Fix the rounding of totals"
 * ```
 */
export async function sessionHeading(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const { size } = await file.stat();
    return (await headingOf(file, FIRST)) ?? (size > FIRST ? await headingOf(file, MOST) : undefined);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

async function headingOf(file: FileHandle, bytes: Bytes): Promise<string | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  const session = await headSession(buffer.subarray(0, bytesRead));
  if (!session) return undefined;
  const text = titleOf(session) ?? firstTyped(session);
  return text === undefined ? undefined : oneLine(text);
}

/** What the head of a file holds of a session; undefined where that is none. */
export async function headSession(head: Buffer): Promise<Session | undefined> {
  try {
    return (await openSession("-", { input: Readable.from([head]) })).session;
  } catch {
    return undefined;
  }
}

/** The records of a title by their type, and where the title stands in them. */
const TITLES: Readonly<Record<string, string>> = { session_info: "name", "custom-title": "customTitle", "ai-title": "aiTitle" };

function titleOf(session: Session): string | undefined {
  let title = session.identity.title;
  for (const { entry } of session.entries()) if (entry.data.kind === "marker") title = titleIn(entry.data) ?? title;
  return title;
}

function titleIn({ what, raw }: Extract<Fact, { kind: "marker" }>): string | undefined {
  const key = Object.hasOwn(TITLES, what) ? TITLES[what] : undefined;
  if (key === undefined || !raw) return undefined;
  const record: unknown = JSON.parse(bodyText(raw));
  const title = isObject(record) ? record[key] : undefined;
  return typeof title === "string" && title.trim() !== "" ? title : undefined;
}

/** The first message in words of the user's own; the first command of the agent's where there is none. */
function firstTyped(session: Session): string | undefined {
  let command: string | undefined;
  for (const place of session.entries()) {
    const text = typedText(place);
    if (text === undefined) continue;
    const [, name, given = ""] = /<command-name>(.*?)<\/command-name>(?:.*?<command-args>(.*?)<\/command-args>)?/s.exec(text) ?? [];
    if (name !== undefined) command ??= `${name} ${given}`;
    else if (!FROM_AGENT.test(text)) return text;
  }
  return command;
}

/** How texts begin that agents send in the user's name. */
const FROM_AGENT = /^\s*(<|# AGENTS\.md|$)/;

function typedText({ entry: { data, side } }: Place): string | undefined {
  if (side || data.kind !== "message" || data.role !== "user" || data.host !== undefined || (data.mark ?? "fallback") !== "fallback") return undefined;
  return data.blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : [])).join(" ");
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
