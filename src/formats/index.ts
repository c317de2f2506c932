// Session files: opened, whatever agent wrote them, and our own log.
export { copiedHistory } from "./copies.ts";
export { SessionFileError } from "./file-error.ts";
export { type FoundSession, findSessions, newestSession, sessionFolders } from "./locate/locate.ts";
export { type LogRefusal, type NativeLog, NativeLogError, type NativeSession, openNative, readNative, writeNative } from "./native/log.ts";
export { type Opened, openSession, resume } from "./open.ts";
export type { Diagnostic } from "./reader.ts";
