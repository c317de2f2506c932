// Keys that a configuration may still hold from an earlier version, and what does their work now.

/** By path: the key or the group of keys that replaced it. */
export const REPLACED: ReadonlyMap<string, string> = new Map([
  ["condense.everyRequests", "condense.triggers.everyRequests"],
  ["condense.minSaving", "condense.triggers.minSaving"],
  ["condense.minContext", "condense.triggers.minContext"],
]);
