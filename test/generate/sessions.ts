// Random sessions for property tests: commands played one after the other on a live session.
import fc from "fast-check";
import { type Entry, type Identity, Session } from "../../src/session/index.ts";
import { type Command, command } from "./commands.ts";
import { playDecision } from "./decisions.ts";
import { Play } from "./play.ts";
import { body } from "./texts.ts";

/**
 * Entries of a random session, parents before children, in the order they were added. They hold branches, several roots,
 * side chains, parallel batches, call ids used again (in one message too), late, missing and double results, prompt changes,
 * images, thinking, empty, long and ill-formed texts, `summarize` calls, host changes, and all our decisions: chained, crossing,
 * reverted, applied by epochs or pending, some of them illegal (recorded, so kept) or refused (so left out).
 *
 * The text of a stub begins with the `tN` of its result; every other body that stands in place of something begins with the `bN`
 * of its decision (where that is illegal: with the one that it would have had).
 *
 * `size` bounds the number of commands (one makes one to about ten entries); 40 by default. A failing session shrinks by leaving out commands.
 *
 * ```ts
 * fc.assert(fc.property(arbitrarySession({ size: 30 }), (entries) => {
 *   const session = sessionOf(entries);
 *   return session.heads().every((head) => pairFaults(view(session, head)).length === 0);
 * }));
 * ```
 */
export function arbitrarySession(options: { readonly size?: number } = {}): fc.Arbitrary<readonly Entry[]> {
  return fc.array(command, { maxLength: options.size ?? 40, size: "max" }).map(entriesOf);
}

/** A fresh session of these entries, taken as recorded ones. Throws when one cannot be taken: then the generator is wrong. */
export function sessionOf(entries: readonly Entry[], identity: Identity = { id: "generated", format: "palimpsest" }): Session {
  const session = new Session(identity);
  for (const entry of entries) {
    const refusal = session.load(entry);
    if (refusal) throw new Error(refusal.message);
  }
  return session;
}

/** The entries that a list of commands makes. */
export function entriesOf(commands: readonly Command[]): readonly Entry[] {
  const play = new Play();
  for (const each of commands) playFact(play, each);
  return [...play.session.entries()].map((place) => place.entry);
}

function playFact(play: Play, command: Command): void {
  switch (command.do) {
    case "user":
      playUser(play, command);
      break;
    case "system":
      play.add({ kind: "message", role: "system", blocks: [play.text(command.shape)] });
      break;
    case "answer":
      playAnswer(play, command);
      break;
    case "step":
      playStep(play, command);
      break;
    case "call":
      play.call(command.id, command.summarize);
      break;
    case "result":
      play.result(command.id, "ok", command.shape);
      break;
    case "prompt":
      play.prompt(command.shape, command.sections);
      break;
    case "record":
      playRecord(play, command.kind);
      break;
    case "move":
      play.move(command.to, command.how);
      break;
    default:
      playDecision(play, command);
  }
}

function playUser(play: Play, { shape, from }: Command & { do: "user" }): void {
  const message = { kind: "message", role: "user" } as const;
  if (from === "typed") play.add({ ...message, blocks: [play.text(shape)] });
  else if (from === "image") play.add({ ...message, blocks: [play.text(shape), play.image()] });
  else if (from === "host") play.add({ ...message, blocks: [play.text(shape)], host: "branch_summary" });
  else play.add({ ...message, blocks: [play.text(shape)], mark: from });
}

function playAnswer(play: Play, { shape, with: what }: Command & { do: "answer" }): void {
  const message = { kind: "message", role: "assistant" } as const;
  if (what === "made") play.add({ ...message, blocks: [], mark: "made" });
  else if (what === "text") play.add({ ...message, blocks: [play.text(shape)], messageId: `msg_${play.nextId}` });
  else
    play.add({
      ...message,
      blocks: [
        { type: "thinking", body: body(shape, `thought ${play.nextId}`), signature: body("long", `signature ${play.nextId}`) },
        { type: "other", was: "citation", raw: body("short", `citation ${play.nextId}`) },
        play.text(shape),
      ],
    });
}

/** An assistant message, its calls in one record, the results turned round, what comes in between, and the late ones behind the next message. */
function playStep(play: Play, { calls, turn, between }: Command & { do: "step" }): void {
  play.record(() => {
    play.add({ kind: "message", role: "assistant", blocks: turn === 0 ? [] : [play.text("short")] });
    for (const call of calls) play.call(call.id, call.summarize);
  });
  const start = turn % calls.length;
  for (const call of [...calls.slice(start), ...calls.slice(0, start)]) {
    if (call.outcome === "missing" || call.outcome === "late") continue;
    play.result(call.id, call.outcome === "error" ? "error" : "ok", call.shape);
    if (call.outcome === "twice") play.result(call.id, "ok", call.shape);
    if (between === "message") play.add({ kind: "message", role: "user", blocks: [play.text("short")] });
    if (between === "notice") play.add({ kind: "notice", code: "note", text: body("short", play.nextId) });
  }
  const late = calls.filter((call) => call.outcome === "late");
  if (late.length === 0) return;
  play.add({ kind: "message", role: "assistant", blocks: [play.text("short")] });
  for (const call of late) play.result(call.id, "ok", call.shape);
}

function playRecord(play: Play, kind: (Command & { do: "record" })["kind"]): void {
  const id = play.nextId;
  const aside = play.session.size % 3 === 0 && { what: "cache_warm" };
  if (kind === "usage")
    play.add({ kind: "usage", ...aside, input: 1_000 + play.session.size, cacheRead: 10, cacheWrite: 5, output: 7, window: 200_000, model: "m" });
  else if (kind === "overflow") play.add({ kind: "failure", class: "overflow", text: body("long", id) });
  else if (kind === "failure") play.add({ kind: "failure", class: "aborted" });
  else if (kind === "marker") play.add({ kind: "marker", what: "label", raw: body("short", id) });
  else play.add({ kind: "attempt", what: "compact", phase: "failed", code: "timeout" });
}

/** An identity with every field in it. */
export const FULL_IDENTITY: Identity = {
  id: "generated",
  format: "pi",
  version: 3,
  cwd: "/code/project",
  title: "Größe 漢字",
  sessionIds: ["generated", "copied"],
  parentSession: "earlier",
  agentId: "a1",
};
