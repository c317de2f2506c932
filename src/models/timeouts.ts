// A model that always ends: silence and length of a call are bounded, whatever the model behind it does.
import { whenEnded } from "./abort.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { type Model, ModelError, type ModelReply, wrapped } from "./model.ts";

export interface Timeouts {
  /** The longest silence: before the first sign of life, and between two. 0: no bound. */
  readonly idleMs: number;
  /** The longest that a whole call may take. 0: no bound. */
  readonly ceilingMs: number;
  readonly clock?: Clock;
}

/**
 * Both bounds end a call as `transient`, with the code `idle-timeout` or `ceiling`, and so does its deadline, with the code `deadline`; the model behind
 * is told by its signal, and not waited for.
 */
export function withTimeouts(model: Model, { idleMs, ceilingMs, clock = SYSTEM_CLOCK }: Timeouts): Model {
  return wrapped(model, (request, options = {}) => {
    const stop = new AbortController();
    return new Promise<ModelReply>((resolve, reject) => {
      let ended = false;
      let cancelIdle = () => {};
      let cancelCeiling = () => {};
      let stopListening = () => {};
      const end = () => {
        ended = true;
        cancelIdle();
        cancelCeiling();
        stopListening();
      };
      const fail = (error: unknown) => {
        if (ended) return;
        end();
        stop.abort();
        reject(error);
      };
      const restart = () => {
        cancelIdle();
        if (idleMs > 0 && !ended) cancelIdle = clock.after(idleMs, () => fail(silent(model.name, idleMs)));
      };
      stopListening = whenEnded(options, fail);
      if (ended) return;
      restart();
      if (ceilingMs > 0) cancelCeiling = clock.after(ceilingMs, () => fail(tooLong(model.name, ceilingMs)));
      const onEvent = () => {
        restart();
        if (!ended) options.onEvent?.();
      };
      asked(model, request, { ...options, signal: stop.signal, onEvent }).then((reply) => {
        if (ended) return;
        end();
        resolve(reply);
      }, fail);
    });
  });
}

/** A model that throws instead of rejecting fails like any other. */
async function asked(model: Model, ...call: Parameters<Model["generate"]>): Promise<ModelReply> {
  return model.generate(...call);
}

function silent(name: string, ms: number): ModelError {
  return new ModelError("transient", "idle-timeout", `${name} said nothing for ${seconds(ms)}. Look whether it runs, or raise models.idleTimeoutSeconds.`);
}

function tooLong(name: string, ms: number): ModelError {
  return new ModelError("transient", "ceiling", `${name} did not end within ${seconds(ms)}. Raise models.ceilingSeconds, or name a faster model.`);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
