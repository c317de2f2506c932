// Results that a note tells of: the stub that says so, and the stub that says the same where there is no note.
import { bodyText, type CondenseDecision, type EntryId, type Place, type Ref } from "../session/index.ts";
import { type StubHead, stubHeader } from "./stub.ts";

const TOLD = "summarized in a note below";

/** One line in place of a result that a note tells of. */
export function toldStub(head: StubHead): string {
  return stubHeader(head, TOLD);
}

/** What the notes of a path tell of each result, by the result's entry: the newest. */
export function toldIn(path: readonly Place[], find: (id: EntryId) => Place | undefined): ReadonlyMap<EntryId, string> {
  const told = new Map<EntryId, string>();
  for (const place of path) {
    const { data } = place.entry;
    if (data.kind !== "condense" || data.by !== "model" || place.illegal !== undefined) continue;
    const sections = sectionsIn(data);
    for (const target of data.targets) {
      const section = sections.get(`t${find(target)?.results ?? 0}`);
      if (section !== undefined) told.set(target, section);
    }
  }
  return told;
}

/** The bullets of each ref in a note of ours: they stand between its first line and its footer, and each begins with its ref, and every other line is moved in. */
function sectionsIn({ summary }: CondenseDecision): ReadonlyMap<Ref, string> {
  const lines = bodyText(summary).split("\n");
  const end = lines.lastIndexOf("---");
  const sections = new Map<Ref, string[]>();
  let open: string[] | undefined;
  for (const line of lines.slice(1, end < 0 ? undefined : end)) {
    const ref = /^- `(t\d+)`/.exec(line)?.[1] as Ref | undefined;
    if (ref !== undefined) {
      open = sections.get(ref) ?? [];
      sections.set(ref, open);
    }
    open?.push(line);
  }
  return new Map([...sections].map(([ref, own]) => [ref, own.join("\n").trimEnd()]));
}

/** A stub that says itself what a note would: the same text where it is none that a note tells of. */
export function inlined(stub: string, section: string | undefined): string {
  const [header = "", ...rest] = stub.split("\n");
  if (section === undefined || rest.length > 0 || !header.endsWith(`, ${TOLD}]`)) return stub;
  return `${header.slice(0, -TOLD.length - 3)}]\n${section}`;
}
