// Condenses a session by hand: every result, call and thinking in view, whatever a policy would say.
import { type CopyPlan, copyPlan } from "../../src/copies/index.ts";
import { bodyText, type Decision, type EntryId, entryId, type Place, type Ref, Session, textBody } from "../../src/session/index.ts";
import { view } from "../../src/view/index.ts";

interface What {
  readonly calls?: boolean;
  readonly thinking?: boolean;
  /** Which results. @default all */
  readonly results?: (place: Place) => boolean;
}

export function stubText(ref: Ref): string {
  return `[${ref} stub]\nkept`;
}

/** The plan of a copy whose results in view are stubs, and whose calls and thinking are short where that is asked for. */
export function shortened(session: Session, { calls = false, thinking = false, results = () => true }: What = {}, head: Place | null = session.head): CopyPlan {
  const copy = new Session(session.identity);
  for (const { entry } of session.entries()) copy.load(entry);
  let last = head?.entry.id ?? null;
  let count = 0;
  const ids: EntryId[] = [];
  const append = (data: Decision): void => {
    const id = entryId(`made-${++count}`);
    copy.load({ id, parent: last, data });
    last = id;
    ids.push(id);
  };
  const before = view(session, head);
  const whole = Array.from(before).filter((item) => item.kind === "result" && results(item.place));
  if (whole.length > 0)
    append({
      kind: "condense",
      targets: whole.map(({ place }) => place.entry.id),
      stubs: whole.map(({ place }) => textBody(stubText(`t${place.results}`))),
      summary: textBody("[b1 automatic note]"),
      by: "extractive",
    });
  for (const item of before) {
    const target = item.place.entry.id;
    if (calls && item.kind === "call") {
      const ref = `b${((copy.find(last as EntryId) as Place).blocks ?? 0) + 1}`;
      const input = textBody(JSON.stringify({ cut: `[${ref}: ${item.input.chars} characters]`, was: bodyText(item.input).slice(0, 3) }));
      append({ kind: "replace", target, body: { as: "input", input }, by: "extractive", mode: "arguments" });
    }
    if (thinking && item.kind === "message" && item.role === "assistant" && item.blocks.some(({ type }) => type === "thinking"))
      append({
        kind: "replace",
        target,
        body: { as: "blocks", blocks: item.blocks.filter(({ type }) => type !== "thinking") },
        by: "extractive",
        mode: "thinking",
      });
  }
  append({ kind: "epoch", cause: "on-demand", applies: [...ids] });
  const end = copy.find(last as EntryId) as Place;
  return copyPlan({ session: copy, head: end, before, after: view(copy, end) });
}
