// What of a text has been read, and how it is known.
export { type Credit, credit, type NoCredit, type WindowCall, type WindowReply } from "./credit.ts";
export { type Nonces, nonceFor, windowNonces } from "./nonce.ts";
export type { Span } from "./span.ts";
export { SpanSet } from "./span-set.ts";
export { gaps, union } from "./spans.ts";
export { readWindows } from "./windows.ts";
