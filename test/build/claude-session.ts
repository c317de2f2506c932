// A Claude Code session of a few reads, made by hand like the one of Pi.
import { answers, assistant, calls, lines, said, user } from "./claude-records.ts";
import { resultText } from "./pi-records.ts";

/** A session of Claude Code's with so many reads, one a message. */
export function claudeSession(results: number): string {
  const turns = Array.from({ length: results }, (_, index) => {
    const n = index + 1;
    const call = assistant(`a${n}`, n === 1 ? "u" : `r${n - 1}`, `m${n}/q${n}`, [calls(`c${n}`, "Read", { file_path: `/srv/app/${n}.ts` })]);
    return [call, user(`r${n}`, `a${n}`, [answers(`c${n}`, resultText(n))])];
  });
  return lines([user("u", null, "go"), ...turns.flat(), assistant("e", `r${results}`, "m/q", [said("done")])]);
}
