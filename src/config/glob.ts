// Globs as a person writes them: those that cannot mean what they look like are refused before they match nothing.
import picomatch from "picomatch";

/** Picomatch reads no longer ones. */
const LONGEST = 65_536;

/** Whether each bracket, brace and parenthesis of a glob is closed. `\\` is read as `/`. */
export function isGlob(glob: string): boolean {
  if (glob === "" || glob.length > LONGEST) return false;
  try {
    picomatch.makeRe(glob.replaceAll("\\", "/"), { strictBrackets: true, dot: true, nonegate: true });
    return true;
  } catch {
    return false;
  }
}
