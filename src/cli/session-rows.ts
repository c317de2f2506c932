// Sessions as rows that a person chooses from: when, how large, whose, where, and what about.
import type { FoundSession } from "../formats/index.ts";
import type { Session } from "../session/index.ts";
import { byteSize, printableName, shortName } from "./table.ts";

/** `pi session ID`. */
export function sessionName({ identity: { format, id } }: Session): string {
  return `${format} session ${id === "unknown" ? "without an id" : printableName(id)}`;
}

/** Files whose heads are read at one time. */
const AT_ONCE = 16;
const HEADING = 50;

/** What each session is about, in their order; empty where the head of its file does not tell. */
export async function sessionHeadings(sessions: readonly FoundSession[]): Promise<string[]> {
  const { sessionHeading } = await import("../formats/index.ts");
  const headings: string[] = [];
  for (let from = 0; from < sessions.length; from += AT_ONCE)
    headings.push(...(await Promise.all(sessions.slice(from, from + AT_ONCE).map(async ({ path }) => (await sessionHeading(path)) ?? ""))));
  return headings;
}

/** When it was last written in local time, its size, agent, heading and project. */
export function sessionCells({ modified, bytes, agent, project }: FoundSession, heading: string): readonly string[] {
  return [new Date(modified).toLocaleString("sv-SE").slice(0, 16), byteSize(bytes), agent, shortName(heading, HEADING), printableName(project)];
}
