// What a person may set: one schema, its defaults, and errors that name the key.
export { ConfigError } from "./error.ts";
export { type CondensePolicy, DEFAULT_POLICY, type Policy, parsePolicy } from "./policy.ts";
