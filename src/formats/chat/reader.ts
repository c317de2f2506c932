// Chats as JSON: a list of messages, an object that holds one, or a message a line.
import { Session } from "../../session/index.ts";
import { isObject } from "../json.ts";
import type { FormatReader, RawRecord } from "../reader.ts";
import type { Parts } from "../scan/sink.ts";
import { roleOf } from "./content.ts";
import { Conversation } from "./conversation.ts";

const MEMBERS = ["system", "tools", "functions"];

export const CHAT_PARTS: Parts = { lists: ["", "messages"], members: MEMBERS };

/** Whether a parsed value is a chat, or a message of one. */
export function looksLikeChat(value: unknown): boolean {
  if (isObject(value) && Array.isArray(value.messages)) return areMessages(value.messages);
  return areMessages(value) || (roleOf(value) !== undefined && isObject(value) && ("content" in value || Array.isArray(value.tool_calls)));
}

/** Whether a value is a list of messages: most are of some role, and the first of these of a known one. */
export function areMessages(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  const messages = value.filter((each) => isObject(each) && typeof each.role === "string");
  return messages.length * 2 > value.length && roleOf(messages[0]) !== undefined;
}

export function chatReader(): FormatReader {
  return new ChatReader();
}

class ChatReader implements FormatReader {
  readonly format = "chat";
  readonly diagnostics = [];
  readonly #session = new Session({ id: "unknown", format: "chat" });
  readonly #conversations: Conversation[] = [];
  /** The conversation of a value whose parts come in. */
  #open: Conversation | undefined;
  /** The conversation of messages that stand on lines of their own. */
  #lines: Conversation | undefined;

  add(record: RawRecord): void {
    const { element } = record;
    if (element) {
      this.#lines = undefined;
      this.#open ??= this.#begin();
      if (MEMBERS.includes(element.list)) this.#open.addMember(record, element.list);
      else this.#open.addMessage(record);
    } else if (this.#open) this.#open = undefined;
    else {
      this.#lines ??= this.#begin();
      this.#lines.addMessage(record);
    }
  }

  #begin(): Conversation {
    const conversation = new Conversation();
    this.#conversations.push(conversation);
    return conversation;
  }

  session(): Session {
    for (const conversation of this.#conversations) {
      const last = conversation.write(this.#session);
      if (last) this.#session.continueAt(last);
    }
    this.#conversations.splice(0, this.#conversations.length, ...(this.#lines ? [this.#lines] : []));
    return this.#session;
  }
}
