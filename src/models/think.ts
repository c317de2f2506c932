// Thinking that leaked into the text of a reply: `<think>…</think>`, one that is never closed, one whose beginning was sent elsewhere.

const TAG = /<\/?think>/g;
const FENCE = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/gm;

/**
 * A text without the thinking in it. Tags that the text talks about are no thinking: in quotes or backticks, in a closed fenced block, in a text that is JSON.
 * Linear in its length.
 *
 * @example withoutThinking("<think>hm</think>\nYes."); // "Yes."
 */
export function withoutThinking(text: string): string {
  if (!text.includes("think>") || isJson(text)) return text;
  const fenced = fencedRanges(text);
  let kept = "";
  let from = 0;
  let opened = false;
  let found = false;
  let range = 0;
  for (const { 0: tag, index } of text.matchAll(TAG)) {
    while (range < fenced.length && (fenced[range] as Range).end <= index) range += 1;
    const inFence = range < fenced.length && (fenced[range] as Range).start <= index;
    // What was opened ends at the first closing tag, wherever that stands.
    if (opened ? tag === "<think>" : inFence || isQuoted(text, index, tag.length)) continue;
    found = true;
    if (tag === "<think>") {
      kept += text.slice(from, index);
      opened = true;
    } else {
      // A closing tag that nothing opened: all before it was thinking.
      if (!opened) kept = "";
      opened = false;
    }
    from = index + tag.length;
  }
  if (!found) return text;
  return (opened ? kept : kept + text.slice(from)).trim();
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Fenced blocks that are closed, without the fences of thinking that the tags enclose. */
function fencedRanges(text: string): Range[] {
  const ranges: Range[] = [];
  let open: { readonly start: number; readonly mark: string } | undefined;
  for (const match of text.matchAll(FENCE)) {
    const [line, mark = "", info = ""] = match;
    if (open === undefined) open = { start: match.index, mark };
    else if (mark.startsWith(open.mark) && info.trim() === "") {
      ranges.push({ start: open.start, end: match.index + line.length });
      open = undefined;
    }
  }
  return ranges;
}

const QUOTES = new Set(["`", '"', "'", "“", "”", "‘", "’"]);

function isQuoted(text: string, index: number, length: number): boolean {
  return QUOTES.has(text[index - 1] ?? "") && QUOTES.has(text[index + length] ?? "");
}

function isJson(text: string): boolean {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
