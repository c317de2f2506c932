// Asks a model to make one summary of the summaries of a chain that is folded.
import { anchors } from "../../extract/index.ts";
import type { CallOptions, Model } from "../../models/index.ts";
import type { Chain } from "../chains.ts";
import type { PlannedFold } from "../fold.ts";
import { fuseRefs } from "../fuse.ts";
import { tellsOfFailure } from "./answer.ts";
import { ask, type TextFault } from "./ask.ts";
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
      const asked = await ask(model, rangePrompt(parts), (text) => fusionFaults(text, parts), options);
      const reply = "code" in asked ? undefined : (asked.second ?? asked.first);
      if (reply?.faults.length === 0) texts.set(chain, reply.text);
      else code = "code" in asked ? asked.code : reply?.faults[0]?.code;
    }),
  );
  return { texts, ...(code !== undefined && { code }) };
}

/** What is wrong with one summary of several: it is no shorter, leads back to few of the originals, names little that stands there, or hides a failure. */
function fusionFaults(text: string, parts: readonly string[]): TextFault[] {
  const all = parts.join("\n");
  const { kept, missing } = fuseRefs(text, parts);
  const names = [...new Set(anchors(all))];
  const named = names.filter((name) => text.includes(name)).length;
  return [
    ...(Buffer.byteLength(text) < Buffer.byteLength(all) ? [] : [{ code: "larger", text: "it is no shorter than what it is made of" }]),
    ...(kept.length >= missing.length ? [] : [{ code: "no-refs", text: `most of the words in backticks are gone: ${missing.slice(0, 8).join(", ")}` }]),
    ...(named >= Math.min(LEAST_NAMES, names.length)
      ? []
      : [{ code: "no-anchor", text: "it has hardly any path, name, number or error text of what it is made of" }]),
    ...(tellsOfFailure(all) && !tellsOfFailure(text) ? [{ code: "error-not-named", text: "something failed, and it does not say so" }] : []),
  ];
}

/** Names of the parts that one summary of them holds at least. */
const LEAST_NAMES = 3;
