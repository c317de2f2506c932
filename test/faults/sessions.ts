// What the tests of faults are made of: Pi session files written record by record, texts that can be shortened, and what a view shows.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Opened, openSession } from "../../src/formats/index.ts";
import { blocksOf, type Recalled, recall, textOf } from "../../src/recall/index.ts";
import type { Place, Session } from "../../src/session/index.ts";
import { type Item, itemText, type View } from "../../src/view/index.ts";

/** Source code of so many lines: a stub of it is smaller. */
export function code(lines = 60, name = "handler"): string {
  return Array.from({ length: lines }, (_, line) => `export function ${name}${line}(request: Request): Response { return reply(${line}); }`).join("\n");
}

const START = 1_772_442_000_000;

/** A Pi session under construction: each call adds one record below the last and gives its id. */
export class PiFile {
  readonly #records: object[] = [
    { type: "session", version: 3, id: "0198a1b2-0000-7000-8000-000000000002", timestamp: new Date(START).toISOString(), cwd: "/srv/app" },
  ];
  #last: string | null = null;
  /** Milliseconds between two records. */
  readonly #step: number;

  constructor(step = 1000) {
    this.#step = step;
  }

  get text(): string {
    return this.#records.map((record) => `${JSON.stringify(record)}\n`).join("");
  }

  record(type: string, more: object): string {
    const id = `r${String(this.#records.length).padStart(4, "0")}`;
    this.#records.push({ type, id, parentId: this.#last, timestamp: new Date(this.#now).toISOString(), ...more });
    this.#last = id;
    return id;
  }

  user(content: unknown): string {
    return this.#message({ role: "user", content });
  }

  assistant(content: readonly object[], stopReason = content.some((block) => "arguments" in block) ? "toolUse" : "stop"): string {
    return this.#message({
      role: "assistant",
      content,
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      usage: USAGE,
      stopReason,
    });
  }

  result(
    toolCallId: string,
    content: string | readonly object[],
    more: { readonly toolName?: string; readonly isError?: boolean; readonly details?: unknown } = {},
  ): string {
    const blocks = typeof content === "string" ? [said(content)] : content;
    return this.#message({ role: "toolResult", toolCallId, toolName: "read", content: blocks, isError: false, ...more });
  }

  /** An assistant message with one call, and its result. */
  step(id: string, content: string | readonly object[], args: object = { path: `${id}.ts` }): string {
    this.assistant([calls(id, "read", args)]);
    return this.result(id, content);
  }

  get #now(): number {
    return START + this.#records.length * this.#step;
  }

  #message(message: object): string {
    return this.record("message", { message: { ...message, timestamp: this.#now } });
  }
}

const USAGE = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };

export function said(text: string): object {
  return { type: "text", text };
}

export function calls(id: string, name = "read", args: object = { path: `${id}.ts` }): object {
  return { type: "toolCall", id, name, arguments: args };
}

/** A folder for session files, and what was opened in it. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "palimpsest-faults-"));
  readonly #opened: Opened[] = [];

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Writes a session file and reads it; it stays open until `remove`. */
  async open(file: PiFile, name = "session.jsonl"): Promise<Opened & { readonly path: string }> {
    const path = this.write(name, file.text);
    const opened = await openSession(path);
    this.#opened.push(opened);
    return { ...opened, path };
  }

  /** Runs the command. */
  run(...args: readonly string[]): { readonly code: number | null; readonly out: Buffer; readonly err: string } {
    const ran = spawnSync(process.execPath, [BIN, ...args], { cwd: this.path, env: { PATH: process.env.PATH, HOME: this.path }, maxBuffer: 1 << 28 });
    return { code: ran.status, out: ran.stdout, err: ran.stderr.toString() };
  }

  remove(): void {
    for (const { close } of this.#opened) close();
    rmSync(this.path, { recursive: true });
  }
}

const BIN = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));

/** The only original behind a name. */
export function recalled(session: Session, name: string, head: Place | null = session.head): Recalled {
  const found = recall(session, name, head);
  if ("kind" in found || found.length !== 1) throw new Error(`${name} leads to ${"kind" in found ? "nothing" : `${found.length} originals`}`);
  return found[0] as Recalled;
}

/** The text of the only original behind a name. */
export function original(session: Session, name: string, head: Place | null = session.head): string {
  return textOf(recalled(session, name, head).blocks);
}

/** The whole arguments of the call that a result answers. */
export function argumentsBehind(session: Session, ref: string): unknown {
  const found = recalled(session, ref);
  return found.kind === "result" && found.call ? JSON.parse(textOf(blocksOf(found.call))) : undefined;
}

export function items(shown: View, kind: Item["kind"]): Item[] {
  return shown.items.filter((item) => item.kind === kind);
}

export function texts(shown: View, kind: Item["kind"]): string[] {
  return items(shown, kind).map(itemText);
}

/** What stands in a view where a result stood. */
export function inPlaceOf(shown: View, ref: string): string {
  const item = shown.items.find((each) => each.role === "tool" && each.ref === ref);
  if (!item) throw new Error(`nothing stands in the view for ${ref}`);
  return itemText(item);
}

export function wholeText(shown: View): string {
  return shown.items.map(itemText).join("\n");
}
