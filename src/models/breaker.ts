// A model that is not asked for a while after it failed several times in a row.
import { refuseEnded } from "./abort.ts";
import { type Clock, isOver, SYSTEM_CLOCK } from "./clock.ts";
import { type Model, ModelError, wrapped } from "./model.ts";

export interface Breaker {
  /** Failures in a row that open it, of any class but those that say nothing about the model: `aborted`, `budget`. @default 3 */
  readonly failures?: number;
  /** Milliseconds for which nothing is asked; then one call is the probe. @default 60_000 */
  readonly cooldownMs?: number;
  readonly clock?: Clock;
}

type State = { readonly at: "closed"; readonly failures: number } | { readonly at: "open"; readonly since: number; readonly probing: boolean };

/** While it is open, calls fail at once with class `open` and the code of the last failure; during the probe all others still do. */
export function withBreaker(model: Model, { failures: most = 3, cooldownMs = 60_000, clock = SYSTEM_CLOCK }: Breaker = {}): Model {
  let state: State = { at: "closed", failures: 0 };
  let last = "";
  // A call that began before the breaker opened or closed says nothing about the time after it.
  let period = 0;

  const fail = (error: unknown) => {
    last = error instanceof ModelError ? error.code : "unknown";
    if (state.at === "closed" && state.failures + 1 < most) state = { at: "closed", failures: state.failures + 1 };
    else {
      state = { at: "open", since: clock.now(), probing: false };
      period += 1;
    }
  };
  const succeed = () => {
    if (state.at === "open") period += 1;
    state = { at: "closed", failures: 0 };
  };

  return wrapped(model, async (request, options = {}) => {
    // What was never asked says nothing about the model.
    refuseEnded(options);
    if (state.at === "open") {
      if (state.probing || !isOver(clock, state.since, cooldownMs)) throw openError(model.name, last, state.since + cooldownMs - clock.now());
      state = { ...state, probing: true };
    }
    const begun = period;
    try {
      const reply = await model.generate(request, options);
      if (begun === period) succeed();
      return reply;
    } catch (error) {
      if (begun === period) {
        if (!(error instanceof ModelError && saysNothing(error))) fail(error);
        else if (state.at === "open") state = { ...state, probing: false };
      }
      throw error;
    }
  });
}

function saysNothing(error: ModelError): boolean {
  return error.class === "aborted" || error.class === "budget";
}

function openError(name: string, code: string, ms: number): ModelError {
  const rest = Math.max(0, ms);
  return new ModelError("open", code, `${name} failed too often in a row (last: ${code}) and is not asked for another ${Math.ceil(rest / 1000)} s.`, {
    retryAfter: rest,
  });
}
