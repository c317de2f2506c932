// How a person or an agent runs this installation of Palimpsest, in whatever folder and also later.
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "./shell-word.ts";

const NAME = "palimpsest";
const BIN = resolve(dirname(fileURLToPath(import.meta.url)), "../../bin/palimpsest.js");

/**
 * The words of a shell that start it: its name, where the PATH leads to this installation for good, else `node` with the place of its launcher.
 * What npm adds to the PATH while it runs a command is not there afterwards.
 */
export function ownCommand(path: string = process.env.PATH ?? "", bin: string = BIN): string {
  const isOurs = (folder: string) => folder !== "" && !isPassing(folder) && isSame(join(folder, NAME), bin);
  return !existsSync(bin) || path.split(delimiter).some(isOurs) ? NAME : `node ${shellWord(bin)}`;
}

function isPassing(folder: string): boolean {
  return /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
}

function isSame(program: string, bin: string): boolean {
  try {
    return realpathSync(program) === realpathSync(bin);
  } catch {
    return false;
  }
}
