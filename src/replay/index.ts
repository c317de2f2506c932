// A recording run through a policy request by request: what stays visible, what the prompt cache keeps, what it costs.
export type { Costs } from "./cost.ts";
export type { NeedleKind } from "./needles.ts";
export { type HostDecisions, hostDecisions, withoutHostDecisions } from "./recording.ts";
export {
  type CardCosts,
  type MissedNeedle,
  type NeedleCounts,
  type ReplayOptions,
  type ReplayReport,
  type RequestRow,
  replay,
  replaying,
  replayingMask,
  replayingRun,
  replayMask,
  replayTruncation,
} from "./report.ts";
