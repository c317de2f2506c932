// Claude Code as a host: condensed copies of its sessions that it resumes.
export { writeCopy } from "./copy.ts";
