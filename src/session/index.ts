// The ground: facts and decisions, the tree they form, the texts they name.
export * from "./body.ts";
export * from "./entry.ts";
export { ancestorAt, isAssistant, isHiding, isOnPath, isRange, isShowable, type Place, pathTo, wasSent } from "./place.ts";
export { coverage, type Range, rangeOf, takesEffectAtOnce } from "./rules.ts";
export { type Identity, type IllegalDecision, type Refusal, refOf, Session } from "./session.ts";
export { atOnce, pause, type Steps, withPauses } from "./steps.ts";
