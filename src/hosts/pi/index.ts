// Pi as a host: condensed copies of its sessions that it opens.
export { writeCopy } from "./copy.ts";
