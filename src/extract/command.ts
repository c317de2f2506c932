// The programs that a shell command runs, as far as its result's kind depends on them.

/** One program with its arguments. */
interface Program {
  readonly name: string;
  readonly args: readonly string[];
}

/** Longer commands are scripts, of which the first lines say enough. */
const LOOKED_AT = 2000;
/** Programs that say nothing about what is printed. */
const QUIET = new Set(["cd", "export", "set", "source", "pushd", "popd", "sleep", "mkdir", "rm", "true", "wait", "trap", "ulimit", "shopt"]);
/** Programs that run the one behind them. */
const WRAPPERS = new Set(["sudo", "time", "env", "nice", "timeout", "npx", "exec", "command", "xvfb-run", "stdbuf"]);

/** The programs of a command that print, in order: those behind a pipe are left out. */
export function programs(command: string): readonly Program[] {
  const found: Program[] = [];
  for (const step of command.slice(0, LOOKED_AT).split(/&&|\|\||;|\n/)) {
    const words = (step.split(/(?<![\\|])\|/, 1)[0] as string).match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
    let at = 0;
    while (at < words.length && (WRAPPERS.has(words[at] as string) || /^(?:\w+=|-|\d+[smh]?$|\()/.test(words[at] as string))) at += 1;
    const name = (words[at] ?? "").replace(/^.*[\\/]/, "");
    if (name === "" || QUIET.has(name)) continue;
    found.push({ name, args: words.slice(at + 1).map((word) => word.replace(/^(["'])(.*)\1$/, "$2")) });
  }
  return found;
}
