// Every result of the recorded sessions: the promises hold on real text too.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { estimate } from "../tokens/index.ts";
import { type ExtractInput, editHeader, extract } from "./index.ts";

const CORPUS = new URL("../../../shared/corpus/", import.meta.url);

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Part[];
}
interface Message {
  readonly role?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly content?: string | readonly Part[];
}

function textOf(content: string | readonly Part[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

function* results(file: URL): Generator<ExtractInput> {
  const calls = new Map<string | undefined, Part>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    let message: Message | undefined;
    try {
      message = (JSON.parse(line) as { message?: Message }).message;
    } catch {
      continue;
    }
    const parts = typeof message?.content === "string" ? [] : (message?.content ?? []);
    for (const part of parts) {
      if (part.type === "toolCall" || part.type === "tool_use") calls.set(part.id, part);
      if (part.type !== "tool_result") continue;
      const call = calls.get(part.tool_use_id);
      yield { tool: call?.name ?? "", args: call?.input, text: textOf(part.content), status: part.is_error ? "error" : "ok" };
    }
    if (message?.role === "toolResult")
      yield {
        tool: message.toolName ?? "",
        args: calls.get(message.toolCallId)?.arguments,
        text: textOf(message.content),
        status: message.isError ? "error" : "ok",
      };
  }
}

test("results of recorded sessions become smaller and stay verbatim", () => {
  if (!existsSync(CORPUS)) {
    console.warn("SKIPPED: no recorded sessions beside the project (../shared/corpus); nothing was checked");
    return;
  }
  const before = { tokens: 0, results: 0 };
  let after = 0;
  for (const host of ["pi", "claude-code"])
    for (const name of readdirSync(new URL(`${host}/`, CORPUS)).filter((found) => found.endsWith(".jsonl")))
      for (const result of results(new URL(`${host}/${name}`, CORPUS))) {
        if (editHeader(result) !== undefined) continue;
        const { text, whole, lines } = extract(result);
        before.results += 1;
        before.tokens += estimate(result.text);
        after += estimate(text);
        if (whole) expect(text).toBe(result.text);
        else expect(Buffer.byteLength(text)).toBeLessThan(Buffer.byteLength(result.text));
        const originals = result.text.split("\n");
        expect(lines).toBe(result.text === "" ? 0 : originals.length - (result.text.endsWith("\n") ? 1 : 0));
        if (whole || result.text.includes("\u001b") || result.text.includes("\r")) continue;
        for (const shown of text.split("\n")) {
          const match = /^(\d+)\| (.*)$/s.exec(shown);
          if (match) expect(originals[Number(match[1]) - 1]).toContain((match[2] as string).replace(/…$/, ""));
        }
      }
  expect(before.results).toBeGreaterThan(1500);
  expect(after).toBeLessThan(before.tokens * 0.35);
});
