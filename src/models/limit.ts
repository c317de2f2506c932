// At most so many calls at once; the others wait in the order they came.
import pLimit from "p-limit";
import { refuseEnded, whenEnded } from "./abort.ts";
import { type Model, type ModelReply, wrapped } from "./model.ts";

/** A call that is ended while it waits ends at once and is never asked. */
export function withLimit(model: Model, { concurrency = 4 }: { readonly concurrency?: number } = {}): Model {
  const run = pLimit(concurrency);
  return wrapped(model, (request, options = {}) => {
    if (options.signal === undefined && options.deadline === undefined) return run(() => model.generate(request, options));
    return new Promise<ModelReply>((resolve, reject) => {
      const stopListening = whenEnded(options, reject);
      run(async () => {
        stopListening();
        refuseEnded(options);
        return model.generate(request, options);
      }).then(resolve, reject);
    });
  });
}
