// session_refs: what a session hides, by ref.
import { type Content, count, counted, decisionWords, headAt, lineCount, oneLine, refSpans, refsAt, said } from "../../recall/index.ts";
import { bodyText, coverage, type HidingDecision, type Place, pathTo, type Ref, type ResultFact, refOf, type Session } from "../../session/index.ts";
import { view } from "../../view/index.ts";
import type { Current } from "./current-session.ts";
import { commonShape, makeTool, type Tool, whole } from "./tool.ts";

interface Asked {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly at?: string | undefined;
}

const LINES = 50;

export function refsTool(choosesSession: boolean): Tool {
  return makeTool({
    name: "session_refs",
    description:
      'Lists what your context no longer shows whole, oldest first: ref, tool, size and first words of each hidden tool result, and each block (bN) with the results it hides. Read one with context_tree_query. Example: {} or {"offset":50}',
    example: '{"offset":50}',
    shape: {
      offset: whole("a whole number from 0", 0).optional().describe("refs to pass over"),
      limit: whole("a whole number from 1 to 200", 1)
        .max(200, { error: "a whole number from 1 to 200" })
        .optional()
        .describe(`refs to list (default: ${LINES})`),
      ...commonShape(choosesSession),
    },
    answer: (current, asked: Asked) => answer(current, asked),
  });
}

function answer({ session, said: which }: Current, { offset = 0, limit = LINES, at }: Asked): Content[] {
  const head = headAt(session, at);
  const path = pathTo(head);
  const hidden = hiddenOn(session, path, head);
  const page = hidden.slice(offset, offset + limit);
  const shown = offset + page.length;
  const part = page.length < hidden.length ? `; ${page.length === 0 ? "none" : `${count(offset + 1)} to ${count(shown)}`} here` : "";
  const next = shown < hidden.length && page.length > 0 ? `, next: {"offset":${shown}}` : "";
  const title = hidden.length === 0 ? "nothing is hidden" : `${counted(hidden.length, "ref")} of what is hidden${part}${next}`;
  return [
    said(`${title}. Refs here: ${refsAt(head)}.`, lostLine(path), which),
    ...(page.length > 0 ? [said(...page.map((place) => lineOf(session, path, place)))] : []),
  ];
}

/** Which originals cannot be read; undefined where all can. */
function lostLine(path: readonly Place[]): string | undefined {
  const lost = path.flatMap((place) => (place.entry.data.kind === "result" && place.entry.data.lost ? [refOf(place) as Ref] : []));
  if (lost.length === 0) return undefined;
  return `originals-missing: of ${refSpans(lost)} only the stub is left, as this condensed copy has lost its folder of originals. Put it back beside the copy, or read the session that was copied.`;
}

/** The results that are not in view as they came, and the blocks, in path order. */
function hiddenOn(session: Session, path: readonly Place[], head: Place | null): Place[] {
  const shown = new Set(Array.from(view(session, head), (item) => (item.kind === "result" || item.kind === "late" ? item.place : undefined)));
  return path.filter((place) => (place.entry.data.kind === "result" ? !shown.has(place) : refOf(place) !== undefined));
}

function lineOf(session: Session, path: readonly Place[], place: Place): string {
  const { data } = place.entry;
  return data.kind === "result" ? resultLine(place, data) : blockLine(session, path, place, data as HidingDecision);
}

/** `t17 bash: 312 lines, 16,384 bytes, error: first words` */
function resultLine(place: Place, { tool, status, blocks }: ResultFact): string {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [bodyText(block.body)] : []));
  const images = blocks.filter(({ type }) => type === "image").length;
  const facts = [
    counted(
      texts.reduce((sum, each) => sum + lineCount(each), 0),
      "line",
    ),
    counted(
      texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0),
      "byte",
    ),
    ...(images > 0 ? [counted(images, "image")] : []),
    ...(status === "error" ? ["error"] : []),
  ];
  const words = oneLine(texts.join(" ").trimStart(), 80);
  return `${refOf(place)} ${oneLine(tool, 60)}, ${facts.join(", ")}${words === "" ? "" : `: ${words}`}`;
}

/** `b2 compact by host: 214 entries, results t1 to t57` */
function blockLine(session: Session, path: readonly Place[], place: Place, decision: HidingDecision): string {
  const covers = path.slice(0, place.depth).filter(coverage(place, decision, session.find));
  const results = covers.flatMap((each) => (each.entry.data.kind === "result" ? [refOf(each) as Ref] : []));
  const span = results.length === 0 ? "" : `, ${results.length === 1 ? "result" : "results"} ${refSpans(results)}`;
  return `${refOf(place)} ${decisionWords(decision)}: ${counted(covers.length, "entry", "entries")}${span}`;
}
