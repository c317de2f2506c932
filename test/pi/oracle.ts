// The oracle: what a provider received at each normal turn is what the session file shows at that place, message by message.
import { readFileSync } from "node:fs";
import type { Model } from "@earendil-works/pi-ai";
import { transformMessages } from "@earendil-works/pi-ai/api/transform-messages";
import { expect } from "vitest";
import { openSession } from "../../src/formats/index.ts";
import { recall, textOf } from "../../src/recall/index.ts";
import { type Block, bodyText, isOnPath, type Place, recordId, type Session, sha256 } from "../../src/session/index.ts";
import { type Item, type ResultItem, view } from "../../src/view/index.ts";
import type { PiRun, Sent } from "./harness.ts";
import type { Api, Body, Wire } from "./servers.ts";

/** A message in the form in which views and all protocols are compared. */
export interface Told {
  readonly role: "user" | "assistant" | "tool";
  /** The call that a result answers. */
  readonly id?: string;
  readonly isError?: boolean;
  /** Texts, thinking and pictures, and behind them calls, whatever their order in the message. */
  readonly parts: readonly (readonly string[])[];
}

/** Checks every turn of a run against its session file. Over a socket the bodies of the requests are what was received. */
export async function expectOracle(run: PiRun, wire?: Wire): Promise<void> {
  const { session, close } = await openSession(run.file);
  expect(run.turns.length).toBeGreaterThan(0);
  if (wire) expect(wire.bodies).toHaveLength(run.turns.length);
  const records = recordsOf(run.file);
  for (const [at, { leaf, messages }] of run.turns.entries()) {
    const shown = shownAt(session, leaf, records);
    const where = `request ${at + 1} at ${leaf}`;
    if (wire) expect(joined(READ[wire.api](wire.bodies[at])), where).toEqual(joined(shown.map((each) => asSent(each, wire.api))));
    else expect(received(messages, run.session.model as Model<string>), where).toEqual(shown);
  }
  close();
}

/**
 * What the file shows at a place. Where a batch of ours was begun and not finished there, the request held its edits already: the same bytes as the
 * batch wrote at its end.
 */
function shownAt(session: Session, leaf: string | null, records: readonly FileRecord[]): readonly Told[] {
  const place = leaf === null ? null : (session.named(leaf).at(-1) ?? null);
  const whole = view(session, place);
  const end = endOfBatch(session, place, records);
  return told(session, end ? view(session, end).items.slice(0, whole.length) : whole);
}

/** A record of a Pi file, as far as tests look at it. */
export interface FileRecord {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly customType?: string;
  readonly targetId?: string;
  readonly replacement?: { readonly content: readonly { readonly text?: string }[] };
  readonly data?: { readonly kind: string; readonly batch: string; readonly targets: readonly { readonly entry: string; readonly refs: readonly string[] }[] };
  readonly message?: { readonly role: string; readonly toolCallId?: string; readonly stopReason?: string };
}

/** The records of a file, what is no JSON left out. */
export function recordsOf(file: string): FileRecord[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** Whether a record opens or ends a batch. */
export function isOurs({ type, customType, data }: FileRecord): boolean {
  return type === "custom" && customType === "palimpsest" && (data?.kind === "batch" || data?.kind === "epoch");
}

/** Where the batch that is open at a place was finished. */
function endOfBatch(session: Session, at: Place | null, records: readonly FileRecord[]): Place | undefined {
  const ours = records.filter(isOurs);
  const placeOf = ({ id }: FileRecord) => session.named(id).at(-1) as Place;
  const newest = ours.filter((record) => record.data?.kind === "batch" && isOnPath(placeOf(record), at)).at(-1);
  // The last: one whose edits another extension left out is closed twice.
  const end = ours.findLast(({ data }) => data?.kind === "epoch" && data.batch === newest?.data?.batch);
  return end && !isOnPath(placeOf(end), at) ? placeOf(end) : undefined;
}

/** A view as messages: what Pi leaves out of every request, failed answers, left out here too. */
export function told(session: Session, items: Iterable<Item>): Told[] {
  const list: Told[] = [];
  let answer: { readonly record: string; readonly parts: string[][] } | undefined;
  for (const item of items) {
    const record = recordId(item.place.entry.id);
    if (item.kind === "prompt" || (item.role !== "user" && hasFailed(session, item.place))) continue;
    if (item.role === "tool") list.push(resultOf(item));
    else if (item.role === "assistant") {
      if (item.kind !== "call" || answer?.record !== record) {
        answer = { record, parts: [] };
        list.push({ role: "assistant", parts: answer.parts });
      }
      if (item.kind === "call") answer.parts.push(["call", item.callId, item.tool, sorted(bodyText(item.input))]);
      else answer.parts.push(...partsOf(item.blocks));
    } else list.push({ role: "user", parts: partsOf(item.blocks) });
  }
  return list;
}

function resultOf({ kind, callId, status, blocks, ref }: ResultItem): Told {
  const isMissing = kind === "placeholder" && ref === undefined;
  return { role: "tool", id: callId, isError: status === "error", parts: isMissing ? [["text", "No result provided"]] : partsOf(blocks) };
}

/** Whether an answer, or the one that a call belongs to, broke off: Pi sends none of these. */
function hasFailed(session: Session, { entry }: Place): boolean {
  return entry.data.kind !== "result" && session.named(recordId(entry.id)).some(({ entry: { data } }) => data.kind === "failure");
}

function partsOf(blocks: readonly Block[]): string[][] {
  return blocks.map((block) => {
    if (block.type === "text") return ["text", brief(bodyText(block.body))];
    if (block.type === "thinking") return ["thinking", bodyText(block.body)];
    return block.type === "image" ? ["image", bodyText(block.data)] : ["other", block.was];
  });
}

/** A long text by its beginning and its hash: what differs can be read. */
function brief(text: string): string {
  return text.length > 300 ? `${text.slice(0, 200)}… ${sha256(text)}` : text;
}

/** The same JSON, whatever space it was written with. */
function sorted(json: string): string {
  return JSON.stringify(JSON.parse(json));
}

/** Messages as a provider is given them, as Pi's code for any API goes on with them. */
export function received(messages: readonly Sent[], model: Model<string>): Told[] {
  return transformMessages([...messages], model).map((message): Told => {
    const content = typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
    if (message.role === "toolResult") return { role: "tool", id: message.toolCallId, isError: message.isError, parts: content.map(partOf) };
    const parts = [...content.filter(({ type }) => type !== "toolCall"), ...content.filter(({ type }) => type === "toolCall")];
    return { role: message.role === "assistant" ? "assistant" : "user", parts: parts.map(partOf) };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a block of any protocol
function partOf(block: any): string[] {
  switch (block.type) {
    case "thinking":
      return ["thinking", block.thinking];
    case "image":
      return ["image", block.data ?? block.source.data];
    case "toolCall":
      return ["call", block.id, block.name, JSON.stringify(block.arguments)];
    case "tool_use":
      return ["call", block.id, block.name, JSON.stringify(block.input)];
    case "function_call":
      return ["call", block.call_id, block.name, sorted(block.arguments)];
    case "function":
      return ["call", block.id, block.function.name, sorted(block.function.arguments)];
    case "image_url":
      return ["image", block.image_url.url.replace(/^data:[^,]*,/, "")];
    case "input_image":
      return ["image", block.image_url.replace(/^data:[^,]*,/, "")];
    default:
      return ["text", brief(block.text)];
  }
}

function contentOf(content: unknown): string[][] {
  if (typeof content === "string") return content === "" ? [] : [["text", brief(content)]];
  return Array.isArray(content) ? content.map(partOf) : [];
}

/** A message as a protocol can hold it. */
function asSent(message: Told, api: Api): Told {
  const id = message.id?.split("|")[0] as string;
  const parts = message.parts.filter(([kind, text]) => kind !== "text" || text !== "").map((part) => (part[0] === "call" ? callAsSent(part) : part));
  if (message.role !== "tool") return { ...message, parts };
  if (api === "anthropic-messages") return { ...message, parts };
  const { isError: _, ...rest } = message;
  const texts = parts.filter(([kind]) => kind === "text").map(([, text]) => text as string);
  const others = api === "openai-responses" ? parts.filter(([kind]) => kind !== "text") : [];
  return { ...rest, id, parts: [["text", texts.join("\n")], ...others] };
}

/** Responses joins two ids to one; each API gets its own part back. */
function callAsSent([kind, id, ...rest]: readonly string[]): string[] {
  return [kind as string, id?.split("|")[0] as string, ...rest];
}

/** The messages of a body; pictures of results, which chat completions sends as messages of their own, are left out. */
const READ: Readonly<Record<Api, (body: Body) => Told[]>> = {
  "openai-completions": ({ messages }) =>
    messages.flatMap(({ role, content, tool_calls: made = [], reasoning_content: thinking, tool_call_id: id }: Body): Told[] => {
      if (role === "system" || role === "developer") return [];
      if (role === "tool") return [{ role, id, parts: contentOf(content) }];
      if (role === "user") return content[0]?.text?.startsWith?.("Attached image") ? [] : [{ role, parts: contentOf(content) }];
      return [{ role, parts: [...(thinking ? [["thinking", thinking]] : []), ...contentOf(content), ...made.map(partOf)] }];
    }),
  "anthropic-messages": ({ messages }) =>
    messages.flatMap(({ role, content }: Body): Told[] => {
      const list: Body[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const results = list.filter(({ type }) => type === "tool_result");
      const rest = list.filter(({ type }) => type !== "tool_result");
      return [
        ...results.map(
          ({ tool_use_id: id, content: inside, is_error: isError }): Told => ({ role: "tool", id, isError: isError === true, parts: contentOf(inside) }),
        ),
        ...(rest.length > 0 ? [{ role, parts: rest.map(partOf) }] : []),
      ];
    }),
  "openai-responses": ({ input }) =>
    input.flatMap(({ type, role, content, output, call_id: id, summary, ...more }: Body): Told[] => {
      if (role === "system" || role === "developer") return [];
      if (type === "function_call_output") return [{ role: "tool", id, parts: contentOf(output) }];
      if (type === "function_call") return [{ role: "assistant", parts: [partOf({ type, call_id: id, ...more })] }];
      if (type === "reasoning") return [{ role: "assistant", parts: summary.map(({ text }: Body) => ["thinking", text]) }];
      return [{ role, parts: contentOf(content) }];
    }),
};

/** Messages of one role that stand side by side are one for some protocols: here they are one for all. */
function joined(messages: readonly Told[]): Told[] {
  const list: Told[] = [];
  for (const message of messages) {
    const last = list.at(-1);
    if (last && last.role !== "tool" && last.role === message.role) list[list.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
    else if (message.parts.length > 0) list.push(message);
  }
  return list;
}

/** Checks that refs lead to these texts at the end of a file's newest branch, or at an entry. */
export async function expectRecalled(file: string, texts: Readonly<Record<string, string>>, at?: string): Promise<void> {
  const { session, close } = await openSession(file);
  const head = at === undefined ? session.head : (session.named(at).at(-1) ?? null);
  for (const [ref, text] of Object.entries(texts)) {
    const found = recall(session, ref, head);
    expect("kind" in found ? `${ref} is unknown` : brief(textOf(found[0]?.blocks ?? [])), ref).toBe(brief(text));
  }
  close();
}

/** Checks that no result is condensed twice on the branch that ends a file, and that each batch that was begun has ended. */
export function expectOnce(file: string): void {
  const path = pathOf(recordsOf(file));
  const begun = path.filter((record) => isOurs(record) && record.data?.kind === "batch").map(({ data }) => data?.batch);
  const ended = path.filter((record) => isOurs(record) && record.data?.kind === "epoch").map(({ data }) => data?.batch);
  expect(ended).toEqual(begun);
  const results = new Set(path.filter(({ message }) => message?.role === "toolResult").map(({ id }) => id));
  const edited = path.flatMap(({ targetId = "" }) => (results.has(targetId) ? [targetId] : []));
  expect(edited).toEqual([...new Set(edited)]);
}

/** The records of the branch that ends a file. */
export function pathOf(records: readonly FileRecord[]): FileRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const path: FileRecord[] = [];
  for (let at = records.at(-1); at && at.type !== "session"; at = byId.get(at.parentId ?? "")) path.push(at);
  return path.reverse();
}
