// Language models: one way to ask them, whatever stands behind, and what a caller needs around it.
export type { Clock } from "./clock.ts";
export { type Composed, type ComposeOptions, composedOf } from "./compose.ts";
export type { FallbackChange, FallbackState } from "./fallback.ts";
export { type Budget, type CallRow, createMeter, inputEstimate, type Meter, type MeterTotals, type Sum } from "./meter.ts";
export {
  type CallOptions,
  type Finish,
  type Model,
  ModelError,
  type ModelErrorClass,
  type ModelMessage,
  type ModelPrice,
  type ModelReply,
  type ModelRequest,
  type ModelUsage,
  type Thinking,
} from "./model.ts";
export { composed, type Destination, destinations } from "./open.ts";
export { type ModelSettings, openModel } from "./provider.ts";
export { PROVIDERS } from "./providers.ts";
export { type JsonObject, type NoReply, type ParsedReply, parseReply } from "./reply.ts";
export { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "./scripted.ts";
export { mostBytes, tooLong } from "./size.ts";
export { withoutThinking } from "./think.ts";
