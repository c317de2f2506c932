// Opens a session, plans a copy of it and writes that, by any host's writer.
import type { CopyOptions, CopyPlan, CopyReport, CopySource } from "../../src/copies/index.ts";
import { openSession } from "../../src/formats/index.ts";
import type { Session } from "../../src/session/index.ts";

type WriteCopy = (plan: CopyPlan, source: CopySource, options: CopyOptions) => Promise<CopyReport>;

/** Copies a file to a path, or to where its agent looks for it. */
export function copiedBy(writeCopy: WriteCopy) {
  return async (path: string, planOf: (session: Session) => CopyPlan, to?: string): Promise<CopyReport> => {
    const source = await openSession(path);
    try {
      return await writeCopy(planOf(source.session), { ...source, path }, to === undefined ? {} : { path: to });
    } finally {
      source.close();
    }
  };
}
