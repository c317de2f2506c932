// Files that are written under a temporary name: whoever ends the process meanwhile leaves none behind.
import { rmSync } from "node:fs";

/** Takes a draft away when the process ends before it has its name. Gives back what does that at once, and does nothing where the draft has its name. */
export function heldDraft(path: string): () => void {
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  return () => {
    process.off("exit", remove);
    remove();
  };
}
