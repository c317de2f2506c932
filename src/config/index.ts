// What a person may set: one schema, its defaults, its sources, and errors that name the key.
export { ConfigError, type ConfigFault, faultLine } from "./error.ts";
export type { ConfigFile } from "./files.ts";
export { isGlob } from "./glob.ts";
export { type ConfigKey, configKeys } from "./keys.ts";
export { type CondensePolicy, DEFAULT_POLICY, type ModelsPolicy, type Policy, PROFILES, parsePolicy } from "./policy.ts";
export { type Config, type ConfigInput, type Effective, type HostSettings, inspectConfig, loadConfig, type Origin, originText } from "./sources.ts";
