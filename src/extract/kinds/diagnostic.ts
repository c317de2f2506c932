// One message of a compiler, a type checker or a linter, in the shapes in which they write its place.

export type Severity = "error" | "warning" | "note";

export interface Diagnostic {
  /** Empty where the place stands on another line. */
  readonly path: string;
  /** `12`, `12:5`; empty where there is none. */
  readonly place: string;
  readonly severity: Severity;
  /** The rule or the error's number; empty where there is none. */
  readonly code: string;
  readonly message: string;
}

/** Looked at of a line. */
const LOOKED_AT = 500;
const SEVERITY = "fatal error|error|warning|warn|note|info|information|hint|remark|suggestion|style|convention|refactor|help";
/** `path(12,5): error TS2322: message`, as tsc and MSBuild write it. */
const PARENS = new RegExp(
  `^(\\s{0,8}(?:[A-Za-z]:)?[^\\s(:][^(:]{0,300})\\((\\d{1,7})(?:,(\\d{1,6}))?(?:,\\d+){0,2}\\)\\s?: (${SEVERITY}) ?([A-Z]{1,10}\\d{1,6})?\\s?: (.+)$`,
);
/** `path:12:5: message` and `path:12:5 - error TS2322: message`; a drive's colon is part of the path. */
const COLONS = /^((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:]{0,300}):(\d{1,7})(?::(\d{1,6}))?(?:-\d{1,6})?(?::| -) ?(.+)$/;
/** `  12:5  error  message  rule`, below a line with the path. */
const BELOW = /^\s+(\d{1,7}):(\d{1,6})\s+(?:[✖⚠×]\s*)?(error|warning|info)\s+(\S.*)$/;
/** `error[E0308]: message`, with the place on the next line. */
const APART = /^(error|warning)(?:\[([A-Za-z]{0,20}\d{0,6})\])?: (.+)$/;
/** `[ERROR] path:[12,5] message`, as Maven writes it, and `e: file:///path:12:5 message`, as Kotlin does. */
const MAVEN = /^\[(ERROR|WARNING)\] (\/?\S[^:[]{0,300}):\[(\d{1,7}),(\d{1,6})\] (.+)$/;
const KOTLIN = /^([ew]): (?:file:\/\/)?(\S[^:]{0,300}):(\d{1,7}):(\d{1,6}):? (.+)$/;
/** `path:12:5 lint/rule ━━━━`, as Biome writes it, with the message two lines below. */
const BIOME = /^(\S[^:]{0,300}):(\d{1,7}):(\d{1,6}) ((?:lint|assist|suppressions|format|parse|syntax|organizeImports)\b[\w/]*)/;
/** `E501 message` of Ruff's full form, with `--> path:12:5` below it. */
const RUFF = /^([A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(\S.+)$/;
/** Where the place of one stands by itself. */
const ARROW = /^\s*(?:-->|╭▸|┌─|╭─\[?)\s?(\S[^:]{0,300}):(\d{1,7}):(\d{1,6})/;
/** What a message begins with that says how grave it is. */
const GRAVITY = new RegExp(`^(${SEVERITY}|[EWCRFINH])(?: ([A-Z]{1,5}\\d{1,5}))?(?:\\[([\\w:-]{1,40})\\])?: ?`, "i");
/** A code in front, `F401 …` or `C0114: …`, or behind, `[arg-type]`, `(rule-name)`, ` rule/name`. */
const FRONT = /^([A-Z]{1,5}\d{2,5}):? (?:\[\*\] )?/;
const BEHIND = /(?: \[([\w./:=-]{2,80})\]| \(([a-z][\w./@-]{2,80})\)|\s{2,}(@?[a-z][\w./@-]{1,80}))$/;

/** The message that a line holds; `undefined` where it holds none. `heading`: the path that the lines above were headed by. */
export function diagnosticOf(whole: string, heading: string): Diagnostic | undefined {
  const text = whole.length > LOOKED_AT ? whole.slice(0, LOOKED_AT) : whole;
  const first = text.charCodeAt(0);
  if (first === 32 || first === 9) {
    const below = heading === "" ? null : BELOW.exec(text);
    if (below) return made(heading, `${below[1]}:${below[2]}`, gravityOf(below[3] as string), "", below[4] as string);
  }
  const colon = text.indexOf(":");
  if (colon < 0) return RUFF.test(text) ? apartRuff(text) : undefined;
  const apart = APART.exec(text);
  if (apart) return made("", "", gravityOf(apart[1] as string), apart[2] ?? "", apart[3] as string);
  const parens = text.charCodeAt(colon - 1) === 41 || text.charCodeAt(colon - 2) === 41 || colon === 1 ? PARENS.exec(text) : null;
  if (parens) {
    const [, path, line, column, severity, code, message] = parens as unknown as [
      string,
      string,
      string,
      string | undefined,
      string,
      string | undefined,
      string,
    ];
    return made(path.trim(), column === undefined ? line : `${line}:${column}`, gravityOf(severity), code ?? "", message);
  }
  if (first === 91) {
    const maven = MAVEN.exec(text);
    return maven ? made(maven[2] as string, `${maven[3]}:${maven[4]}`, maven[1] === "ERROR" ? "error" : "warning", "", maven[5] as string) : undefined;
  }
  const kotlin = colon === 1 ? KOTLIN.exec(text) : null;
  if (kotlin) return made(kotlin[2] as string, `${kotlin[3]}:${kotlin[4]}`, kotlin[1] === "e" ? "error" : "warning", "", kotlin[5] as string);
  return RUFF.test(text) ? apartRuff(text) : withColons(text);
}

function apartRuff(text: string): Diagnostic | undefined {
  const ruff = RUFF.exec(text);
  return ruff ? made("", "", "error", ruff[1] as string, ruff[2] as string) : undefined;
}

function withColons(text: string): Diagnostic | undefined {
  const biome = BIOME.exec(text);
  if (biome) return made(biome[1] as string, `${biome[2]}:${biome[3]}`, "error", biome[4] as string, "");
  const colons = COLONS.exec(text);
  if (!colons) return undefined;
  const [, path, line, column, said] = colons as unknown as [string, string, string, string | undefined, string];
  // `12:30:05` is a time, not a place.
  if (!/[A-Za-z]/.test(path) || /^\d/.test(path) || /\s-?\d/.test(path) || /^\s/.test(said)) return undefined;
  const gravity = GRAVITY.exec(said);
  const rest = gravity ? said.slice(gravity[0].length) : said;
  const severity = gravity ? gravityOf(gravity[1] as string) : undefined;
  const code = gravity?.[2] ?? gravity?.[3] ?? "";
  const place = column === undefined ? line : `${line}:${column}`;
  if (severity !== undefined) return made(path, place, severity, code, rest);
  const front = FRONT.exec(rest);
  if (front) return made(path, place, /^(?:W|C|R|I|D)/.test(front[1] as string) ? "warning" : "error", front[1] as string, rest.slice(front[0].length));
  // Go's compiler says nothing but the place and the message.
  return /\.go$/.test(path) || (column !== undefined && BEHIND.test(rest)) ? made(path, place, "error", "", rest) : undefined;
}

function made(path: string, place: string, severity: Severity, code: string, message: string): Diagnostic {
  if (code !== "") return { path, place, severity, code, message };
  const behind = BEHIND.exec(message);
  return { path, place, severity, code: behind?.[1] ?? behind?.[2] ?? behind?.[3] ?? "", message };
}

function gravityOf(word: string): Severity {
  const lower = word.toLowerCase();
  if (/^(?:fatal error|error|e|f)$/.test(lower)) return "error";
  return /^(?:warning|warn|w|c|r|convention|refactor|style)$/.test(lower) ? "warning" : "note";
}

/** The place that a line gives by itself. */
export function arrowOf(whole: string): { readonly path: string; readonly place: string } | undefined {
  const arrow = ARROW.exec(whole.slice(0, LOOKED_AT));
  return arrow ? { path: arrow[1] as string, place: `${arrow[2]}:${arrow[3]}` } : undefined;
}
