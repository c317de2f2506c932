// Giving up: the one error of it.
import { ModelError } from "./model.ts";

export function abortedError(): ModelError {
  return new ModelError("aborted", "aborted", "The call was given up.");
}

/** @throws ModelError of class `aborted` where the signal already says so. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError();
}
