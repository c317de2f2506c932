// What an agent says in one request: its words and its arguments, without what it writes anew, and the blocks it edits.
import { fencedLines } from "../condense/index.ts";
import { bodyText, type CallFact, type MessageFact } from "../session/index.ts";

export interface Said {
  /** Texts in which the agent can name what it knows from before. */
  readonly texts: readonly string[];
  /** The old lines of each edit, as they must stand in the file. */
  readonly edits: readonly (readonly string[])[];
}

/** Arguments that hold new content: what stands in them is known from nowhere. */
const NEW_CONTENT = new Set(["newText", "new_string", "new_str", "content", "file_text", "new_source", "todos"]);
/** Arguments that hold a part of a file as it was. */
const OLD_CONTENT = new Set(["oldText", "old_string", "old_str"]);

/** What an assistant message and its calls say. */
export function said(message: MessageFact, calls: readonly CallFact[]): Said {
  const texts: string[] = [];
  const edits: (readonly string[])[] = [];
  for (const block of message.blocks) if (block.type === "text") texts.push(withoutFences(bodyText(block.body)));
  for (const { input } of calls)
    visitStrings(argumentsIn(bodyText(input)), (value, key) => {
      if (key !== undefined && NEW_CONTENT.has(key)) return;
      if (key !== undefined && OLD_CONTENT.has(key)) edits.push(value.split("\n"));
      const patch = patchParts(value);
      texts.push(patch ? patch.kept : value);
      for (const hunk of patch?.hunks ?? []) edits.push(hunk);
    });
  return { texts, edits };
}

/** A text as JSON, or the text itself where it is none. */
export function argumentsIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Visits every string of a value, however deep it is, in its order and with the nearest key that it stands under. */
export function visitStrings(value: unknown, visit: (text: string, key: string | undefined) => void): void {
  const open: { readonly value: unknown; readonly key: string | undefined }[] = [{ value, key: undefined }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: outer, key } = next;
    if (typeof outer === "string") visit(outer, key);
    if (typeof outer !== "object" || outer === null) continue;
    const inner = Array.isArray(outer)
      ? outer.map((each: unknown) => ({ value: each, key }))
      : Object.entries(outer).map(([name, each]: [string, unknown]) => ({ value: each, key: key !== undefined && NEW_CONTENT.has(key) ? key : name }));
    for (const each of inner.reverse()) open.push(each);
  }
}

function withoutFences(text: string): string {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.filter((_, at) => !fenced[at]).join("\n");
}

interface PatchParts {
  /** The text without added lines. */
  readonly kept: string;
  /** Context and removed lines of each hunk, without their sign. */
  readonly hunks: readonly (readonly string[])[];
}

/** A patch taken apart; undefined where a text holds none. */
function patchParts(text: string): PatchParts | undefined {
  const enveloped = /^\*\*\* Begin Patch/m.test(text);
  if (!enveloped && !(/^@@ /m.test(text) && /^\+\+\+ /m.test(text))) return undefined;
  const kept: string[] = [];
  const hunks: string[][] = [];
  let inside = !enveloped;
  for (const line of text.split("\n")) {
    if (/^\*\*\* (?:Begin|End) Patch/.test(line)) inside = line.startsWith("*** Begin");
    if (!inside || /^(?:\*\*\* |@@|--- |\+\+\+ |diff )/.test(line)) {
      hunks.push([]);
      kept.push(line);
    } else if (!line.startsWith("+")) {
      const old = /^[ -]/.test(line) ? line.slice(1) : line;
      hunks.at(-1)?.push(old);
      kept.push(old);
    }
  }
  return { kept: kept.join("\n"), hunks: hunks.filter((hunk) => hunk.length > 0) };
}
