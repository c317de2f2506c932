// The recorded sessions beside the project: each result with the facts in it that the agent came back to.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anchors, type ExtractInput } from "../src/extract/index.ts";
import { openSession } from "../src/formats/index.ts";
import { type Block, bodyText, type Session } from "../src/session/index.ts";

export const RECORDINGS = fileURLToPath(new URL("../../shared/corpus/", import.meta.url));

export interface RecordedResult {
  readonly input: ExtractInput;
  /** Anchors that texts of the user, of the agent, or arguments held before this result came. */
  readonly known: (anchor: string) => boolean;
  /** Anchors of it that the agent's text or arguments hold later, and that nothing but results held before; of several results the newest has the fact. */
  readonly facts: ReadonlySet<string>;
}

/** Files of recorded sessions; none where they are not there. */
export function recordingFiles(): readonly string[] {
  if (!existsSync(RECORDINGS)) return [];
  return readdirSync(RECORDINGS, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:jsonl|traj)$/.test(name))
    .sort()
    .map((name) => join(RECORDINGS, name));
}

/** The results of a session file in their order; `undefined` where no reader knows its format. */
export async function recordedResults(file: string): Promise<readonly RecordedResult[] | undefined> {
  const opened = await openSession(file).catch(() => undefined);
  if (!opened) return undefined;
  const results = resultsOf(opened.session);
  opened.close();
  return results;
}

function resultsOf(session: Session): readonly RecordedResult[] {
  const results: RecordedResult[] = [];
  const given = new Map<string, number>();
  const holders = new Map<string, Set<string>>();
  const calls = new Map<string, string>();
  const say = (text: string) => {
    for (const anchor of anchors(text)) {
      if (given.has(anchor)) continue;
      given.set(anchor, results.length);
      holders.get(anchor)?.add(anchor);
    }
  };
  for (const { entry } of session.path()) {
    const { data } = entry;
    if (data.kind === "message") say(textOf(data.blocks));
    if (data.kind === "call") {
      calls.set(data.callId, bodyText(data.input));
      say(strings(parsed(bodyText(data.input))).join("\n"));
    }
    if (data.kind !== "result") continue;
    const text = textOf(data.blocks);
    const facts = new Set<string>();
    const at = results.length;
    results.push({
      input: { tool: data.tool, args: parsed(calls.get(data.callId) ?? ""), text, status: data.status },
      known: (anchor) => (given.get(anchor) ?? Number.POSITIVE_INFINITY) <= at,
      facts,
    });
    for (const anchor of anchors(text)) if (!given.has(anchor)) holders.set(anchor, facts);
  }
  return results;
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === "text" ? bodyText(block.body) : "")).join("\n");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every text in a value. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
