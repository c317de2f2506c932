// Follows a recording request by request, with the decider of a policy or with anything else that makes views of its own.
import { condensing, type EpochReport, type RequestSeen } from "../condense/index.ts";
import type { CondensePolicy } from "../config/index.ts";
import { isAssistant, type Place, pathTo, type Session, type Steps } from "../session/index.ts";
import { Projector, type View } from "../view/index.ts";

/** What follows a path and shows less of it. */
export interface Follower {
  /** A session of its own, with the decisions that it appended. */
  readonly session: Session;
  readonly head: Place | null;
  /** What it shows at the next request, after what it decides before it. */
  beforeRequest(): View;
  /** Takes the next place of the recording. */
  take(place: Place): void;
}

/** One request as a follower shows it; when it was made is the recording's to say. */
export type Followed = Pick<RequestSeen, "place" | "full" | "small" | "epoch">;

/** What is left when a recording was followed to its end. */
export interface Outcome {
  readonly session: Session;
  readonly epochs: readonly EpochReport[];
}

/** Follows a session to `head` and tells of each request in order, in steps. */
export type Follow = (session: Session, head: Place | null, onRequest: (request: Followed) => void) => Steps<Outcome>;

/** By the decider of a policy. */
export function byPolicy(policy: CondensePolicy): Follow {
  return (session, head, onRequest) => condensing(session, policy, { head, onRequest });
}

/** Drives a follower over a path. */
export function* follow(session: Session, head: Place | null, follower: Follower, onRequest: (request: Followed) => void): Steps<Outcome> {
  const full = new Projector(session);
  for (const place of pathTo(head)) {
    if (isAssistant(place.entry.data)) onRequest({ place, full: full.view(), small: follower.beforeRequest() });
    full.advance(place);
    follower.take(place);
    yield place.depth / session.size;
  }
  return { session: follower.session, epochs: [] };
}
