// What became of a call, in a word: the text of its reply, or the code of its failure; `open: …` where it was not asked.
import { ModelError, type ModelReply } from "../../src/models/index.ts";

export async function outcome(call: Promise<ModelReply>): Promise<string> {
  try {
    return (await call).text;
  } catch (error) {
    if (error instanceof ModelError) return error.class === "open" ? `open: ${error.code}` : error.code;
    throw error;
  }
}

export function transient(code = "http-500", retryAfter?: number): ModelError {
  return new ModelError("transient", code, `it failed with ${code}`, retryAfter === undefined ? {} : { retryAfter });
}
