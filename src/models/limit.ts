// At most so many calls at once; the others wait in the order they came.
import pLimit from "p-limit";
import { abortedError } from "./abort.ts";
import { type Model, type ModelReply, wrapped } from "./model.ts";

/** A call that is given up while it waits ends at once and is never asked. */
export function withLimit(model: Model, { concurrency = 4 }: { readonly concurrency?: number } = {}): Model {
  const run = pLimit(concurrency);
  return wrapped(model, (request, options = {}) => {
    const { signal } = options;
    if (signal === undefined) return run(() => model.generate(request, options));
    return new Promise<ModelReply>((resolve, reject) => {
      const giveUp = () => reject(abortedError());
      if (signal.aborted) return giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      run(async () => {
        signal.removeEventListener("abort", giveUp);
        if (signal.aborted) throw abortedError();
        return model.generate(request, options);
      }).then(resolve, reject);
    });
  });
}
