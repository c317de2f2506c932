// A Pi session of a few reads, made by hand: long results that differ, so that condensing them is worth it.
import { lines } from "./claude-records.ts";

/** The text of the N-th result: 120 lines, none of which stands in another one. */
export function resultText(number: number): string {
  return Array.from({ length: 120 }, (_, line) => `value_${number}_${line} = compute(${number * 1000 + line});`).join("\n");
}

/** `results` reads, each a request of its own, of `src/N.ts`. */
export function piSession(results: number, cwd = "/srv/app"): string {
  const records: object[] = [
    { type: "session", version: 3, id: "11111111-2222-4333-8444-555555555555", timestamp: "2026-03-02T09:00:00.000Z", cwd },
    { type: "message", id: "u", parentId: null, message: { role: "user", content: "Find the rounding error." } },
  ];
  let parentId = "u";
  for (let number = 1; number <= results; number++) {
    const [call, result] = [`a${number}`, `r${number}`];
    const content = [{ type: "toolCall", id: `c${number}`, name: "read", arguments: { path: `src/${number}.ts` } }];
    records.push({ type: "message", id: call, parentId, message: { role: "assistant", content } });
    const answer = { role: "toolResult", toolCallId: `c${number}`, toolName: "read", content: [{ type: "text", text: resultText(number) }] };
    records.push({ type: "message", id: result, parentId: call, message: answer });
    parentId = result;
  }
  records.push({ type: "message", id: "e", parentId, message: { role: "assistant", content: [{ type: "text", text: "Found it." }] } });
  return lines(records);
}
