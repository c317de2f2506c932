// The files that a shell command prints, by its words: taken apart simply, nothing is expanded.
import { posix } from "node:path";

/** Keys under which tools take a command, as one text or as a list of words. */
const COMMAND_KEYS = ["command", "cmd", "script"];
/** UTF-16 units of a command that are looked at: a longer one is a script that writes, not one that reads. */
const LOOKED_AT = 10_000;
/** Programs that print the files they are given: what only names a file, such as a search, prints something else. */
const PRINTERS = new Set(["cat", "head", "tail", "sed", "nl", "bat", "batcat", "less", "more", "tac", "type"]);
/** Programs that run the one behind them. */
const WRAPPERS = new Set(["sudo", "command", "exec"]);

/** A quoted word, the signs between two commands, or a plain word, in which a blank may be escaped. */
const WORD = /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([|&;()\n]+)|((?:\\ |[^\s"'|&;()<>`=])+)/g;

/**
 * The files that a call's command prints, as they stand there and, behind a `cd`, also from the folder that it names.
 *
 * ```ts
 * commandPaths({ cmd: "cd docs && cat a.md" }); // ["a.md", "docs/a.md"]
 * commandPaths({ command: ["bash", "-lc", "cat docs/a.md | head"] }); // ["docs/a.md"]
 * ```
 */
export function commandPaths(args: Readonly<Record<string, unknown>>): string[] {
  const commands = COMMAND_KEYS.flatMap((key) => commandsIn(Object.hasOwn(args, key) ? args[key] : undefined));
  return [...new Set(commands.flatMap(filesIn))];
}

/** The commands of a text, or of a list of words, of which one may be a command itself; each as its words, `;` between two programs. */
function commandsIn(value: unknown): string[][] {
  if (typeof value === "string") return commandsOf(value);
  if (!Array.isArray(value)) return [];
  const words = value.filter((each) => typeof each === "string");
  return [words.filter((word) => !/\s/.test(word)), ...words.filter((word) => /\s/.test(word)).flatMap(commandsOf)];
}

function commandsOf(text: string): string[][] {
  const looked = text.slice(0, LOOKED_AT);
  // What stands in a here-document is a text, not a command.
  const document = /<<-?\s*["'\\]?\w/.exec(looked);
  const end = document ? looked.indexOf("\n", document.index) : -1;
  const words = wordsOf(end < 0 ? looked : looked.slice(0, end));
  // A quoted word with blanks may be one path, or a command for another shell.
  return [words, ...words.filter((word) => /\s/.test(word)).map(wordsOf)];
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(
    ([, double, single, between, plain]) => double ?? single ?? (between === undefined ? (plain ?? "").replaceAll("\\ ", " ") : ";"),
  );
}

function filesIn(words: readonly string[]): string[] {
  const files: string[] = [];
  let folder = "";
  let program: string | undefined;
  for (const each of words) {
    const word = each.replace(/^\$(?:HOME\b|\{HOME\})/, "~");
    if (word === ";") program = undefined;
    else if (program === undefined) program = /^\w+=$/.test(word) || WRAPPERS.has(word) ? undefined : word.replace(/^.*[\\/]/, "");
    else if (program === "cd") folder = isAbsolute(word) ? word : posix.join(folder, word);
    else if (PRINTERS.has(program) && !word.startsWith("-")) files.push(...(folder === "" || isAbsolute(word) ? [word] : [word, posix.join(folder, word)]));
  }
  return files;
}

function isAbsolute(word: string): boolean {
  return /^[\\/~$]|^[A-Za-z]:/.test(word);
}
