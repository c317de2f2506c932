// What counts as a fact in a text: paths, values and identifiers, by rules of the measure's own and not of what it measures.

export type FactClass = "path" | "value" | "identifier";

/** One token that an agent could have learnt from a result. */
export interface FactToken {
  readonly what: FactClass;
  /** What it is compared by: of a path its last three segments, of anything else the word itself. */
  readonly text: string;
}

/** Letters, digits and the signs that join them in paths. */
const RUN = /[A-Za-z0-9_./~@+-]+/g;
const WORD = /[A-Za-z0-9_]+/g;
const EXTENSION = /[^.]\.([A-Za-z][A-Za-z0-9]{0,9})$/;
const SEGMENTS_COMPARED = 3;
/** Longer words are data, not names. */
const LONGEST_WORD = 80;
const LONGEST_PATH = 300;

const FILE_EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonl json5 md mdx txt rst py pyi rb go rs java kt kts scala swift c h cc cpp cxx hpp cs php pl lua ex exs erl hs ml " +
    "sh bash zsh fish ps1 bat yml yaml toml ini cfg conf xml html htm css scss sass less svg png jpg jpeg gif webp ico pdf csv tsv sql proto graphql vue svelte " +
    "astro tf gradle properties lock log diff patch snap traj ipynb wasm mod plist sqlite zip gz tgz tar"
  ).split(" "),
);

/** Names that every program has: nobody learns them from a result. */
const STOPPED = new Set(
  (
    "package.json package-lock.json tsconfig.json README.md Makefile Node.js node.js Next.js next.js Vue.js go.mod console.log Math.log index.js index.ts main.go " +
    "toString forEach indexOf findIndex hasOwnProperty isArray fromEntries startsWith endsWith toLowerCase toUpperCase replaceAll charCodeAt setTimeout clearTimeout " +
    "setInterval addEventListener innerHTML className getElementById querySelector useState useEffect useRef useMemo useCallback beforeEach afterEach beforeAll afterAll " +
    "toBe toEqual toContain toThrow toHaveLength JavaScript TypeScript GitHub GitLab OpenAI DevTools stdErr stdOut readFile writeFile readFileSync writeFileSync existsSync " +
    "is_error isinstance __init__ __name__ __main__ __dirname __filename node_modules old_string new_string file_path tool_use tool_result max_tokens"
  ).split(" "),
);

/** Whether a character of this code belongs to a word. */
export function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}

/**
 * The facts of a text, each once, in text order.
 *
 * ```ts
 * facts("see /home/x/src/view/item.ts:12 and parseRange"); // view/… no: src/view/item.ts (path), parseRange (identifier)
 * ```
 */
export function facts(text: string): FactToken[] {
  const found = new Map<string, FactToken>();
  const keep = (what: FactClass, token: string) => {
    if (!STOPPED.has(token) && !found.has(token)) found.set(token, { what, text: token });
  };
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (run.startsWith("-") && !isWordCode(text.charCodeAt(index - 1))) continue;
    const path = pathIn(run);
    if (path !== undefined) keep("path", path);
    else
      for (const [word] of run.matchAll(WORD)) {
        const what = classOf(word);
        if (what) keep(what, word);
      }
  }
  return [...found.values()];
}

/** The last segments of the path that a run of characters is; undefined where it is none. */
function pathIn(run: string): string | undefined {
  const path = run.replace(/[.+@~-]+$/, "");
  if (path.length > LONGEST_PATH || !/[A-Za-z]/.test(path)) return undefined;
  const segments = path.split("/").filter((segment) => !/^(?:\.{0,2}|~)$/.test(segment));
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  const extension = path.endsWith("/") ? undefined : EXTENSION.exec(last)?.[1];
  const isFile = extension !== undefined && (segments.length > 1 || FILE_EXTENSIONS.has(extension));
  const slashes = path.split("/").length - 1;
  if (!isFile && (segments.length < 2 || slashes < 2)) return undefined;
  return segments.slice(-SEGMENTS_COMPARED).join("/");
}

function classOf(word: string): FactClass | undefined {
  if (word.length < 4 || word.length > LONGEST_WORD) return undefined;
  if (/^\d+$/.test(word)) return isTellingNumber(word) ? "value" : undefined;
  if (word.length >= 7 && /^(?:0x)?[0-9a-f]+$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word)) return "value";
  return isIdentifier(word) ? "identifier" : undefined;
}

/** Numbers that nobody chooses: no years, thousands, powers of two or times in milliseconds. */
function isTellingNumber(digits: string): boolean {
  if (digits.length > 11) return false;
  const value = Number(digits);
  if (value % 1000 === 0 || Number.isInteger(Math.log2(value))) return false;
  return !(digits.length === 4 && value >= 1900 && value < 2100);
}

/** camelCase, PascalCase of two humps or more, snake_case. */
function isIdentifier(word: string): boolean {
  if (/[a-z0-9][A-Z]/.test(word) && /[a-z]/.test(word)) return true;
  if (/[A-Z]{2}[a-z]{2}/.test(word)) return true;
  return /[A-Za-z0-9]_+[A-Za-z0-9]/.test(word) && /[A-Za-z]/.test(word);
}
