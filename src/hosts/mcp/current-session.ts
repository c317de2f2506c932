// Which session a call is about, read as far as its file goes at that moment.
import { resolve } from "node:path";
import { findSessions, newestSession, type Opened, openSession, resume } from "../../formats/index.ts";
import { quoted, ToolProblem } from "../../recall/index.ts";
import type { Session } from "../../session/index.ts";

export interface SessionsOptions {
  /** The one file to read; without it, sessions found on this machine. */
  readonly file?: string;
  /** The folder whose project's newest session is meant where a call names none. */
  readonly cwd: string;
  /** One line for the person who looks after the server. */
  readonly log: (line: string) => void;
}

/** A session as its file is now. */
export interface Current {
  readonly path: string;
  readonly session: Session;
  /** Says which session this is, where the agent cannot know. */
  readonly said: string | undefined;
}

export interface Sessions {
  /**
   * The session of a call. `named`: the path that the call gives.
   * @throws ToolProblem where none is meant or may be read; SessionFileError where the file cannot be
   */
  current(named: string | undefined): Promise<Current>;
  /** Reads the file anew at the next call. */
  forget(path: string): void;
  close(): void;
}

/** Sessions that stay open between calls. */
const KEPT = 3;

/** Files are opened once and read on from there; a file that was rewritten is read anew. Calls come one after the other. */
export function sessions({ file, cwd, log }: SessionsOptions): Sessions {
  const open = new Map<string, Opened>();
  let before: string | undefined;

  function forget(path: string): void {
    open.get(path)?.close();
    open.delete(path);
  }

  async function read(path: string): Promise<Session> {
    const known = open.get(path);
    open.delete(path);
    try {
      const opened = known ? await resume(known) : await openSession(path);
      open.set(path, opened);
      if (!known) logNotes(path, opened);
      for (const oldest of [...open.keys()].slice(0, -KEPT)) forget(oldest);
      return opened.session;
    } catch (error) {
      known?.close();
      throw error;
    }
  }

  function logNotes(path: string, { session, diagnostics }: Opened): void {
    const { id, format } = session.identity;
    log(`reading ${path} (${format} ${id}, ${session.size} entries${diagnostics.length > 0 ? `, ${diagnostics.length} places passed over` : ""})`);
  }

  async function current(named: string | undefined): Promise<Current> {
    if (file !== undefined) return { path: file, session: await read(file), said: undefined };
    const path = named === undefined ? await newest(cwd) : await found(named, cwd);
    const session = await read(path);
    const other = before !== undefined && before !== path ? ", another one than in the call before: its refs are its own" : "";
    before = path;
    return { path, session, said: `session: ${path} (${session.identity.format}${named === undefined ? ", the newest of this project" : ""}${other})` };
  }

  return {
    current,
    forget,
    close: () => {
      for (const path of [...open.keys()]) forget(path);
    },
  };
}

async function newest(cwd: string): Promise<string> {
  const session = await newestSession({ cwd });
  if (session) return session.path;
  throw new ToolProblem(
    "no-session",
    `expected a session of the project in ${cwd}, found none of any agent that is read. Start the server in the project's folder, or with the session's file: palimpsest mcp FILE.`,
  );
}

/** The path of a session found on this machine: nothing else is opened for a call. */
async function found(named: string, cwd: string): Promise<string> {
  const path = resolve(cwd, named);
  const all = await findSessions();
  if (all.some((each) => each.path === path)) return path;
  const example = (await newestSession({ cwd })) ?? all[0];
  throw new ToolProblem(
    "unknown-session",
    `expected the path of a session found on this machine, found ${quoted(named)}. Only those are read. ${example ? `One is ${example.path}; leave session out for the newest of this project.` : "There is none."}`,
  );
}
