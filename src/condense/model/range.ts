// Asks a model to make one summary of the summaries of a chain that is folded.
import type { CallOptions, Model } from "../../models/index.ts";
import type { Chain } from "../chains.ts";
import type { PlannedFold } from "../fold.ts";
import { ask } from "./ask.ts";
import { rangePrompt } from "./prompts.ts";

export interface Fused {
  readonly texts: ReadonlyMap<Chain, string>;
  /** Why a chain has none that was asked for: the last reason. */
  readonly code?: string;
}

/** One text for each chain of at least two summaries; a chain whose answer cannot be used has none, and its summaries stand one by one. */
export async function fuse(model: Model, folds: readonly PlannedFold[], options: CallOptions = {}): Promise<Fused> {
  const texts = new Map<Chain, string>();
  let code: string | undefined;
  await Promise.all(
    folds.map(async ({ chain, parts: partsOf }) => {
      const parts = partsOf();
      if (parts.length < 2) return;
      const most = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
      const judge = (text: string) => (Buffer.byteLength(text) < most ? [] : [{ code: "larger", text: "it is no shorter than what it is made of" }]);
      const asked = await ask(model, rangePrompt(parts), judge, options);
      const reply = "code" in asked ? undefined : (asked.second ?? asked.first);
      if (reply?.faults.length === 0) texts.set(chain, reply.text);
      else code = "code" in asked ? asked.code : reply?.faults[0]?.code;
    }),
  );
  return { texts, ...(code !== undefined && { code }) };
}
