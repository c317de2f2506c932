// Why a result is shown as it is, in a sentence for a person.
import type { CondensePolicy } from "../config/index.ts";
import type { Fate, KeptWhy } from "./ledger.ts";

/** Why a result was kept, condensed, spilled or protected under this policy. */
export function explainFate(fate: Fate, policy: CondensePolicy): string {
  if ("earlier" in fate && fate.kind !== "duplicate") return "the session was condensed before: a decision that it held already shows it so";
  switch (fate.kind) {
    case "condensed":
      return `it was older than the newest ${policy.keepNewest} results, and its stub is smaller`;
    case "folded":
      return `its chain was closed and older than the newest ${policy.chains.rollingWindow}: it has a line in ${fate.into}`;
    case "duplicate":
      return `it says the same as ${fate.of}`;
    case "spilled":
      return `it holds ${policy.spillThreshold} characters or more: too large to be shown whole even once`;
    case "protected":
      return `${fate.rule} is protected`;
    case "kept":
      return explainKept(fate.why, policy);
  }
}

function explainKept(why: KeptWhy, { keepNewest, smallResult, keepReads, recallGrace }: CondensePolicy): string {
  switch (why) {
    case "newest":
      return `it is among the newest ${keepNewest} results`;
    case "small":
      return `it takes ${smallResult} tokens or less`;
    case "read":
      return `it is a read of at most ${keepReads.tokens} tokens, which stays for ${keepReads.results} results more`;
    case "recalled":
      return `the agent recalled it no more than ${recallGrace} user messages ago`;
    case "no-stub-is-smaller":
      return "no stub of it would be smaller";
    case "late":
      return "it answers no call of its batch, and is one line already";
    case "summary-asked-for":
      return "the call asked for a summary of it";
    case "already-hidden":
      return "the host, or an earlier decision, hides it already";
    case "original-lost":
      return "it is a stub of a condensed copy, and its original is gone: a stub of a stub would lead to nothing";
  }
}
