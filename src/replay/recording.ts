// What is replayed of a session: its facts, with or without what its host decided.
import { type Decision, type Entry, type Fact, isDecision, Session } from "../session/index.ts";

/** `ignored`: as if the host had never compacted. `honoured`: as it did. */
export type HostDecisions = "ignored" | "honoured";

/**
 * A session of the same entries, ids and tree, in which system prompts say nothing, and where asked for the decisions of the host and their epochs too.
 * What is left out is a marker in its place.
 */
export function recordingOf(session: Session, hosts: HostDecisions): Session {
  const copy = new Session(session.identity);
  const leftOut = new Set<string>();
  for (const { entry } of session.entries()) {
    const out = entry.data.kind === "prompt" || (hosts === "ignored" && isHosts(entry.data, leftOut));
    if (out) leftOut.add(entry.id);
    copy.load(out ? marked(entry) : entry);
  }
  const head = session.head?.entry.id;
  if (head !== undefined) copy.continueAt(head);
  return copy;
}

/** The same session as if its host had compacted, replaced and cleared nothing. */
export function withoutHostDecisions(session: Session): Session {
  return recordingOf(session, "ignored");
}

/** Decisions of the host that hide something. */
export function hostDecisions(session: Session): number {
  return session.path().filter(({ entry }) => "by" in entry.data && entry.data.by === "host").length;
}

function isHosts(data: Fact | Decision, leftOut: ReadonlySet<string>): boolean {
  if (data.kind === "message") return data.mark === "derived" && data.host === "compaction";
  if (!isDecision(data)) return false;
  if (data.kind === "epoch")
    return data.cause === "host" || data.cause === "prompt" || (data.applies.length > 0 && data.applies.every((id) => leftOut.has(id)));
  if (data.kind === "revert") return leftOut.has(data.of);
  return "by" in data && data.by === "host";
}

function marked(entry: Entry): Entry {
  return { ...entry, data: { kind: "marker", what: `${entry.data.kind} left out` } };
}
