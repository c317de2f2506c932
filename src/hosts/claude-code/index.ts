// Claude Code as a host: condensed copies of its sessions that it resumes.
export { copyPolicy, writeCopy } from "./copy.ts";
export { leftWhole } from "./stubs.ts";
