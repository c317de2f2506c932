// Session files: opened, whatever agent wrote them, and our own log.
export { SessionFileError, type SessionFileProblem } from "./file-error.ts";
export { type LogRefusal, type NativeLog, NativeLogError, type NativeSession, openNative, readNative, writeNative } from "./native.ts";
export { type Checkpoint, type Opened, type OpenOptions, openSession, type Resumed, resume } from "./open.ts";
export type { Diagnostic } from "./reader.ts";
export type { Tail } from "./scan.ts";
