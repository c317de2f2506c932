// Which lines of source code declare something, by language. Every pattern starts at the line's start and repeats nothing within a repeat.

export type Language = "script" | "python" | "go" | "rust" | "java" | "c" | "ruby" | "shell" | "markdown" | "php" | "settings";

/** 0: of the file; 1: exported or public within something; 2: inner. */
type Level = 0 | 1 | 2;

const EXTENSIONS: Readonly<Record<string, Language>> = Object.fromEntries(
  (
    [
      ["script", "ts tsx mts cts js jsx mjs cjs vue svelte astro"],
      ["python", "py pyi pyx"],
      ["go", "go"],
      ["rust", "rs"],
      ["java", "java cs kt kts scala swift dart groovy"],
      ["c", "c h cc cpp cxx hpp hh m mm"],
      ["ruby", "rb rake ex exs"],
      ["shell", "sh bash zsh bats"],
      ["markdown", "md mdx markdown mdc"],
      ["php", "php"],
      ["settings", "yml yaml toml ini cfg conf"],
    ] as const
  ).flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
);

export function languageOf(path: string): Language | undefined {
  return EXTENSIONS[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

/** How much a declaration weighs; `undefined` where the line declares nothing. */
export function declares(line: string, language: Language): Level | undefined {
  switch (language) {
    case "script":
      return inScript(line);
    case "python":
      return leveled(line, /^\s*(?:async def|def|class) \w/) ?? (/^[A-Z][A-Z0-9_]+(?::[^=]{1,60})? ?= /.test(line) ? 1 : undefined);
    case "go":
      return /^(?:func|type|package) /.test(line) ? 0 : /^(?:var|const) \w/.test(line) ? 1 : undefined;
    case "rust":
      return leveled(
        line,
        /^\s*(?:pub(?:\([\w: ]+\))? )?(?:(?:async|unsafe|const|extern "C") )?(?:fn|struct|enum|trait|impl|mod|type|union|static|const|macro_rules!)[ <]/,
      );
    case "java":
      return inJava(line);
    case "c":
      return inC(line);
    case "ruby":
      return (
        leveled(line, /^\s*(?:def|class|module|defmodule|defp|defmacro|describe|context) /) ??
        (/^\s*(?:attr_\w+|has_many|belongs_to|scope) /.test(line) ? 2 : undefined)
      );
    case "shell":
      return /^\s*(?:function [\w:-]+|[\w:-]+ ?\(\))/.test(line) ? 0 : /^(?:export |readonly |declare )?[A-Z][A-Z0-9_]*=/.test(line) ? 1 : undefined;
    case "markdown":
      return /^#{1,2} /.test(line) ? 0 : /^#{3,4} /.test(line) ? 1 : undefined;
    case "php":
      return leveled(line, /^\s*(?:(?:abstract|final|public|protected|private|static) ){0,3}(?:function|class|interface|trait|enum|namespace) /);
    case "settings":
      return /^(?:\[{1,2}[^\]]+\]|[\w.-]+:(?: |$))/.test(line) ? 0 : undefined;
  }
}

function leveled(line: string, pattern: RegExp): Level | undefined {
  if (!pattern.test(line)) return undefined;
  return /^\S/.test(line) ? 0 : 1;
}

const SCRIPT =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*? ?\w|class \w|interface \w|type \w+ ?(?:[=<]|$)|enum \w|const enum \w|namespace \w|module ["\w]|(?:const|let|var) [\w$[{])|^export (?:default|\*|\{)|^(?:module\.)?exports\b/;
const MEMBER = /^\s{1,12}(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set) ){0,4}[#\w$]+\??(?:<[^>]{0,80}>)?\(/;
const INNER = /^\s+(?:export )?(?:async )?(?:function\*? ?\w|class \w|interface \w|(?:const|let) [\w$]+ ?= ?(?:async ?)?(?:\(|function\b|\w+ ?=>))/;
const NO_MEMBER = /^\s*(?:if|for|while|switch|catch|return|await|throw|new|typeof|super|expect|function|else|do|import)\b/;

function inScript(line: string): Level | undefined {
  const first = line.charCodeAt(0);
  if (first !== 32 && first !== 9) {
    if (/^export\b/.test(line) || /^(?:async )?function|^(?:abstract )?class |^interface /.test(line)) return SCRIPT.test(line) ? 0 : undefined;
    if (/^(?:describe|suite|test|it)(?:\.\w+)?\(/.test(line)) return 0;
    return SCRIPT.test(line) ? 1 : undefined;
  }
  if (/^\s+(?:describe|suite|test|it)(?:\.\w+)?\(["'`]/.test(line)) return 1;
  if (INNER.test(line)) return 2;
  // A member's declaration opens a body; a call ends the line.
  return MEMBER.test(line) && /\{\s*$/.test(line) && !NO_MEMBER.test(line) && !/=> ?\{\s*$/.test(line) ? 1 : undefined;
}

function inJava(line: string): Level | undefined {
  const type =
    /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data|override) ){0,5}(?:class|interface|enum|record|struct|object|protocol|extension|namespace|package|trait) [\w.]/;
  if (type.test(line)) return /^\S/.test(line) ? 0 : 1;
  const member =
    /^\s*(?:(?:public|private|protected|internal|static|final|abstract|virtual|override|async|synchronized|open|suspend|mutating|inline) ){1,6}[\w<>[\],.? ]{1,100}[({=;]/;
  if (member.test(line)) return 1;
  return /^\s*(?:fun|func|def|val|var) \w+ ?[(<:]/.test(line) ? 1 : undefined;
}

function inC(line: string): Level | undefined {
  if (/^(?:typedef|struct|class|enum|union|namespace|template|extern|static|inline|#define) ?\S/.test(line)) return 0;
  if (/^@(?:interface|implementation|protocol)\b/.test(line)) return 0;
  if (/^[A-Za-z_][\w:<>*&,~ ]{0,120}\([^;]{0,200}$/.test(line) && !/^(?:if|for|while|switch|return|else|do)\b/.test(line)) return 0;
  return /^\s+(?:virtual|static|explicit|inline) /.test(line) ? 1 : undefined;
}
