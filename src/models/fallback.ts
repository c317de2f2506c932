// A second model for the time in which the first cannot be reached.
import { abortedError, refuseEnded } from "./abort.ts";
import { type Clock, isOver, SYSTEM_CLOCK } from "./clock.ts";
import { type CallOptions, type Model, ModelError, type ModelReply, type ModelRequest, wrapped } from "./model.ts";

/** Plain data, so that it can be kept and given back after a restart. */
export interface FallbackState {
  readonly primary: "up" | "down";
  /** Milliseconds since 1970: when it went down, or was last found down. 0 while it is up. */
  readonly since: number;
  /** Whether the outage was told. It is not while both models are down: nobody stands in yet. */
  readonly told: boolean;
}

export interface FallbackChange {
  readonly primary: string;
  readonly second: string;
  /** The code of the failure that tripped it, where it went down. */
  readonly code?: string;
}

export interface Fallback {
  /** Milliseconds after which one call probes the primary. @default 600_000 */
  readonly cooldownMs?: number;
  readonly clock?: Clock;
  /** `down`: the second stands in, a warning. `up`: the primary is back. Each once an outage; an outage that was not told has no end to tell. */
  readonly onChange?: (change: "down" | "up", about: FallbackChange) => void;
  /** As `state()` gave it. */
  readonly state?: FallbackState;
}

export interface FallbackModel extends Model {
  state(): FallbackState;
}

const UP: FallbackState = Object.freeze({ primary: "up", since: 0, told: false });

/**
 * Only `transient` failures trip it: a wrong key or request is as wrong tomorrow. The call that trips it is answered by the second model, unless
 * its deadline has passed, and so are all that follow; after the cooldown a single call probes the primary while the others go on with the second. A probe
 * that fails is answered by the second. A model is no fallback of itself.
 */
export function withFallback(
  primary: Model,
  second: Model,
  { cooldownMs = 600_000, clock = SYSTEM_CLOCK, onChange, state: kept }: Fallback = {},
): FallbackModel {
  if (primary.name === second.name) return Object.freeze({ ...wrapped(primary, (...call) => primary.generate(...call)), state: () => UP });
  let state = kept ?? UP;
  let code = "";
  let probing = false;
  // A call that began before the last change says nothing about the time after it.
  let period = 0;

  const change = (next: FallbackState) => {
    if (next.primary !== state.primary) period += 1;
    state = Object.freeze(next);
  };
  const tell = (what: "down" | "up") => {
    const about = { primary: primary.name, second: second.name };
    onChange?.(what, what === "down" ? { ...about, code } : about);
  };
  const goUp = () => {
    const { told } = state;
    change(UP);
    if (told) tell("up");
  };
  const bySecond = async (request: ModelRequest, options: CallOptions): Promise<ModelReply> => {
    const reply = await second.generate(request, options);
    if (state.primary === "down" && !state.told) {
      change({ ...state, told: true });
      tell("down");
    }
    return reply;
  };
  const byPrimary = async (request: ModelRequest, options: CallOptions): Promise<ModelReply> => {
    const begun = period;
    try {
      return await primary.generate(request, options);
    } catch (error) {
      if (!(error instanceof ModelError) || error.class !== "transient") throw error;
      if (options.signal?.aborted) throw abortedError();
      if (begun === period) {
        code = error.code;
        change({ primary: "down", since: clock.now(), told: false });
      }
      // For this call it is too late; the next goes to the second.
      refuseEnded(options);
      return await insteadOf(error, request, options);
    }
  };
  const probe = async (request: ModelRequest, options: CallOptions): Promise<ModelReply> => {
    probing = true;
    let reply: ModelReply;
    try {
      reply = await primary.generate(request, options).finally(() => {
        probing = false;
      });
    } catch (error) {
      if (error instanceof ModelError && (error.class === "aborted" || error.class === "budget")) throw error;
      change({ ...state, since: clock.now() });
      refuseEnded(options);
      return await insteadOf(error, request, options);
    }
    goUp();
    return reply;
  };
  const insteadOf = async (first: unknown, request: ModelRequest, options: CallOptions): Promise<ModelReply> => {
    try {
      return await bySecond(request, options);
    } catch (error) {
      throw error instanceof ModelError && error.class !== "aborted" ? bothDown(first, error) : error;
    }
  };

  const windows = [primary.window, second.window].filter((each) => each !== undefined);
  return Object.freeze({
    name: primary.name,
    // What is sent must fit into either.
    ...(windows.length > 0 && { window: Math.min(...windows) }),
    generate: async (request: ModelRequest, options: CallOptions = {}) => {
      refuseEnded(options);
      if (state.primary === "up") return byPrimary(request, options);
      if (!probing && isOver(clock, state.since, cooldownMs)) return probe(request, options);
      return bySecond(request, options);
    },
    state: () => state,
  });
}

/** The second's failure, which is what stands in the way now, and that of the first before it. */
function bothDown(first: unknown, error: ModelError): ModelError {
  const message = `${first instanceof Error ? first.message : String(first)} Then the fallback: ${error.message}`;
  return new ModelError(error.class, error.code, message, { cause: error, ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }) });
}
