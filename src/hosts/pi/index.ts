// Pi as a host: condensed copies of its sessions that it opens.
export { copyPolicy, writeCopy } from "./copy.ts";
