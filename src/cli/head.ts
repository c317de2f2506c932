// The place that --at or --request names.
import { isAssistant, type Place, type Session } from "../session/index.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";

/** The last place of the entry or record called `at`; without it, where the session ends. */
export function headOf(session: Session, at: string | undefined): Place | null {
  if (at === undefined) return session.head;
  const place = session.named(at).at(-1);
  if (!place)
    throw new Failure(
      "unknown-entry",
      `expected the id of an entry of this session, found ${JSON.stringify(at)}. \`palimpsest view FILE --json\` lists them.`,
      EXIT.input,
    );
  return place;
}

/** What request number `number` (from 1) of a branch held: the place before the answer to it. */
export function headOfRequest(session: Session, number: number, head: Place | null): Place | null {
  const answers = session.path(head).filter((place) => isAssistant(place.entry.data));
  if (number === answers.length + 1) return head;
  const answer = answers[number - 1];
  if (!answer) throw new Failure("unknown-request", `expected a request from 1 to ${answers.length + 1} (the next one), found ${number}.`, EXIT.input);
  return answer.parent;
}
