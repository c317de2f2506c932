// Fenced code in Markdown, found line by line as CommonMark finds it, except that a fence nobody closes is none.

/** What a line could be to a fence: its character and how many of them; `closes` where nothing but blanks follows. */
interface FenceLine {
  readonly character: "`" | "~";
  readonly length: number;
  readonly closes: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/s;

/** The line as the delimiter of a fence, where it has the form of one. */
function fenceLine(line: string): FenceLine | undefined {
  const match = FENCE.exec(line);
  if (!match) return undefined;
  const [, run, rest] = match as unknown as [string, string, string];
  const character = run[0] as "`" | "~";
  if (character === "`" && rest.includes("`")) return undefined;
  return { character, length: run.length, closes: /^[ \t\r]*$/.test(rest) };
}

/**
 * For each line, whether it belongs to fenced code, the two delimiters included. Containers (lists, quotes) are not parsed.
 * Linear: whether anything can close a fence is known before it is looked for.
 */
export function fencedLines(lines: readonly string[]): boolean[] {
  const forms = lines.map(fenceLine);
  const longest = longestCloserFrom(forms);
  const fenced = new Array<boolean>(lines.length).fill(false);
  for (let at = 0; at < lines.length; at++) {
    const opener = forms[at];
    if (!opener || (longest[opener.character][at + 1] as number) < opener.length) continue;
    let end = at + 1;
    while (!closes(forms[end], opener)) end++;
    fenced.fill(true, at, end + 1);
    at = end;
  }
  return fenced;
}

function closes(line: FenceLine | undefined, opener: FenceLine): boolean {
  return line?.closes === true && line.character === opener.character && line.length >= opener.length;
}

/** For each character and line, the length of the longest line at or after it that could close a fence. */
function longestCloserFrom(forms: readonly (FenceLine | undefined)[]): Record<"`" | "~", Uint32Array> {
  const longest = { "`": new Uint32Array(forms.length + 1), "~": new Uint32Array(forms.length + 1) };
  for (let at = forms.length - 1; at >= 0; at--) {
    const form = forms[at];
    for (const character of ["`", "~"] as const) {
      const own = form?.closes && form.character === character ? form.length : 0;
      longest[character][at] = Math.max(own, longest[character][at + 1] as number);
    }
  }
  return longest;
}

/** An edited line as it may stand where `before` stood: with a backslash where the edit would make a delimiter of it that it was not. */
export function keepingFences(before: string, after: string): string {
  const old = fenceLine(before);
  const now = fenceLine(after);
  if (!now || (old && old.character === now.character && old.length === now.length && old.closes === now.closes)) return after;
  return after.replace(/^ */, "$&\\");
}
