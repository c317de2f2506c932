// What ends a call before its answer: whoever asked gives up, or the time that they gave it is over.
import { type CallOptions, ModelError } from "./model.ts";

/** What may end a call. */
export type Ends = Pick<CallOptions, "signal" | "deadline">;

export function abortedError(): ModelError {
  return new ModelError("aborted", "aborted", "The call was given up.");
}

function deadlineError(): ModelError {
  return new ModelError(
    "transient",
    "deadline",
    "The time for the call was over before it was answered. Give it more with models.ceilingSeconds, or name a faster model.",
  );
}

/** The failure of a call that has been ended; giving up comes before a deadline. */
export function endOf({ signal, deadline }: Ends): ModelError | undefined {
  if (signal?.aborted) return abortedError();
  return deadline?.aborted ? deadlineError() : undefined;
}

/** @throws ModelError of class `aborted`, or of class `transient` and code `deadline`, where the call has been ended. */
export function refuseEnded(ends: Ends): void {
  const error = endOf(ends);
  if (error) throw error;
}

/** Calls `then` once, as soon as the call is ended, at once where it has been; the returned function takes it back. */
export function whenEnded(ends: Ends, then: (error: ModelError) => void): () => void {
  const listened = [ends.signal, ends.deadline].filter((each) => each !== undefined);
  const takeBack = () => {
    for (const signal of listened) signal.removeEventListener("abort", onEnd);
  };
  const onEnd = () => {
    takeBack();
    then(endOf(ends) ?? abortedError());
  };
  if (endOf(ends)) onEnd();
  else for (const signal of listened) signal.addEventListener("abort", onEnd, { once: true });
  return takeBack;
}
