// Pi records that change what was already sent: as decisions by the host, each with the epoch that applies it.
import {
  type Block,
  type Body,
  type Decision,
  type EntryId,
  type Fact,
  isOnPath,
  type Place,
  type ReplaceDecision,
  type Session,
  wasSent,
} from "../../session/index.ts";
import { afterEdit, type BatchTarget, type batchRecord, closing } from "./batch.ts";
import { folded, type PathState, type Prompt, type PromptChange, promptAfterCompaction, type WaitingEdit } from "./path-state.ts";

/** What one record says, light enough to keep. */
export type Draft =
  | { readonly kind: "facts"; readonly facts: readonly Fact[] }
  | { readonly kind: "prompt"; readonly change: PromptChange }
  | {
      readonly kind: "compaction";
      readonly summary: Body;
      readonly shown: Body;
      readonly keep: string | number | undefined;
      readonly change: PromptChange | undefined;
    }
  | { readonly kind: "edit"; readonly target: string; readonly content: EditedContent | null }
  | { readonly kind: "batch"; readonly fact: Fact; readonly record: NonNullable<ReturnType<typeof batchRecord>> };

/** New content of a record: its blocks, and the calls left in it. */
export interface EditedContent {
  readonly blocks: readonly Block[];
  readonly calls: readonly { readonly callId: string; readonly input: Body }[];
}

/** What is known above a record when its entries are made. */
export interface Above {
  readonly session: Session;
  readonly parent: Place | null;
  readonly state: PathState;
  /** The entries of another record of the file. */
  readonly entriesOf: (id: string) => readonly Place[];
  /** The ids of the records that edit a record, in the order of the file. */
  readonly editsOf: (id: string) => readonly string[];
  /** The id of the N-th record of the file, the header being 0. */
  readonly idAt: (index: number) => string | undefined;
}

/** The entries of a record in order, and the state below it. */
export interface Written {
  readonly data: readonly (Fact | Decision)[];
  readonly state: PathState;
  /** What is wrong with the record, where something is. */
  readonly remark?: { readonly code: string; readonly message: string };
}

/** Ids of a record's entries: its own for a single one, with `#n` for several. Joined, as a template would keep its parts in memory beside the text. */
export function entryIds(record: string, count: number): EntryId[] {
  return count === 1 ? [record as EntryId] : Array.from({ length: count }, (_, index) => [record, index].join("#") as EntryId);
}

export function written(id: string, draft: Draft, above: Above): Written {
  switch (draft.kind) {
    case "facts":
      return { data: draft.facts, state: above.state };
    case "prompt":
      return writtenPrompt(id, draft.change, above);
    case "compaction":
      return writtenCompaction(id, draft, above);
    case "edit":
      return writtenEdit(id, draft, above);
    case "batch":
      return writtenBatch(id, draft, above);
  }
}

/** The first record of a batch of ours opens it; the last names what it came to, where all between belongs to it. */
function writtenBatch(id: string, { fact, record }: Draft & { kind: "batch" }, { state: { batch, ...state } }: Above): Written {
  if (record.kind === "batch") return { data: [fact], state: { ...state, batch: record } };
  const decision = batch?.batch === record.batch ? closing(batch) : undefined;
  // Where another extension left out all of its edits, they follow.
  const isRobbed = batch?.batch === record.batch && !batch.newest && (record.economics?.saving ?? 0) > 0;
  if (!decision) return { data: [fact], state: isRobbed ? { ...state, batch } : state };
  const { economics } = record;
  return {
    data: [decision, { kind: "epoch", cause: "on-demand", applies: entryIds(id, 2).slice(0, 1), ...(economics && { economics }) }],
    state,
  };
}

function writtenPrompt(id: string, change: PromptChange, { parent, state }: Above): Written {
  const prompt = folded(state.prompt, change);
  const fact: Fact = { kind: "prompt", ...prompt };
  const data = parent?.assistant ? [fact, epoch("prompt", [entryIds(id, 2)[0] as EntryId])] : [fact];
  return { data, state: { ...state, prompt } };
}

function epoch(cause: "host" | "prompt" | "on-demand", applies: readonly EntryId[]): Decision {
  return { kind: "epoch", cause, applies };
}

function writtenCompaction(
  id: string,
  { summary, shown, keep, change }: Draft & { kind: "compaction" },
  { session, parent, state, entriesOf, idAt }: Above,
): Written {
  const here = parent ? parent.depth + 1 : 0;
  const keptId = typeof keep === "number" ? (keep === 0 ? undefined : idAt(keep)) : keep;
  const kept = keptId === undefined ? undefined : entriesOf(keptId)[0];
  const cut = kept && isOnPath(kept, parent) ? kept : undefined;
  const lost = keptId !== undefined && keptId !== id && !cut;
  const shownFrom = cut?.depth ?? here;
  const prompt = promptAfterCompaction(change);
  const prompts: Fact[] = isEmpty(prompt) && isEmpty(state.prompt) ? [] : [{ kind: "prompt", ...prompt }];
  const overruled = state.compactions.filter((earlier) => shownFrom < earlier.shownFrom && session.find(earlier.id)?.illegal === undefined);
  const back = state.waiting.filter(({ target }) => target >= shownFrom);
  const again = back.flatMap(({ pending, edits }) => (pending.length > 0 ? [] : edits));
  const ids = entryIds(id, 2 + prompts.length + overruled.length + again.length);
  const data: (Fact | Decision)[] = [
    { kind: "compact", cut: cut?.entry.id ?? null, summary, shown, autoRead: [], references: [], quotes: [], carried: [], by: "host" },
    ...prompts,
    ...overruled.map((earlier) => ({ kind: "revert", of: earlier.id }) as const),
    ...again,
    epoch("host", [...ids.slice(0, -1), ...back.flatMap(({ pending }) => pending)]),
  ];
  return {
    data,
    state: {
      prompt,
      compactions: [...state.compactions.filter((each) => !overruled.includes(each)), { id: ids[0] as EntryId, shownFrom }],
      waiting: state.waiting.filter((each) => !back.includes(each)),
    },
    ...(lost && { remark: { code: "unknown-cut", message: `its first kept entry ${keptId} is not on the path: it keeps nothing, as in Pi` } }),
  };
}

function isEmpty({ sections, tools }: Prompt): boolean {
  return sections.length === 0 && tools.length === 0;
}

function writtenEdit(id: string, { target, content }: Draft & { kind: "edit" }, above: Above): Written {
  const { parent, state, entriesOf } = above;
  const places = entriesOf(target).filter((place) => isOnPath(place, parent));
  const edits =
    places.length > 0
      ? places.flatMap((place) => editOf(place, content, places, () => isReplaced(place, target, above)))
      : [replace(target as EntryId, { as: "nothing" })];
  const [first] = places;
  if (first && !isEditable(first)) {
    const remark = { code: "ignored-edit", message: `it edits ${target}, a record that Pi does not edit: it has no effect` };
    return { data: [{ kind: "marker", what: "context_edit" }], state, remark };
  }
  const hidden = first !== undefined && first.depth < (state.compactions.at(-1)?.shownFrom ?? 0);
  if (!hidden) {
    const { batch } = state;
    const base = batch?.targets.get(target);
    const data = base === undefined ? edits : ourEdits(edits, places, base);
    const applied = epoch(base === undefined ? "host" : "on-demand", entryIds(id, data.length + 1).slice(0, -1));
    return { data: [...data, applied], state: batch ? { ...state, batch: afterEdit(batch, data, base !== undefined) } : state };
  }
  // What no request has held changes at once: the edit is taken back at once, and made again when its target is shown again.
  const cancels = wasSent(first, parent) ? 0 : edits.length;
  const ids = entryIds(id, edits.length + cancels).slice(0, edits.length);
  const waiting: WaitingEdit = { target: first.depth, pending: cancels > 0 ? [] : ids, edits };
  return {
    data: [...edits, ...ids.slice(0, cancels).map((of) => ({ kind: "revert", of }) as const)],
    state: { ...state, waiting: [...state.waiting, waiting] },
  };
}

/** Pi edits what the user, the model, a tool or an extension said, and nothing that it composed itself. */
function isEditable({ entry: { data } }: Place): boolean {
  return data.kind === "result" || (data.kind === "message" && (data.host === undefined || data.host.startsWith("custom")));
}

/** An edit of a batch of ours: what it changes is our decision, and what it repeats of the record itself is none. */
function ourEdits(edits: readonly ReplaceDecision[], places: readonly Place[], base: BatchTarget["base"]): ReplaceDecision[] {
  const facts = new Map(places.map(({ entry }) => [entry.id, entry.data]));
  return edits.flatMap((edit): ReplaceDecision[] => {
    if (edit.body.as === "nothing") return [edit];
    const fact = facts.get(edit.target);
    if (fact?.kind === "result") return [{ ...edit, by: "extractive", mode: "aposteriori" }];
    if (fact?.kind !== "message" || edit.body.as !== "blocks") return [{ ...edit, by: "extractive" }];
    return base === "record" && sameBlocks(fact.blocks, edit.body.blocks) ? [] : [{ ...edit, by: "extractive", mode: "thinking" }];
  });
}

function sameBlocks(a: readonly Block[], b: readonly Block[]): boolean {
  return JSON.stringify(a, withoutPlace) === JSON.stringify(b, withoutPlace);
}

function withoutPlace(key: string, value: unknown): unknown {
  return key === "at" ? undefined : value;
}

/** Whether an earlier edit of its record shows something else than the call's own arguments. */
function isReplaced({ entry: { id, data } }: Place, record: string, { parent, entriesOf, editsOf }: Above): boolean {
  for (const edit of editsOf(record).toReversed()) {
    for (const { entry } of entriesOf(edit).filter((place) => isOnPath(place, parent))) {
      if (entry.data.kind !== "replace" || entry.data.target !== id) continue;
      const { body } = entry.data;
      return body.as !== "input" || data.kind !== "call" || body.input.sha256 !== data.input.sha256;
    }
  }
  return false;
}

/** How an edit of a record changes one of its entries. `isReplaced`: whether it is shown otherwise than it came before the edit. */
function editOf(place: Place, content: EditedContent | null, record: readonly Place[], isReplaced: () => boolean): ReplaceDecision[] {
  const { data, id } = place.entry;
  if (data.kind === "message" || data.kind === "result") return [replace(id, content === null ? { as: "nothing" } : { as: "blocks", blocks: content.blocks })];
  if (data.kind !== "call") return [];
  if (content === null) return [replace(id, { as: "nothing" })];
  const before = record.filter(({ depth, entry }) => depth < place.depth && entry.data.kind === "call" && entry.data.callId === data.callId).length;
  const left = content.calls.filter(({ callId }) => callId === data.callId)[before];
  if (!left) return [replace(id, { as: "nothing" })];
  return left.input.sha256 === data.input.sha256 && !isReplaced() ? [] : [{ ...replace(id, { as: "input", input: left.input }), mode: "arguments" }];
}

function replace(target: EntryId, body: ReplaceDecision["body"]): ReplaceDecision {
  return { kind: "replace", target, body, by: "host", mode: "prune" };
}
