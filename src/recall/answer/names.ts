// What a name in a call means: a ref as a model copies it, an id, and the place that refs are counted from.
import type { Place, Session } from "../../session/index.ts";
import { type Recalled, recall } from "../recall.ts";
import { quoted, ToolProblem } from "./problem.ts";

/**
 * The place that refs are counted from: the entry called so, by default where the session ends.
 * @throws ToolProblem when no entry is called so
 */
export function headAt(session: Session, at: string | undefined): Place | null {
  if (at === undefined) return session.head;
  const place = session.named(at).at(-1);
  if (place) return place;
  throw new ToolProblem("unknown-entry", `expected the id of an entry of this session, found ${quoted(at)}. Leave at out for where the session ends.`);
}

/** The refs that exist at a head: `t1 to t57, b1`. */
export function refsAt(head: Place | null): string {
  const spans = (["t", "b"] as const).flatMap((letter) => {
    const last = (letter === "t" ? head?.results : head?.blocks) ?? 0;
    return last === 0 ? [] : [last === 1 ? `${letter}1` : `${letter}1 to ${letter}${last}`];
  });
  return spans.join(", ") || "none";
}

/**
 * What a name means, also as a model copies it from a text: in backticks, in brackets, in capitals.
 * @throws ToolProblem where nothing is called so. `hint`: what else the agent can ask
 */
export function named(session: Session, name: string, head: Place | null, hint: string): readonly Recalled[] {
  const bare = name.trim().replace(/^[`[("']+|[`\])"']+$/g, "");
  for (const each of new Set([name, bare, bare.toLowerCase()])) {
    const found = recall(session, each, head);
    if (!("kind" in found)) return found;
  }
  const several = /^[tb]\d+\W+[tb]\d+/i.test(bare) ? " Name one ref a call." : "";
  throw new ToolProblem(
    "unknown-ref",
    `expected a ref, an entry id or a tool-call id of this session, found ${quoted(name)}. Refs here: ${refsAt(head)}.${several} ${hint}`,
  );
}
