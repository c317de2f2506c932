// Seeded sessions of any length: user turns of several calls each, with texts of the sizes that recordings have.
import { type Entry, entryId, Session, textBody } from "../src/session/index.ts";

/** A small generator of numbers (mulberry32): the same seed gives the same session everywhere. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Entries of a linear session that holds about `messages` messages and results. */
export function* seededEntries(messages: number, seed = 1): IterableIterator<Entry> {
  const random = numbers(seed);
  let count = 0;
  let parent: string | null = null;
  const entry = (data: Entry["data"]): Entry => {
    const made = { id: entryId(`e${count++}`), parent: parent === null ? null : entryId(parent), data };
    parent = made.id;
    return made;
  };
  for (let made = 0; made < messages; ) {
    if (made % 40 === 0) {
      yield entry({
        kind: "message",
        role: "user",
        blocks: [{ type: "text", body: textBody(`Please look into src/module${made}.ts and fix what fails there.`) }],
      });
      made += 1;
      continue;
    }
    yield entry({ kind: "message", role: "assistant", blocks: [{ type: "text", body: textBody(`I will read file number ${made}.`) }] });
    yield entry({
      kind: "call",
      callId: `call_${made}`,
      tool: made % 3 === 0 ? "bash" : "read",
      input: textBody(JSON.stringify({ path: `src/dir${made % 17}/file${made}.ts` })),
    });
    yield entry({
      kind: "result",
      callId: `call_${made}`,
      tool: made % 3 === 0 ? "bash" : "read",
      status: "ok",
      blocks: [{ type: "text", body: textBody(resultText(made, random)) }],
    });
    made += 2;
  }
}

function resultText(of: number, random: () => number): string {
  const lines = Math.floor(2 + random() * random() * 120);
  return Array.from(
    { length: lines },
    (_, line) => `export function handler${of}_${line}(input: string): number { return input.length + ${Math.floor(random() * 100000)}; }`,
  ).join("\n");
}

export function seededSession(messages: number, seed = 1): Session {
  const session = new Session({ id: `seeded-${messages}`, format: "palimpsest" });
  for (const entry of seededEntries(messages, seed)) session.append(entry);
  return session;
}
