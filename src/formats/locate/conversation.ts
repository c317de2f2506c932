// Whether a session file holds a conversation, told by the head of the file alone.
import { type FileHandle, open } from "node:fs/promises";
import type { Session } from "../../session/index.ts";
import { FIRST, headSession, MOST } from "./heading.ts";

/**
 * Whether somebody said something in a session. An agent that was started and left writes a header, a model, a snapshot of files and no more.
 * A file that cannot be read, and one whose head is too long to tell, may hold one.
 */
export async function holdsConversation(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const { size } = await file.stat();
    for (const bytes of [FIRST, MOST]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
      const session = await headSession(buffer.subarray(0, bytesRead));
      if (session && hasMessage(session)) return true;
      if (size <= bytes) return false;
    }
    return true;
  } catch {
    return true;
  } finally {
    await file?.close();
  }
}

function hasMessage(session: Session): boolean {
  for (const { entry } of session.entries()) if (entry.data.kind === "message" && entry.data.role !== "system" && !entry.side) return true;
  return false;
}
