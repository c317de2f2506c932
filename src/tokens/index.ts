// What a text, an image, a block takes in tokens.
export {
  budgetUse,
  type Calibration,
  calibrated,
  calibratedCount,
  calibrationFactor,
  prefixCount,
  type Report,
  type ReportedRequest,
  reportedInput,
  UNCALIBRATED,
} from "./calibrate.ts";
export { blocksTokens, bodyTokens, type Count, imageTokens } from "./count.ts";
export { estimate, type Family } from "./estimate.ts";
export { type Counter, type Encoding, exactCounter } from "./exact.ts";
export { type Occupancy, type OccupancyInput, occupancy } from "./occupancy.ts";
export { CARDS, type PriceCard } from "./prices.ts";
