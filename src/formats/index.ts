// Session files: opened, whatever agent wrote them, and our own log.
export { ORIGINALS_FILE } from "./claude-code/originals.ts";
export { copiedHistory } from "./copies.ts";
export { heldDraft } from "./draft.ts";
export { SessionFileError } from "./file-error.ts";
export { jsonText } from "./json.ts";
export { sessionHeading } from "./locate/heading.ts";
export { type FoundSession, findSessions, newestSession, sessionFolders } from "./locate/locate.ts";
export { MemorySession } from "./memory.ts";
export { syncFolder } from "./native/files.ts";
export { type LogRefusal, type NativeLog, NativeLogError, type NativeSession, openNative, readNative, writeNative, writingNative } from "./native/log.ts";
export { type Opened, openSession, resume } from "./open.ts";
export { type AttemptData, BATCH_TYPE, type BatchData, type BatchTarget, type EpochData, type OutageData } from "./pi/batch.ts";
export type { Diagnostic, RawRecord } from "./reader.ts";
export { type Damage, scanFile } from "./scan-file.ts";
