// When the requests of a recording were made, and whether a prompt cache outlived the time between them: the same for whatever follows it.
import { isCold } from "../condense/index.ts";
import type { Place } from "../session/index.ts";
import { CARDS } from "../tokens/index.ts";

/** When one request was made. */
export interface Moment {
  /** Seconds since 1970 at which the newest entry before it came; absent where none has a time. */
  readonly at?: number;
  /** The model changed since the request before, and no cache of the other is of use. */
  readonly lost: boolean;
  /** The cache of the premium card is gone. */
  readonly cold: boolean;
}

/** Follows a path from request to request. Recorded times that run backwards are passed over. */
export class Times {
  readonly #path: readonly Place[];
  #next = 0;
  #newest: number | undefined;
  #last: number | undefined;

  constructor(path: readonly Place[]) {
    this.#path = path;
  }

  /** The moment of the request that `assistant` answers. */
  request(assistant: Place): Moment {
    let lost = false;
    for (; this.#next < assistant.depth; this.#next++) {
      const { data, time } = (this.#path[this.#next] as Place).entry;
      if (data.kind === "marker") lost ||= data.what === "model_change";
      else if (time !== undefined && (this.#newest === undefined || time > this.#newest)) this.#newest = time;
    }
    const time = this.#newest ?? assistant.entry.time;
    const at = time === undefined ? undefined : time / 1000;
    const cold = lost || isCold(CARDS.premium, this.#last, at);
    this.#last = at ?? this.#last;
    return { ...(at !== undefined && { at }), lost, cold };
  }
}
